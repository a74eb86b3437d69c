// SPDX-License-Identifier: MIT
// The formats that recordings and timelines can be saved in, for other tools.
import type { HeapKind } from "../types/heap";

export interface ExportFormat {
  /** As the command calls it. */
  format: string;
  words: string;
  /** What the file's name ends with. */
  ending: string;
  question: "export" | "timeline";
}

const of = (question: ExportFormat["question"], format: string, words: string, ending: string): ExportFormat => {
  return { question, format, words, ending };
};

const FORMATS: Record<HeapKind, readonly ExportFormat[]> = {
  heap: [],
  recording: [
    of("export", "pprof", "For pprof", ".pb.gz"),
    of("export", "firefox", "For profiler.firefox.com", ".profile.json"),
    of("export", "chrome", "For Perfetto and chrome://tracing", ".trace.json"),
    of("export", "heaptrack", "For heaptrack", ".heaptrack"),
    of("export", "collapsed", "Collapsed stacks, for flame graphs", ".collapsed"),
    of("export", "tables", "Tables as JSON", ".json"),
  ],
  timeline: [
    of("timeline", "firefox", "For profiler.firefox.com", ".profile.json"),
    of("timeline", "chrome", "For Perfetto and chrome://tracing", ".trace.json"),
  ],
};

export function exportFormats(kind: HeapKind): readonly ExportFormat[] {
  return FORMATS[kind];
}

/** The name of the file that is saved. */
export function exportName(name: string, { ending }: ExportFormat): string {
  return name.replace(/\.(ubirec|timeline)$/, "") + ending;
}
