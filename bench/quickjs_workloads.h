/* SPDX-License-Identifier: MIT
 *
 * quickjs_workloads.h: scripts that show what tracking of allocations costs, and how both bench programs run them.
 *
 * Each defines run(n), whose work grows with n. The same file is compiled with the engine as it is (plain_quickjs_bench.c)
 * and with the tools (quickjs_tracking_bench.c): everything but the engine is equal.
 */
#ifndef UBI_BENCH_QUICKJS_WORKLOADS_H
#define UBI_BENCH_QUICKJS_WORKLOADS_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <quickjs.h>

typedef struct workload {
    const char *name;
    const char *what;
    int size; /* n for a run of about a second */
    const char *script;
} workload;

static const workload workloads[] = {
    { "calls", "calls, no objects", 29,
      "function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }\n"
      "function run(n) { return fib(n); }\n" },
    { "scheduler", "methods on a few long-lived objects", 700000,
      "class Task {\n"
      "  constructor(id, work) { this.id = id; this.work = work; this.state = 0; this.next = null; }\n"
      "  step(packet) { this.state = (this.state + packet.kind) % 7; packet.count++; return this.work(packet); }\n"
      "}\n"
      "class Queue {\n"
      "  constructor() { this.head = null; this.tasks = []; }\n"
      "  add(task) { task.next = this.head; this.head = task; this.tasks.push(task); }\n"
      "  pick(i) { let t = this.head; for (let k = i % this.tasks.length; k > 0; k--) t = t.next; return t; }\n"
      "}\n"
      "function run(n) {\n"
      "  const queue = new Queue();\n"
      "  for (let i = 0; i < 6; i++) queue.add(new Task(i, p => p.count & 3));\n"
      "  let packet = { kind: 1, count: 0 };\n"
      "  for (let i = 0; i < n; i++) {\n"
      "    packet.kind = queue.pick(i).step(packet) + 1;\n"
      "    if (i % 50 == 0) packet = { kind: packet.kind, count: packet.count };\n"
      "  }\n"
      "  return packet.count;\n"
      "}\n" },
    { "allocation", "three objects per turn and nothing else", 1200000,
      "function run(n) {\n"
      "  let last;\n"
      "  for (let i = 0; i < n; i++) {\n"
      "    const a = { x: i };\n"
      "    const b = [i, i];\n"
      "    last = { a, b };\n"
      "  }\n"
      "  return last;\n"
      "}\n" },
    { "splay", "a splay tree with payload", 90000,
      "class Node { constructor(key, value) { this.key = key; this.value = value; this.left = this.right = null; } }\n"
      "let root = null, seed = 49734321;\n"
      "function random() { seed = (seed * 1103515245 + 12345) & 0x7fffffff; return seed; }\n"
      "function splay(key) {\n"
      "  const dummy = new Node(0, null); let left = dummy, right = dummy, at = root;\n"
      "  for (;;) {\n"
      "    if (key < at.key) {\n"
      "      if (!at.left) break;\n"
      "      if (key < at.left.key) { const t = at.left; at.left = t.right; t.right = at; at = t; if (!at.left) break; "
      "}\n"
      "      right.left = at; right = at; at = at.left;\n"
      "    } else if (key > at.key) {\n"
      "      if (!at.right) break;\n"
      "      if (key > at.right.key) { const t = at.right; at.right = t.left; t.left = at; at = t; if (!at.right) "
      "break; }\n"
      "      left.right = at; left = at; at = at.right;\n"
      "    } else break;\n"
      "  }\n"
      "  left.right = at.left; right.left = at.right; at.left = dummy.right; at.right = dummy.left; root = at;\n"
      "}\n"
      "function insert(key) {\n"
      "  const value = { array: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], string: 'key ' + key };\n"
      "  if (!root) { root = new Node(key, value); return; }\n"
      "  splay(key);\n"
      "  if (root.key == key) return;\n"
      "  const node = new Node(key, value);\n"
      "  if (key > root.key) { node.left = root; node.right = root.right; root.right = null; }\n"
      "  else { node.right = root; node.left = root.left; root.left = null; }\n"
      "  root = node;\n"
      "}\n"
      "function removeOldest() { splay(-1); root = root.right; }\n"
      "function run(n) {\n"
      "  for (let i = 0; i < n; i++) { insert(random()); if (i > 8000) removeOldest(); }\n"
      "}\n" },
    { "json", "JSON round trips", 11000,
      "const value = { name: 'x', list: [1, 2, 3, { a: 1, b: [true, null] }], nested: { deep: { deeper: { k: 'v' } } "
      "},\n"
      "  rows: [{ id: 1, t: 'one' }, { id: 2, t: 'two' }, { id: 3, t: 'three' }, { id: 4, t: 'four' }] };\n"
      "function run(n) {\n"
      "  let text = JSON.stringify(value);\n"
      "  for (let i = 0; i < n; i++) text = JSON.stringify(JSON.parse(text));\n"
      "  return text;\n"
      "}\n" },
    { "deep", "objects made below 30 calls", 90000,
      "function below(n) { return n ? below(n - 1) : [{ a: 1 }, { b: 2 }, { c: 3 }, { d: 4 }]; }\n"
      "function run(n) { let last; for (let i = 0; i < n; i++) last = below(30); return last; }\n" },
};

#define WORKLOAD_COUNT (sizeof workloads / sizeof workloads[0])

static inline const workload *workload_named(const char *name) {
    for (size_t i = 0; i < WORKLOAD_COUNT; i++)
        if (strcmp(workloads[i].name, name) == 0)
            return &workloads[i];
    return NULL;
}

static inline uint64_t cpu_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static inline JSValue checked(JSContext *ctx, JSValue value) {
    if (JS_IsException(value)) {
        const char *text = JS_ToCString(ctx, JS_GetException(ctx));
        fprintf(stderr, "bench: %s\n", text ? text : "out of memory");
        exit(4);
    }
    return value;
}

/** Runs it with n (0: its own size) and prints the processor time that this took, in nanoseconds. */
static inline void run_workload(JSContext *ctx, const workload *w, int n) {
    JSValue global = JS_GetGlobalObject(ctx);
    JSValue run = checked(ctx, JS_GetPropertyStr(ctx, global, "run"));
    JSValue size = JS_NewInt32(ctx, n ? n : w->size);
    uint64_t start = cpu_ns();
    JS_FreeValue(ctx, checked(ctx, JS_Call(ctx, run, JS_UNDEFINED, 1, &size)));
    printf("%llu\n", (unsigned long long)(cpu_ns() - start));
    JS_FreeValue(ctx, run);
    JS_FreeValue(ctx, global);
}

static inline void load_workload(JSContext *ctx, const workload *w) {
    JS_FreeValue(ctx, checked(ctx, JS_Eval(ctx, w->script, strlen(w->script), w->name, JS_EVAL_TYPE_GLOBAL)));
}

/** --list: names, sizes, descriptions. */
static inline int list_workloads(void) {
    for (size_t i = 0; i < WORKLOAD_COUNT; i++)
        printf("%s\t%d\t%s\n", workloads[i].name, workloads[i].size, workloads[i].what);
    return 0;
}

/* ---- compiling ------------------------------------------------------------------------------------------------------- */

static inline char *text_of_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    if (file && fseek(file, 0, SEEK_END) == 0) {
        long end = ftell(file);
        text = end < 0 ? NULL : calloc((size_t)end + 1, 1);
        rewind(file);
        *size = text ? fread(text, 1, (size_t)end, file) : 0;
    }
    if (!text) {
        fprintf(stderr, "bench: cannot read %s\n", path);
        exit(2);
    }
    fclose(file);
    return text;
}

/* Compiles a script n times, and prints what one costs: bytes of bytecode, of its tables of places, and of all that it takes. */
static inline void compile_file(JSContext *ctx, const char *path, int n) {
    JSRuntime *rt = JS_GetRuntime(ctx);
    size_t size = 0;
    char *text = text_of_file(path, &size);
    JSMemoryUsage before, after;
    JS_ComputeMemoryUsage(rt, &before);
    for (int i = 0; i < n; i++) {
        JSValue code = checked(ctx, JS_Eval(ctx, text, size, "script.js", JS_EVAL_FLAG_COMPILE_ONLY));
        if (i == 0)
            JS_ComputeMemoryUsage(rt, &after);
        JS_FreeValue(ctx, code);
    }
    printf("%lld %lld %lld\n", (long long)(after.js_func_code_size - before.js_func_code_size),
           (long long)(after.js_func_pc2line_size - before.js_func_pc2line_size),
           (long long)(after.memory_used_size - before.memory_used_size));
    free(text);
}

#endif
