// SPDX-License-Identifier: MIT
import { expect, it } from "vitest";
import { overwrittenName } from "../logic/unanswered";
import { SNAPSHOT } from "./models";
import { takeReport } from "./tasks/census";
import { exportRecording } from "./tasks/exports";
import { listSnapshots, openAgain } from "./tasks/snapshots";
import { selectSnapshotAndRefresh } from "./tasks/views";
import { bench } from "./testing";

it("a file that was overwritten is read again in its place, and what fails is said with its name", async () => {
  const b = bench("a.fxsnapshot", "b.fxsnapshot");
  await b.store.dispatch(listSnapshots());
  const id = b.state().snapshots[0]?.id ?? 0;
  await b.store.dispatch(selectSnapshotAndRefresh(id));
  await b.store.dispatch(takeReport(id));
  b.client.failing.set("again h1", "no such file");
  await b.store.dispatch(openAgain(id));
  expect([b.state().notice, b.selected().id]).toEqual(["a.fxsnapshot: no such file", id]);
  b.client.failing.clear();
  await b.store.dispatch(openAgain(id));
  expect(b.state().snapshots.map(({ name, path }) => `${name} ${path}`)).toEqual(["a.fxsnapshot h3", "b.fxsnapshot h2"]);
  expect([b.selected().path, b.selected().state, b.state().notice]).toEqual(["h3", SNAPSHOT.READ, null]);
  await b.store.dispatch(listSnapshots());
  expect(b.state().snapshots.length).toBe(2);
});

it("errors name the file that was overwritten", () => {
  expect(overwrittenName("app.heapsnapshot has changed since it was opened")).toBe("app.heapsnapshot");
  expect(overwrittenName('Error while performing task "readHeapSnapshot": a b.gz has changed since it was opened')).toBe("a b.gz");
  expect([overwrittenName("out of memory"), overwrittenName(null)]).toEqual([null, null]);
});

it("an export that fails says of what", async () => {
  const b = bench("a.ubirec");
  await b.store.dispatch(listSnapshots());
  const [format] = [{ format: "pprof", words: "", ending: "", question: "export" as const }];
  await b.store.dispatch(exportRecording(b.state().snapshots[0]?.id ?? 0, format!, () => undefined));
  expect(b.state().notice).toMatch(/^a\.ubirec: /);
});
