// SPDX-License-Identifier: MIT
// For journeys: a browser with a profile of its own, a server, and what is on the page as numbers and words.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Browser, type Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import { serve, type Serving } from "../src/api/serving";

const root = process.env.UBI_SOURCE_DIR ?? join(__dirname, "..", "..");
export const data = (name: string) => join(root, "tests", "data", name);
export const golden = (name: string) => JSON.parse(readFileSync(data(`fx/golden/${name}.json`), "utf-8"));
export const BEFORE = data("fx/tiny-before.fxsnapshot");
export const AFTER = data("fx/tiny-after.fxsnapshot");

/** Only against hanging: a page that shows what is waited for is never that late. */
export const PATIENCE_MS = Number(process.env.UBI_PATIENCE_MS ?? 600_000);

/** Asks again until the answer is as it should be; a test that ends else fails with the last answer. */
export const until = <T>(ask: () => Promise<T>) => expect.poll(ask, { timeout: PATIENCE_MS, interval: 50 });

const tool = process.env.UBIHEAP ?? "";
const PLACES = ["/usr/bin/chromium", "/usr/bin/google-chrome", "/usr/bin/chromium-browser"];

export interface Journey {
  serving: Serving;
  browser: Browser;
  /** A page that shows an address, such as "#/census/h1"; what goes wrong in it fails the test. */
  open(hash?: string, options?: { colorScheme?: "light" | "dark"; width?: number; height?: number }): Promise<Page>;
}

/** A server of these files and a browser, for all tests of a file. */
export function journey(...words: string[]): Journey {
  const home = mkdtempSync(join(tmpdir(), "ubiheap-browser-"));
  const own = {} as Journey;
  beforeAll(async () => {
    own.serving = await serve(tool, "--no-cache", ...words);
    // As root, browsers need to be told that nothing protects the system from them.
    const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
    const executablePath = PLACES.find((place) => existsSync(place)) ?? "";
    own.browser = await chromium.launch({ executablePath, args, env: { ...process.env, HOME: home }, timeout: PATIENCE_MS });
  });
  afterAll(async () => {
    await own.browser.close();
    await own.serving.end();
    rmSync(home, { recursive: true, force: true });
  });
  own.open = async (hash = "", { width = 1280, height = 800, ...options } = {}) => {
    const page = await own.browser.newPage({ viewport: { width, height }, ...options });
    page.setDefaultTimeout(PATIENCE_MS);
    page.on("crash", () => void own.browser.close()); // what waits for it fails at once
    page.on("pageerror", (error) => expect.soft(error.stack).toBeUndefined());
    await page.goto(own.serving.url + hash);
    return page;
  };
  return own;
}

/** What the server answers to a path below /api/1/. */
export async function ask<Answer>({ serving }: Journey, path: string): Promise<Answer> {
  const response = await fetch(`${serving.base}/api/1/${path}`, { headers: { Authorization: `Bearer ${serving.token}` } });
  expect(response.status).toBe(200);
  return (await response.json()) as Answer;
}

/** Waits until the main panel is in a state. */
export async function shown(page: Page, state: string): Promise<void> {
  await page.locator(`main[data-state="${state}"]`).waitFor();
}

/** Cells of the rows that are on the page, from the top: digits without their spaces. */
export async function rows(page: Page): Promise<string[][]> {
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

/** Takes all snapshots off the list. */
export async function cleared(page: Page): Promise<void> {
  await page.locator("#clear-snapshots").click();
  await page.locator("#clear-really").click();
}
