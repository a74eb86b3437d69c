// SPDX-License-Identifier: MIT
//
// Writes d3-layouts.txt: tree maps laid out by d3 3.5.17, configured as Firefox's memory panel does. See README.md.
//
//     npm install --prefix /tmp/d3 d3@3.5.17
//     NODE_PATH=/tmp/d3/node_modules node tests/data/treemap/d3_layouts.js > tests/data/treemap/d3-layouts.txt
"use strict";
const fs = require("fs");
const path = require("path");
const d3 = require("d3");

const PADDING = [15, 5, 5, 5]; // top, right, bottom, left

function layout(name, tree, width, height, ratio) {
  const nodes = d3.layout.treemap()
    .size([width + (PADDING[1] + PADDING[3]) * ratio, height + (PADDING[0] + PADDING[2]) * ratio])
    .padding(PADDING.map(p => p * ratio))
    .value(d => d.bytes)(tree);
  nodes.sort((a, b) => a.depth - b.depth);
  console.log(`layout ${name} ${width} ${height} ${ratio} ${nodes.length}`);
  const place = new Map(nodes.map((node, i) => [node, i]));
  for (const n of nodes) {
    const parent = n.parent ? place.get(n.parent) : "-";
    console.log([parent, n.bytes || 0, n.value, n.x, n.y, n.dx, n.dy].join(" "));
  }
}

// Always the same numbers: a linear congruential generator.
let seed = 1;
const random = n => {
  seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
  return (seed >>> 8) % n;
};

// A tree of up to `size` nodes, its children as unlike as `skew` says; every `zero`th leaf weighs nothing.
function randomTree(size, skew, zero) {
  const all = [{ bytes: 0 }];
  while (all.length < size) {
    const parent = all[random(Math.min(all.length, 1 + size / 10))];
    const bytes = random(zero) ? Math.floor(Math.pow(random(1000) / 1000, skew) * 1e6) : 0;
    const child = { bytes };
    (parent.children = parent.children || []).push(child);
    all.push(child);
  }
  return all[0];
}

const golden = path.join(__dirname, "../fx/golden/tiny-before.censustree.json");
const census = name => JSON.parse(fs.readFileSync(golden)).trees[name];

layout("coarse", census("coarse"), 1000, 600, 1);
layout("coarse", census("coarse"), 640, 480, 2);
layout("coarse", census("coarse"), 333, 777, 1.5);
layout("coarse", census("coarse"), 60, 40, 1);
layout("coarse", census("coarse"), 1, 1, 1);
layout("stack", census("stack"), 1280, 720, 1);
layout("equal", { children: Array.from({ length: 40 }, () => ({ bytes: 1 })) }, 300, 200, 1);
layout("one", { children: [{ bytes: 5 }] }, 300, 200, 1);
layout("leaf", { bytes: 5 }, 300, 200, 1);
layout("nothing", { children: [{ bytes: 0 }, { children: [{ bytes: 0 }] }] }, 300, 200, 1);
layout("huge", { children: [{ bytes: Number.MAX_SAFE_INTEGER }, { bytes: 1 }, { bytes: 3e15 }] }, 800, 600, 1);
for (const [size, skew, zero] of [[30, 1, 1000], [60, 6, 1000], [120, 3, 4], [80, 40, 1000], [100, 12, 2]])
  layout(`random-${size}`, randomTree(size, skew, zero), 500 + size, 300 + size, 1);
