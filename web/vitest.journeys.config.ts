// SPDX-License-Identifier: MIT
// Journeys of a browser through the page, against a real server: $UBIHEAP serve. See tests/web/web_journey_test.py.
import { defineConfig } from "vitest/config";

export default defineConfig({
  esbuild: { jsx: "automatic", jsxImportSource: "#page" },
  test: { include: ["tests/**/*.journey.ts"], testTimeout: 0, hookTimeout: 0, fileParallelism: false },
});
