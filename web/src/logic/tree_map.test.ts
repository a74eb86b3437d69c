// SPDX-License-Identifier: MIT
import { describe, expect, it } from "vitest";
import { boxFill, boxStroke, COLOUR_TYPES, hslText, lerp, packedColour } from "./colours";
import { fillPixels, type PixelBox } from "./pixels";
import { dragged, NO_ZOOM, steppedTowards, zoomed, zoomOfText, zoomText } from "./zoom";

const VIEW = { width: 400, height: 300 };

describe("colours", () => {
  it("FE-7: are written for CSS", () => {
    const colours = [hslText(0.5, 0.6, 0.7), hslText(0, 0, 0), hslText(1, 1, 1)];
    expect(colours).toEqual(["hsl(180,60%,70%)", "hsl(0,0%,0%)", "hsl(360,100%,100%)"]);
  });

  it("FE-8: lie between two", () => {
    expect([0, 1, 0.5].map((at) => lerp(5, 7, at))).toEqual([5, 7, 6]);
  });

  it("FE-9: have the hue of their type and the lightness of their depth", () => {
    expect(COLOUR_TYPES.map((type) => boxFill(type, 1))).toEqual([180, 204, 228, 251, 276].map((hue) => `hsl(${hue},60%,80%)`));
    expect(boxStroke("objects", 1)).toBe("hsl(180,60%,40%)");
    expect(boxFill("objects", 2)).toBe("hsl(180,60%,70%)");
  });
});

describe("pixels", () => {
  it("have the colours that CSS has", () => {
    const hex = (text: string) => packedColour(text).toString(16);
    expect([hex("hsl(0,100%,50%)"), hex("hsl(120,100%,50%)"), hex("hsl(240,100%,50%)")]).toEqual(["ff0000ff", "ff00ff00", "ffff0000"]);
    expect([hex("hsl(204,60%,80%)"), hex("hsl(0,0%,0%)"), hex("hsl(360,100%,100%)")]).toEqual(["ffebd2ad", "ff000000", "ffffffff"]);
  });

  it("of a box are its own, with an edge where there is room for one", () => {
    const picture = { pixels: new Uint32Array(48), width: 8, height: 6 };
    const box = (x: number, y: number, width: number, height: number, edge = 1): PixelBox => ({
      x,
      y,
      width,
      height,
      fill: 1,
      stroke: 2,
      edge,
    });
    const rows = () => Array.from({ length: 6 }, (_, y) => [...picture.pixels.slice(y * 8, y * 8 + 8)].join(""));
    fillPixels(picture, box(1, 1, 4, 4));
    fillPixels(picture, box(6, 0, 2, 2));
    expect(rows()).toEqual(["00000022", "02222022", "02112000", "02112000", "02222000", "00000000"]);
    picture.pixels.fill(0);
    fillPixels(picture, box(-3, -3, 6, 6));
    fillPixels(picture, box(5.4, 3.6, 90, 90));
    fillPixels(picture, box(40, 40, 5, 5));
    expect(rows()).toEqual(["11200000", "11200000", "22200000", "00000000", "00000222", "00000211"]);
  });
});

describe("zoom in addresses", () => {
  it("shows the same part of the picture, in windows of any size", () => {
    expect([zoomText(NO_ZOOM, VIEW), zoomOfText("", VIEW)]).toEqual(["", NO_ZOOM]);
    for (const state of [
      zoomed(NO_ZOOM, VIEW, -100, 0, 0),
      zoomed(NO_ZOOM, VIEW, -5000, 123, 45),
      dragged(zoomed(NO_ZOOM, VIEW, -700, 200, 150), VIEW, 99, -3),
    ]) {
      const again = zoomOfText(zoomText(state, VIEW), VIEW)!;
      for (const part of ["zoom", "translateX", "translateY", "offsetX", "offsetY"] as const) {
        expect(again[part]).toBeCloseTo(state[part], 2);
      }
    }
    const text = zoomText(zoomed(NO_ZOOM, VIEW, -100, 0, 0), VIEW);
    expect(text).toBe("1,0.25,0.25");
    expect(zoomOfText(text, { width: 800, height: 200 })).toMatchObject({ zoom: 1, offsetX: 0, offsetY: 0 });
  });

  it("is none where it is not understood", () => {
    expect(["x", "1", "1,2", "1,2,3,4", "-1,0,0", "1,,x"].map((text) => zoomOfText(text, VIEW))).toEqual(Array(6).fill(null));
  });
});

describe("zoom", () => {
  it("FE-10: keeps what is below the pointer", () => {
    const centre = zoomed(NO_ZOOM, VIEW, -100, 200, 150);
    expect(centre).toEqual({ zoom: 1, translateX: 0, translateY: 0, offsetX: 200, offsetY: 150 });
    const corner = zoomed(NO_ZOOM, VIEW, -100, 0, 0);
    expect(corner).toEqual({ zoom: 1, translateX: 200, translateY: 150, offsetX: 0, offsetY: 0 });
  });

  it("FE-11: goes half-way, and back to all", () => {
    const half = zoomed(NO_ZOOM, VIEW, -50, 300, 75);
    expect(half).toEqual({ zoom: 0.5, translateX: -50, translateY: 37.5, offsetX: 150, offsetY: 37.5 });
    expect(zoomed(half, VIEW, 200, 300, 75)).toEqual(NO_ZOOM);
  });

  it("never shows what is beside the picture", () => {
    expect(dragged(NO_ZOOM, VIEW, 50, 50)).toEqual(NO_ZOOM);
    const far = dragged(zoomed(NO_ZOOM, VIEW, -100, 200, 150), VIEW, 1000, -1000);
    expect([far.translateX, far.translateY, far.offsetX, far.offsetY]).toEqual([200, -150, 0, 300]);
  });

  it("comes to its end in steps", () => {
    const wanted = zoomed(NO_ZOOM, VIEW, -100, 0, 0);
    let shown = NO_ZOOM;
    for (let frame = 0; frame < 20; frame++) {
      shown = steppedTowards(shown, wanted);
    }
    expect(shown).toBe(wanted);
  });
});
