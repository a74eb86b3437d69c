// SPDX-License-Identifier: MIT
// Builds the page into dist/, each file also packed, as cmake/Page.cmake takes them.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { defineConfig, type Plugin } from "vite";

/** Every file gets a neighbour NAME.gz, always of the same bytes. */
function packed(): Plugin {
  return {
    name: "packed",
    apply: "build",
    writeBundle(options) {
      const folder = options.dir ?? "dist";
      for (const name of readdirSync(folder, { recursive: true, encoding: "utf-8" })) {
        if (/\.(html|js|css|svg)$/.test(name)) {
          const path = join(folder, name);
          writeFileSync(`${path}.gz`, gzipSync(readFileSync(path), { level: 9 }));
        }
      }
    },
  };
}

/** The server that `npm run dev` asks: what it prints is in UBIHEAP_URL. */
function proxy() {
  if (!process.env.UBIHEAP_URL) {
    return {};
  }
  const { origin, searchParams } = new URL(process.env.UBIHEAP_URL);
  const headers = { Authorization: `Bearer ${searchParams.get("token")}`, Origin: origin };
  return { proxy: { "/api": { target: origin, changeOrigin: true, headers } } };
}

export default defineConfig({
  plugins: [packed()],
  esbuild: { jsx: "automatic", jsxImportSource: "#page", legalComments: "none" },
  build: { target: "es2020", assetsInlineLimit: 0, modulePreload: { polyfill: false }, chunkSizeWarningLimit: 800 },
  server: proxy(),
  test: { include: ["src/**/*.test.{ts,tsx}"], environment: "node", testTimeout: 0, hookTimeout: 0 },
} as Parameters<typeof defineConfig>[0]);
