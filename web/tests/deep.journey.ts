// SPDX-License-Identifier: MIT
// Objects that are thousands of steps from the root: they can be looked at as any other.
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { folderOf } from "../src/api/serving";
import { journey, until } from "./browser";

const LINKS = 5000;
/** Of the last link, in a file where the root is 1 and the first link 3. */
const LAST = 2 * LINKS + 1;

/** A heap of V8 whose root keeps a list of links, each of which keeps the next. */
function listFile(): string {
  const fields = {
    node_fields: ["type", "name", "id", "self_size", "edge_count", "detachedness"],
    node_types: [["hidden", "object", "synthetic"], "string", "number", "number", "number", "number"],
    edge_fields: ["type", "name_or_index", "to_node"],
    edge_types: [["context", "element", "property", "internal"], "string_or_number", "node"],
  };
  const links = Array.from({ length: LINKS }, (_, at) => at);
  const isLast = (at: number) => at === LINKS - 1;
  return JSON.stringify({
    snapshot: { meta: fields, node_count: LINKS + 1, edge_count: LINKS },
    nodes: [2, 0, 1, 0, 1, 0, ...links.flatMap((at) => [1, 1, 3 + 2 * at, 40, isLast(at) ? 0 : 1, 0])],
    edges: links.flatMap((at) => [2, at === 0 ? 2 : 3, (at + 1) * fields.node_fields.length]),
    strings: ["", "Link", "list", "next"],
  });
}

const folder = folderOf({ "list.heapsnapshot": Buffer.from(listFile()) });
afterAll(() => folder.remove());
const trip = journey(join(folder.path, "list.heapsnapshot"));

it("have a row in the dominator tree, which begins near them, and an address", async () => {
  const page = await trip.open(`#/dominators/h1/${LAST}`);
  const row = page.locator(".tree-row.focused");
  await until(() => row.locator(".row-address").textContent()).toBe(`@${LAST}`);
  expect(await row.getAttribute("aria-level")).toBe("100");
  await page.getByText("The first row is 4 901 levels below the root.").waitFor();
  expect(new URL(page.url()).hash).toContain(`#/dominators/list.heapsnapshot/${LAST}`);
  await page.reload();
  await until(() => row.locator(".row-address").textContent()).toBe(`@${LAST}`);
  await page.getByRole("button", { name: "Show the tree from the root" }).click();
  await until(() => page.locator(".tree-row").first().locator(".row-address").textContent()).toBe("@1");
  expect(await page.getByText("below the root").count()).toBe(0);
});

it("have paths of which the ends are drawn, and the rest step by step", async () => {
  const page = await trip.open(`#/object/h1/${LAST}`);
  const fold = page.locator(".path-node.fold");
  await until(() => fold.locator(".path-name").first().textContent()).toBe("… 4 939 more");
  expect(await page.locator(".path-node").count()).toBe(63);
  await fold.focus();
  await page.keyboard.press("Enter");
  await until(() => fold.locator(".path-name").first().textContent()).toBe("… 4 919 more");
  await page.locator(".paths-more", { hasText: "Show 20 of 4 919 more" }).click();
  await until(() => page.locator(".path-node").count()).toBe(103);
  await page.getByRole("button", { name: "As text" }).click();
  expect(await page.locator(".paths-text").textContent()).toContain("… 4 899 more (Link.next × 899 and 4 000 others) —next→ Link");
});
