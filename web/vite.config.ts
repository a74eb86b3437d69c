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

const server = process.env.UBIHEAP_URL;

export default defineConfig({
  plugins: [packed()],
  esbuild: { jsx: "automatic", legalComments: "none" },
  build: { target: "es2020", assetsInlineLimit: 0, modulePreload: { polyfill: false }, chunkSizeWarningLimit: 800 },
  // `npm run dev` with the address that `ubiheap serve` prints in UBIHEAP_URL.
  server: server
    ? {
        proxy: {
          "/api": {
            target: new URL(server).origin,
            changeOrigin: true,
            headers: { Authorization: `Bearer ${new URL(server).searchParams.get("token")}` },
          },
        },
      }
    : {},
  test: { include: ["src/**/*.test.{ts,tsx}"], environment: "node", testTimeout: 0, hookTimeout: 0 },
} as Parameters<typeof defineConfig>[0]);
