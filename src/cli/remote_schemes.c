/* SPDX-License-Identifier: MIT
 *
 * remote_schemes.c: see remote_schemes.h.
 */
#include "cli/remote_schemes.h"

#include <string.h>

#include "base/quantity.h"
#include "base/silence.h"
#include "base/status.h"
#include "base/text.h"
#include "cdp/cdp_heap.h"
#include "questions/usage.h"
#include "rdp/remote_heap.h"

#define SILENT_HOST UBI__SILENCE "is the host on, and does a firewall let this port through?"

static const ubi__remote_scheme firefox = {
    .name = "firefox",
    .port = 6000,
    .ops = &ubi__rdp_remote_ops,
    .hint = "is it a Firefox that was started with --start-debugger-server PORT, and with the preferences "
            "devtools.debugger.remote-enabled and devtools.chrome.enabled set to true?",
    .unwelcome = "the question on Firefox's screen may have been answered with no",
    .silences = { SILENT_HOST,
                  UBI__SILENCE "Firefox may be asking on its screen whether to allow the connection; with the "
                               "preference devtools.debugger.prompt-connection set to false it does not ask",
                  UBI__SILENCE "Firefox is busy, or the page is, or a debugger holds it" },
};

static const ubi__remote_scheme ubi = {
    .name = "ubi",
    .port = 6080,
    .ops = &ubi__rdp_remote_ops,
    .hint = "is it a program under 'ubiheap run --listen'?",
    .silences = { SILENT_HOST,
                  UBI__SILENCE "the user at the program's terminal may be asked whether to let this connection in",
                  UBI__SILENCE "the program answers between its jobs; it may be busy in code that is not JavaScript, "
                               "sleep, or be stopped" },
};

#define BUSY_SCRIPT UBI__SILENCE "the program answers between its jobs; it may be busy, or a debugger holds it"

static const ubi__remote_scheme node = {
    .name = "node",
    .has_patience = true,
    .has_workers = true,
    .has_names = true,
    .port = 9229,
    .has_processes = true,
    .snapshot_kind = "heapsnapshot",
    .has_no_log = true,
    .ops = &ubi__cdp_remote_ops,
    .hint = "is it a Node.js or Deno that was started with --inspect?",
    .silences = { UBI__SILENCE "the program opens its inspector between its jobs; it may be busy, or another program "
                               "may have its port, 9229 without --inspect-port",
                  BUSY_SCRIPT, BUSY_SCRIPT },
};

static const ubi__remote_scheme chrome = {
    .name = "chrome",
    .has_patience = true,
    .has_names = true,
    .port = 9222,
    .snapshot_kind = "heapsnapshot",
    .has_no_log = true,
    .ops = &ubi__cdp_remote_ops,
    .hint = "is it a Chrome or Electron that was started with --remote-debugging-port=PORT?",
    .silences = { SILENT_HOST, BUSY_SCRIPT, BUSY_SCRIPT },
};

static const ubi__remote_scheme ws = {
    .name = "ws",
    .has_patience = true,
    .has_workers = true,
    .has_names = true,
    .port = 9229,
    .has_paths = true,
    .snapshot_kind = "heapsnapshot",
    .has_no_log = true,
    .ops = &ubi__cdp_remote_ops,
    .hint = "is it the address that the program printed for debuggers?",
    .silences = { SILENT_HOST, BUSY_SCRIPT, BUSY_SCRIPT },
};

const ubi__remote_scheme *const ubi__remote_schemes[] = { &firefox, &ubi, &node, &chrome, &ws, NULL };

ubi_status ubi__remote_patience_read(ubi__remote_address *address, const char *text) {
    if (!text)
        return UBI_OK;
    if (!address->scheme->has_patience)
        return ubi__fail(UBI_EINVAL, "--patience is for addresses of Node.js and Chrome, not of %s",
                         address->scheme->name);
    UBI_TRY(ubi__parse_duration(&address->patience_us, text, "--patience"));
    return address->patience_us ? UBI_OK : ubi__fail(UBI_EINVAL, "--patience: no answer comes in no time");
}

/* A worker thread where there are such, else a tab. */
static ubi_status target_number_read(ubi__remote_address *address, const char *text) {
    UBI_TRY(ubi__parse_number(&address->number, text, "--target"));
    address->choice = address->scheme->has_workers ? UBI__REMOTE_WORKER : UBI__REMOTE_TAB;
    if (address->choice == UBI__REMOTE_TAB && address->number == 0)
        return ubi__fail(UBI_EINVAL, "--target: tabs are counted from 1");
    return UBI_OK;
}

ubi_status ubi__remote_target_read(ubi__remote_address *address, const char *text) {
    if (!text)
        return UBI_OK;
    if (!address->scheme->has_names)
        return ubi__fail(UBI_EINVAL, "--target is for addresses of Node.js and Chrome, not of %s",
                         address->scheme->name);
    address->is_alone = !address->scheme->has_workers && strcmp(text, "0") == 0;
    if (address->is_alone)
        return UBI_OK;
    if (address->choice != UBI__REMOTE_ANY)
        return ubi__fail(UBI_EINVAL, "--target: a tab or worker is chosen already");
    if (ubi__is_digit(text[0]))
        return target_number_read(address, text);
    if (!text[0])
        return ubi__fail(UBI_EINVAL, "--target: the name is empty");
    address->choice = UBI__REMOTE_NAMED;
    address->name = text;
    return UBI_OK;
}
