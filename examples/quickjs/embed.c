/* SPDX-License-Identifier: MIT
 *
 * embed.c: a program that embeds QuickJS and takes a census and a snapshot of its heap.
 *
 *     embed [script.js [snapshot.fxsnapshot]]
 *
 * Four calls are new in it; all else it would do anyway. Scripts see nothing of the tools.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ubiheap/core/census.h>
#include <ubiheap/extension/quickjs.h>

static const char demo_script[] =
    "globalThis.cache = [];\n"
    "class Page { constructor(n) { this.title = 'page ' + n; this.words = [n, n + 1]; } }\n"
    "for (let n = 0; n < 1000; n++) cache.push(new Page(n));\n";

static int fail(const char *what) {
    fprintf(stderr, "embed: %s: %s\n", what, ubi_error_message());
    return 4;
}

static char *read_script(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    if (!file)
        return NULL;
    fseek(file, 0, SEEK_END);
    long length = ftell(file);
    rewind(file);
    if (length >= 0 && (text = malloc((size_t)length + 1))) {
        *size = fread(text, 1, (size_t)length, file);
        text[*size] = '\0';
    }
    fclose(file);
    return text;
}

static bool run_script(JSContext *context, const char *text, size_t size, const char *name) {
    JSValue result = JS_Eval(context, text, size, name, JS_EVAL_TYPE_GLOBAL);
    bool good = !JS_IsException(result);
    if (!good) {
        JSValue exception = JS_GetException(context);
        const char *words = JS_ToCString(context, exception);
        fprintf(stderr, "embed: %s\n", words ? words : "an exception");
        JS_FreeCString(context, words);
        JS_FreeValue(context, exception);
    }
    JS_FreeValue(context, result);
    return good;
}

/** The ten classes that hold most. */
static int print_census(ubi_quickjs *tools) {
    ubi_breakdown *breakdown;
    ubi_census *census;
    const char by_class[] = "{\"by\":\"objectClass\",\"other\":{\"by\":\"internalType\"}}";
    if (ubi_breakdown_parse(&breakdown, (ubi_text){ by_class, strlen(by_class) }, UBI_COMPAT_NONE, NULL) != UBI_OK ||
        ubi_target_census(&census, ubi_quickjs_target(tools), NULL, breakdown, NULL) != UBI_OK)
        return fail("census");
    ubi_census_tree *tree;
    if (ubi_census_tree_new(&tree, census, NULL) != UBI_OK)
        return fail("census");
    ubi_census_node root;
    ubi_census_tree_node(tree, ubi_census_tree_root(tree), &root);
    printf("%10s %8s\n", "bytes", "count");
    for (uint32_t i = 0; i < root.n_children && i < 10; i++) {
        ubi_census_node row;
        ubi_census_tree_node(tree, root.children[i], &row);
        printf("%10lld %8lld  %.*s\n", (long long)row.total_bytes, (long long)row.total_count, (int)row.name.len,
               row.name.ptr ? row.name.ptr : "");
    }
    ubi_census_tree_free(tree);
    ubi_census_free(census);
    ubi_breakdown_unref(breakdown);
    return 0;
}

int main(int argc, char **argv) {
    size_t size = sizeof demo_script - 1;
    char *text = argc > 1 ? read_script(argv[1], &size) : strdup(demo_script);
    if (!text) {
        fprintf(stderr, "embed: cannot read %s\n", argc > 1 ? argv[1] : "the script");
        return 4;
    }
    JSRuntime *runtime = JS_NewRuntime();
    JSContext *context = JS_NewContext(runtime);

    ubi_quickjs *tools;
    if (ubi_quickjs_attach(&tools, runtime, NULL) != UBI_OK)
        return fail("attach");

    int status = run_script(context, text, size, argc > 1 ? argv[1] : "demo.js") ? 0 : 1;
    if (status == 0)
        status = print_census(tools);
    if (status == 0 && argc > 2 && ubi_target_save(ubi_quickjs_target(tools), NULL, argv[2], NULL, NULL) != UBI_OK)
        status = fail(argv[2]);

    ubi_quickjs_detach(tools);
    JS_FreeContext(context);
    JS_FreeRuntime(runtime);
    free(text);
    return status;
}
