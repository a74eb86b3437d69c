// SPDX-License-Identifier: MIT
// What a program holds on to between several snapshots: the numbers are those of `ubiheap leaks --json`.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { folderOf, snapshotFile, type NodeFields } from "../src/api/serving";
import { AFTER, BEFORE, data, journey, shown, until } from "./browser";

const ROUNDS = 4;
const EACH = 20;

/** A program that keeps some sessions more after each round. Ids are addresses. */
function heapAfter(round: number): Buffer {
  const object = (className: string, size: number, edges: NodeFields["edges"] = []): NodeFields => {
    return { type: "JSObject", coarse: 1, className, size, edges };
  };
  const sessions = Array.from({ length: EACH * (round + 1) }, (_, at) => 10_000 + at);
  return snapshotFile(1_700_000_000_000_000 + round * 60_000_000, [
    [1, { type: "JS::ubi::RootList", size: 0, edges: [[2, "global"]] }],
    [2, object("Window", 100, [[3, "registry"]])],
    [
      3,
      object(
        "Map",
        64,
        sessions.map((id) => [id, "entry"]),
      ),
    ],
    ...sessions.map((id): [number, NodeFields] => [id, object("Session", 200)]),
    ...Array.from({ length: 200 }, (_, at): [number, NodeFields] => [100_000 + at, object("Object", 16)]),
  ]);
}

const names = Array.from({ length: ROUNDS }, (_, round) => `round${round}.fxsnapshot`);
const folder = folderOf(Object.fromEntries(names.map((name, round) => [name, heapAfter(round)])));
afterAll(() => folder.remove());
const files = names.map((name) => join(folder.path, name));
const trip = journey(...files);
const strangers = journey(BEFORE, AFTER, data("fx/unreachable.fxsnapshot"));

describe("leaks", () => {
  it("are found in snapshots that are chosen, with growth and holder, and each leads to objects", async () => {
    const answer = execFileSync(process.env.UBIHEAP ?? "", ["leaks", "--json", ...files], { encoding: "utf-8" });
    const { clusters, leaked } = JSON.parse(answer) as {
      clusters: { count: number; came: number[]; holder: { words: string } }[];
      leaked: object;
    };
    expect(leaked).toMatchObject({ clusters: 1 });

    const page = await trip.open("#/start/h1");
    await shown(page, "report-state-saved");
    await page.locator("#find-leaks").click();
    await page.getByText("Select two snapshots or more").waitFor();
    expect(await page.getByRole("button", { name: "Find what leaks" }).isDisabled()).toBe(true);
    await page.locator(".snapshot-choose", { hasText: "round0" }).click();
    await page.locator(".snapshot-choose", { hasText: "round3" }).click();
    await page.getByRole("button", { name: "Select all 4" }).click();
    await page.getByRole("button", { name: "Find what leaks in 4 snapshots" }).click();
    await shown(page, "leaks-state-found");
    expect(await page.locator(".snapshot-role").allTextContents()).toEqual(["1 of 4", "2 of 4", "3 of 4", "4 of 4"]);
    expect(page.url()).toContain(`#/leaks/${names.join(",")}`);
    const cluster = page.locator(".cluster", { hasText: "Session" });
    expect(await cluster.locator(".cluster-size").textContent()).toContain(`${clusters[0]?.count} objects`);
    expect(await cluster.textContent()).toContain(clusters[0]?.holder.words);
    expect(await cluster.locator(".bars title").textContent()).toBe(`Came with each step and stayed: ${clusters[0]?.came.join(", ")}`);
    expect(await cluster.locator(".bar").count()).toBe(ROUNDS - 1);
    expect(await cluster.locator(".verdict").textContent()).toBe("Grows step by step");

    await cluster.getByRole("link", { name: "Who holds them" }).click();
    await until(() => page.locator(".object-head h1").textContent()).toBe("Map");
    await page.goBack();
    await cluster.getByRole("link", { name: "All new ones" }).click();
    await page.getByRole("button", { name: `New ${EACH * (ROUNDS - 1)}` }).waitFor();
    await page.goBack();
    await cluster.waitFor();
    await page.reload();
    await cluster.waitFor();
  });

  it("in a wrong order say so, and are put into the right one by a button", async () => {
    const page = await trip.open("#/leaks/h3,h1,h2");
    await shown(page, "leaks-state-error");
    expect(await page.locator(".message-error").textContent()).toContain("not in the order in which they were taken");
    await page.getByRole("button", { name: "Put them into that order" }).click();
    await shown(page, "leaks-state-found");
    await until(async () => page.url()).toContain(`#/leaks/${names.slice(0, 3).join(",")}`);
  });

  it("of several processes are refused in words, and shown anyway where one wants it", async () => {
    const page = await strangers.open("#/leaks/h1,h3");
    await page.getByText("These snapshots cannot be compared.").waitFor();
    expect(await page.locator(".message-error").textContent()).toContain("is hardly of the process of the last");
    await page.getByRole("button", { name: "Compare them anyway" }).click();
    await page.locator(".doubts").waitFor();
    await until(async () => page.url()).toContain("anyway=1");
    await page.locator(".snapshot-choose", { hasText: "tiny-before" }).click();
    await shown(page, "report-state-saved");
  });
});
