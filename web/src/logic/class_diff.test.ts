// SPDX-License-Identifier: MIT
import { describe, expect, it } from "vitest";
import { bytesStayedChange, changedClasses, classesShown, classKey, firstSide, shortPlace, type ClassRow } from "./class_diff";

const tally = (count: number, bytes = count * 10) => ({ count, bytes });
const row = (name: string, created: number, deleted: number, grown = 0, place = ""): ClassRow => ({
  ...{ coarseType: "Object", name, old: tally(5), new: tally(5 + created - deleted, 50 + grown + 10 * (created - deleted)) },
  ...{ created: tally(created), deleted: tally(deleted), ...(place ? { place } : {}) },
});
const ROWS = [row("Point", 4, 2), row("Same", 0, 0), row("Array", 1, 5), row("Grown", 0, 0, 7), row("Map", 0, 1, 0, "app.js:7:3")];

describe("a difference by class", () => {
  const changed = changedClasses(ROWS);
  const names = (filter: string | null, sort: string) => classesShown(changed, filter, sort).map(({ name }) => name);

  it("leaves out what did not change, and keeps the server's numbers", () => {
    expect(changed.map(({ name, number }) => [name, number])).toEqual([
      ["Point", 1],
      ["Array", 3],
      ["Grown", 4],
      ["Map", 5],
    ]);
  });

  it("says where a class is defined: V8 counts from 0, and calls files by numbers", () => {
    const placed = changedClasses([row("A", 1, 0, 0, "82,3,29"), row("B", 1, 0, 0, "9,0,0"), ROWS[4]!, row("C", 1, 0)], {
      "82": "/srv/app/a.js",
    });
    expect(placed.map(({ where }) => where)).toEqual(["/srv/app/a.js:4:30", "script 9:1:1", "app.js:7:3", ""]);
    expect(placed.map(({ where }) => shortPlace(where))).toEqual(["a.js:4:30", "script 9:1:1", "app.js:7:3", ""]);
    expect(classesShown(placed, "srv/app", "").map(({ name }) => name)).toEqual(["A"]);
    expect(classKey(placed[0]!)).toBe("Object/A/82,3,29");
  });

  it("is sorted by each column, either way", () => {
    expect(names(null, "")).toEqual(["Point", "Array", "Grown", "Map"]);
    expect(names(null, "-new")).toEqual(["Point", "Array", "Grown", "Map"]);
    expect(names(null, "-deleted")).toEqual(["Array", "Point", "Map", "Grown"]);
    expect(names(null, "-delta")).toEqual(["Point", "Grown", "Map", "Array"]);
    expect(names(null, "+deltaBytes")).toEqual(["Array", "Map", "Grown", "Point"]);
    expect(names(null, "+name")).toEqual(["Array", "Grown", "Map", "Point"]);
    expect(names(null, "-name")).toEqual(["Point", "Map", "Grown", "Array"]);
  });

  it("is filtered by names and places", () => {
    expect(names("a", "")).toEqual(["Array", "Map"]);
    expect(names("app.js", "-new")).toEqual(["Map"]);
    expect(names("nothing", "")).toEqual([]);
  });

  it("says by how much objects that stayed became larger", () => {
    const tally = (count: number, bytes: number) => ({ count, bytes });
    const grown = { ...ROWS[0]!, old: tally(3, 30), new: tally(5, 90), created: tally(4, 40), deleted: tally(2, 20) };
    const [change] = changedClasses([grown]);
    expect([bytesStayedChange([change!, change!]), bytesStayedChange([])]).toEqual([80, 0]);
  });

  it("has a key for each class, and shows first what came", () => {
    expect(classKey(ROWS[4]!)).toBe("Object/Map/app.js:7:3");
    expect(ROWS.map(firstSide)).toEqual(["created", "deleted", "created", "deleted", "deleted"]);
  });
});
