/* SPDX-License-Identifier: MIT
 *
 * mcp_command.c: `ubiheap mcp`, heaps for agents on standard input and output (ubiheap/server/mcp.h).
 */
#include <signal.h>
#include <unistd.h>

#include <ubiheap/server/mcp.h>

#include "base/status.h"
#include "cli/command.h"
#include "cli/recording_symbols.h"
#include "cli/remote_schemes.h"
#include "cli/returned_memory.h"
#include "session/part.h"

typedef struct mcp_arguments {
    ubi__texts roots;
    int cache;
    const char *cache_folder;
} mcp_arguments;

#define AT(field) offsetof(mcp_arguments, field)

static ubi_status heaps_serve(const ubi__cli *cli, const mcp_arguments *arguments, char **files, int n_files,
                              ubi_session_pool *pool) {
    ubi_session_options session = UBI_SESSION_OPTIONS_INIT;
    ubi_mcp_options options = UBI_MCP_OPTIONS_INIT;
    session.threads = ubi__cli_threads(cli);
    session.index = arguments->cache < 0 ? UBI_SESSION_INDEX_NONE : UBI_SESSION_INDEX_CACHE;
    session.cache_folder = arguments->cache_folder;
    options.pool = pool;
    options.files = (const char *const *)files;
    options.n_files = (uint32_t)n_files;
    options.roots = arguments->roots.at;
    options.n_roots = arguments->roots.n;
    options.session = &session;
    options.input_fd = STDIN_FILENO;
    options.output_fd = STDOUT_FILENO;
    return ubi_mcp_serve(&options);
}

static ubi_status mcp_run(ubi__cli *cli, void *values, char **operands, int n_operands, int *exit_code) {
    ubi_session_pool *pool;
    (void)exit_code;
    if (cli->common.wants_json)
        return ubi__fail(UBI_EINVAL, "--json: all that mcp writes is JSON");
    signal(SIGINT, SIG_DFL); /* it waits for input, and has nothing to lose */
    signal(SIGTERM, SIG_DFL);
    ubi__return_freed_memory();
    UBI_TRY(ubi_session_pool_new(&pool, NULL));
    ubi__session_pool_set_namer(pool, ubi__recording_name_frames);
    ubi__session_pool_set_remotes(pool, ubi__remote_schemes);
    cli->subject = NULL; /* messages name the file or folder that they are about */
    ubi_status status = heaps_serve(cli, values, operands, n_operands, pool);
    ubi_session_pool_unref(pool);
    return status;
}

static const ubi__parameter parameters[] = {
    UBI__TEXTS("root", 'r', AT(roots), "DIR",
               "let the agent list and open heaps, recordings and timelines below this folder; may be repeated"),
    UBI__SWITCH("cache", 0, AT(cache),
                "use indexes in the cache folder, which other commands keep with --cache, or do not; the default is to "
                "use them"),
    UBI__TEXT("cache-dir", 0, AT(cache_folder), "DIR", "the cache folder", "ubiheap in $XDG_CACHE_HOME or ~/.cache"),
    UBI__PARAMETERS_END,
};

static const ubi__example examples[] = {
    { "mcp --root .", "for the configuration of an agent: it may look at heaps below this folder" },
    { "mcp firefox://127.0.0.1:6000/tab/1", "the heap of a tab, as it is now" },
    { "mcp before.heapsnapshot after.heapsnapshot", "two that are open from the start, as h1 and h2" },
    { NULL, NULL },
};

static const ubi__usage usage = {
    .name = "mcp",
    .operands = "[FILE]...",
    .summary = "let an agent ask about heaps, by the Model Context Protocol",
    .question = "What would an agent find in this heap?",
    .description =
        "Speaks the Model Context Protocol on standard input and output: agents, and programs that embed them, start "
        "it "
        "and call its six tools: heaps, report, leaks, find, explain and ask. Answers are short, 4 KB unless asked "
        "otherwise: each says what was left out, and which call is worth making next.\n"
        "\n"
        "The FILEs are open from the start. An address in place of a FILE, as 'ubiheap attach' takes it, is a snapshot "
        "that is taken then. Others can be opened below the folders of --root, and nowhere else. "
        "Nothing is changed, and nothing that an agent sends is run.",
    .parameters = parameters,
    .examples = examples,
    .min_operands = 0,
    .max_operands = 64,
    .arguments_bytes = sizeof(mcp_arguments),
};

const ubi__command ubi__command_mcp = {
    .usage = &usage,
    .run = mcp_run,
};
