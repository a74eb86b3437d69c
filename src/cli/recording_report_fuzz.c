/* SPDX-License-Identifier: MIT
 *
 * recording_report_fuzz.c: any bytes as a recording, in every form of its report.
 *
 * The first byte chooses the command line. Promises checked (docs/security.md): it ends, with an answer or with a message of one line;
 * text is fit for a terminal; JSON is JSON.
 */
#include "fuzz_tool.h"

static const char *const lines[] = {
    "report --no-symbols A",
    "report --no-symbols --json A",
    "report --no-symbols --detail A",
    "report --no-symbols --by peak A",
    "report --no-symbols --by total --top 0 A",
    "report --no-symbols --by count --stack-depth 0 --wrappers A",
    "report --no-symbols --by temporary --top 3 A",
    "report --no-symbols --format json A",
    "report --no-symbols --site a A",
    "report --no-symbols --fail-on leaked>1 A",
    "report --no-symbols --fail-on peak>1MiB A",
    "info A",
    "info --json A",
    "timeline --json A",
    "timeline A",
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0)
        return 0;
    fuzz_tool *tool = fuzz_tool_get();
    fuzz_tool_put(tool, 0, data + 1, size - 1);
    fuzz_tool_say(tool, lines[data[0] % (sizeof lines / sizeof *lines)], "", "");
    fuzz_tool_run(tool);
    return 0;
}
