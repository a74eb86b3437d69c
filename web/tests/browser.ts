// SPDX-License-Identifier: MIT
// For journeys: a browser with a profile of its own, servers, and what is on the page as numbers and words.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import { serve, type Serving } from "../src/api/serving";
import { besides, restFailure, watchPage } from "./rest";

const root = process.env.UBI_SOURCE_DIR ?? join(__dirname, "..", "..");
export const data = (name: string) => join(root, "tests", "data", name);
export const golden = (name: string) => JSON.parse(readFileSync(data(`fx/golden/${name}.json`), "utf-8"));
export const BEFORE = data("fx/tiny-before.fxsnapshot");
export const AFTER = data("fx/tiny-after.fxsnapshot");

const ASK_AGAIN_MS = 50;
/** More than there may be between the letters of one name. */
const FORGOTTEN_MS = 1000;
type Matcher = (...expected: unknown[]) => void;

/** Asks again until the answer is as it should be; where the pages are at rest, and it still is not, the test fails with it. */
export function until<T>(ask: () => Promise<T>): ReturnType<typeof expect.poll<T>> {
  const matcher =
    (name: string, isNot: boolean) =>
    async (...expected: unknown[]) => {
      for (;;) {
        try {
          const answer = expect(await ask());
          return ((isNot ? answer.not : answer) as unknown as Record<string, Matcher>)[name]?.(...expected);
        } catch (error) {
          if (restFailure()) {
            throw error;
          }
        }
        await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS));
      }
    };
  const matchers = (isNot: boolean): object =>
    new Proxy({}, { get: (_, name) => (name === "not" ? matchers(!isNot) : matcher(String(name), isNot)) });
  return matchers(false) as never;
}

const PLACES = ["/usr/bin/chromium", "/usr/bin/google-chrome", "/usr/bin/chromium-browser"];

type Options = Pick<BrowserContextOptions, "colorScheme"> & { width?: number; height?: number };

export interface Journey {
  serving: Serving;
  /** A page that shows an address of this server, such as "#/census/h1". */
  open(hash?: string, options?: Options): Promise<Page>;
}

let browser: Browser;

/** A page that shows an address. What goes wrong in it fails the test, which closes it at its end. */
export async function visit(url: string, { width = 1280, height = 800, ...options }: Options = {}): Promise<Page> {
  const page = await browser.newPage({ viewport: { width, height }, ...options });
  page.setDefaultTimeout(0);
  page.on("pageerror", (error) => expect.soft(error.stack).toBeUndefined());
  await watchPage(page);
  await page.goto(url);
  return page;
}

/** A browser with a profile of its own, for all tests of a file. */
function needBrowser(): void {
  const home = mkdtempSync(join(tmpdir(), "ubiheap-browser-"));
  beforeAll(async () => {
    // As root, browsers need to be told that nothing protects the system from them.
    const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
    const executablePath = PLACES.find((place) => existsSync(place)) ?? "";
    browser = await chromium.launch({ executablePath, args, env: { ...process.env, HOME: home }, timeout: 0 });
  });
  afterAll(async () => {
    await browser.close();
    rmSync(home, { recursive: true, force: true });
  });
}

needBrowser();

/** A server with these arguments; its indexes are not kept. */
export const start = (...words: string[]) => besides(serve(process.env.UBIHEAP ?? "", "--no-cache", ...words));

/** A server of these files, for all tests of a file. */
export function journey(...words: string[]): Journey {
  const own = { open: (hash = "", options) => visit(own.serving.url + hash, options) } as Journey;
  beforeAll(async () => {
    own.serving = await start(...words);
  });
  afterAll(() => own.serving.end());
  return own;
}

/** What the server answers to a path below /api/1/. */
export async function ask<Answer>({ serving }: Journey, path: string): Promise<Answer> {
  const response = await besides(fetch(`${serving.base}/api/1/${path}`, { headers: { Authorization: `Bearer ${serving.token}` } }));
  expect(response.status).toBe(200);
  return (await response.json()) as Answer;
}

/** Waits until the main panel is in a state. */
export async function shown(page: Page, state: string): Promise<void> {
  await page.locator(`main[data-state="${state}"]`).waitFor();
}

/** Waits until every table has the rows that it has room for: what a table is shown with is less, for it has no size yet. */
export async function filled(page: Page): Promise<void> {
  const isFilled = () =>
    [...document.querySelectorAll(".tree-table")].every((table) => {
      const all = [...table.querySelectorAll(".tree-row")];
      const isFull = all.some((row) => row.getBoundingClientRect().bottom >= table.getBoundingClientRect().bottom);
      const rowCount = table.getAttribute("aria-rowcount");
      return isFull || rowCount === "1" || all.some((row) => row.getAttribute("aria-rowindex") === rowCount); // none is below the last
    });
  await until(() => page.evaluate(isFilled)).toBe(true);
}

/** Cells of the rows that are on the page, from the top: digits without their spaces. */
export async function rows(page: Page): Promise<string[][]> {
  await filled(page);
  const all = await page.locator(".tree-row").evaluateAll((elements) =>
    elements
      .map((element) => ({
        at: Number(element.getAttribute("aria-rowindex")),
        cells: [...element.querySelectorAll("[role=gridcell]")]
          .map((cell) => cell.querySelector(".figure-value") ?? cell)
          .map((cell) => cell.textContent ?? ""),
      }))
      .sort((a, b) => a.at - b.at)
      .map(({ cells }) => cells),
  );
  return all.map((cells) => cells.map((text) => text.trim().replace(/(?<=\d) (?=\d)/g, "")));
}

/** The name of the focused row; "" none is. */
export async function focused(page: Page): Promise<string> {
  const name = page.locator(".tree-row.focused .name, .tree-row.focused .node-label");
  return (await name.count()) > 0 ? ((await name.first().textContent()) ?? "") : "";
}

/** Types the beginning of a row's name, until that row is focused: what comes too slowly for one name is taken for several. */
export async function typeAhead(page: Page, text: string, name: string): Promise<void> {
  await page.keyboard.type(text);
  while ((await focused(page)) !== name) {
    await page.waitForTimeout(FORGOTTEN_MS);
    await page.keyboard.type(text);
  }
}

/** Takes all snapshots off the list. */
export async function cleared(page: Page): Promise<void> {
  await page.locator("#clear-snapshots").click();
  await page.locator("#clear-really").click();
}
