// SPDX-License-Identifier: MIT
// Pages that are at rest: nothing is asked for, and nothing changes. What a test waits for in them does not come, however long it waits,
// so it fails, in words of what they show. How long they rest is counted by their own clocks: load holds these up as it does all else.
import type { Page, Request } from "playwright-core";
import { afterEach, beforeEach } from "vitest";

const TICK_MS = 200;
/** Much longer than it takes until a page does something by itself: every two seconds it asks the server what there is. */
const TICKS_OF_REST = 300;
const LOOK_MS = 1000;
/** For words about a page that fails anyway. */
const ANSWER_MS = 30_000;
const MOST_TEXT = 4000;

declare global {
  interface Window {
    /** Ticks since something changed in the page. */
    ticksOfRest: number;
  }
}

interface Watched {
  page: Page;
  underWay: Set<Request>;
  /** Since it was looked at. */
  hasAsked: boolean;
}

const pages = new Set<Watched>();
/** What a test waits for besides pages. */
let otherWaits = 0;
let failure: Error | null = null;

/** Runs in the page. */
function countTicks(tickMs: number) {
  window.ticksOfRest = 0;
  const changed = new MutationObserver(() => (window.ticksOfRest = 0));
  changed.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  setInterval(() => window.ticksOfRest++, tickMs);
}

/** Whether it is asked for ever: what is open, and which programs run. */
const isHeartbeat = (request: Request) => request.method() === "GET" && /\/api\/1\/(heaps|targets)$/.test(request.url());

/** Requests that tests hold: for them nothing is waited. */
const held = new Set<RegExp>();

/** Keeps the requests to some addresses from the server; what it gives lets them go. */
export async function holdRequests(page: Page, url: RegExp): Promise<() => void> {
  let release = () => {};
  const isOver = new Promise<void>((resolve) => (release = resolve));
  held.add(url);
  await page.route(url, async (route) => {
    await isOver;
    await route.continue();
  });
  return () => {
    held.delete(url);
    release();
  };
}

/** Has a page watched until it is closed, which is at the end of the test. To be called before it is led anywhere. */
export async function watchPage(page: Page): Promise<void> {
  const own: Watched = { page, underWay: new Set(), hasAsked: false };
  const over = (request: Request) => own.underWay.delete(request);
  page.on("request", (request) => {
    if (!isHeartbeat(request) && ![...held].some((url) => url.test(request.url()))) {
      own.underWay.add(request);
      own.hasAsked = true;
    }
  });
  page.on("requestfinished", over);
  page.on("requestfailed", over);
  page.on("close", () => pages.delete(own));
  page.on("crash", () => {
    failure ??= new Error("A page has crashed.");
    void page.context().browser()?.close(); // ends what waits for it
  });
  await page.addInitScript(countTicks, TICK_MS);
  pages.add(own);
}

/** Waits for something else than a page, which may rest meanwhile. */
export async function besides<T>(something: Promise<T>): Promise<T> {
  otherWaits++;
  try {
    return await something;
  } finally {
    otherWaits--;
  }
}

/** Why the pages of this test will not change any more; null: they may. */
export const restFailure = () => failure;

async function ticksOfRest(own: Watched): Promise<number> {
  const isActive = own.hasAsked || own.underWay.size > 0 || otherWaits > 0;
  own.hasAsked = false;
  const ask = (isActive: boolean) => {
    if (isActive) {
      window.ticksOfRest = 0;
    }
    return window.ticksOfRest;
  };
  return own.page.evaluate(ask, isActive).catch(() => 0); // it is on its way elsewhere
}

async function wordsOf({ page }: Watched): Promise<string> {
  const shown = page.evaluate(() => {
    const focused = [document.activeElement, document.querySelector(".tree-row.focused")];
    return [
      `main is in state ${document.querySelector("main")?.dataset["state"]}`,
      ...focused.map((one) => `focused: ${one?.outerHTML.slice(0, 300)}`),
      document.body.innerText,
    ].join("\n");
  });
  const late = new Promise<string>((resolve) => setTimeout(() => resolve("It does not answer."), ANSWER_MS));
  const words = await Promise.race([shown.catch(String), late]);
  return `${page.url()}\n${words.slice(0, MOST_TEXT)}`;
}

const wordsOfAll = async () => (await Promise.all([...pages].map(wordsOf))).join("\n\n");
const closeAll = () => Promise.all([...pages].map(({ page }) => page.close()));

let isLooking = false;

/** Fails the test where all its pages have been at rest. */
async function look(): Promise<void> {
  if (isLooking || failure !== null) {
    return;
  }
  isLooking = true;
  const ticks = await Promise.all([...pages].map(ticksOfRest));
  if (ticks.length > 0 && ticks.every((one) => one >= TICKS_OF_REST)) {
    failure = new Error(`What is waited for does not come: nothing happens in the page any more.\n${await wordsOfAll()}`);
    await closeAll(); // ends what waits
  }
  isLooking = false;
}

let looks: NodeJS.Timeout;

beforeEach(() => {
  failure = null;
  held.clear();
  looks = setInterval(() => void look(), LOOK_MS);
});

afterEach(async ({ task }) => {
  clearInterval(looks);
  const hasFailed = task.result?.state === "fail" && pages.size > 0;
  const words = failure ?? (hasFailed ? new Error(`The page shows:\n${await wordsOfAll()}`) : null);
  await closeAll();
  if (words) {
    throw words;
  }
});
