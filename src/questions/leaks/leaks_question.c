/* SPDX-License-Identifier: MIT
 *
 * leaks_question.c: what a program holds on to between snapshots.
 */
#include <limits.h>

#include "base/human.h"
#include "base/text.h"
#include "questions/leaks/leaks_answer.h"
#include "questions/leaks/leaks_facts.h"

#define AT(field) offsetof(ubi__leaks_values, field)

/* The heaps of the control come last. */
static ubi_status heaps_divide(ubi__leaks_answer *a, const ubi__asked *asked) {
    char given[UBI__HUMAN_TEXT];
    uint32_t n_control = a->values->control.n, n = asked->n_heaps;
    if (n_control >= n || n - n_control < 2)
        return ubi__fail(UBI_EINVAL, "leaks takes 2 heaps or more before those of the control, not %s in all",
                         ubi__human_count(given, n));
    UBI_TRY(ubi__leaks_series_init(&a->series, asked, 0, n - n_control));
    return ubi__leaks_series_init(&a->controls, asked, n - n_control, n_control);
}

static ubi_status repeats_check(const ubi__asked *asked) {
    for (uint32_t i = 0; i < asked->n_heaps; i++)
        if (!ubi__session_is_repeatable(ubi_session_use_session(asked->heaps[i])))
            return ubi__fail(UBI_EINVAL, "--reorder reads files twice; standard input can be read only once");
    return UBI_OK;
}

static ubi_status leaks_prepare(void *answer_of, const ubi__asked *asked) {
    ubi__leaks_answer *a = answer_of;
    const ubi__leaks_values *v = a->values = asked->values;
    a->memory = ubi__asked_allocator(asked);
    UBI_TRY(heaps_divide(a, asked));
    UBI_TRY(ubi__leaks_parse_verdicts(&a->verdicts, v->verdicts, a));
    if (v->where)
        UBI_TRY(ubi__node_filter_new(&a->filter, v->where));
    if (v->control.n == 1)
        return ubi__fail(UBI_EINVAL, "--control has one file, expected OLD,NEW or OLD,NEW,NEWER");
    return v->must_reorder ? repeats_check(asked) : UBI_OK;
}

static void leaks_release(void *answer_of, const ubi__asked *asked) {
    ubi__leaks_answer *a = answer_of;
    (void)asked;
    ubi__code_scopes_fini(&a->scopes);
    ubi_leaks_free(a->leaks);
    ubi_leak_control_free(a->control);
    ubi__node_filter_free(a->filter);
    ubi__leaks_series_fini(&a->controls);
    ubi__leaks_series_fini(&a->series);
}

static void leaks_facts(ubi__question_facts *out, const void *answer_of) {
    const ubi__leaks_answer *a = answer_of;
    out->own = (ubi__condition_estimates){ .measure = ubi__leaks_measure, .payload = (void *)(uintptr_t)a };
    out->undecided = a->fit == UBI_LEAK_FITS ? NULL : a->misfit;
}

static const ubi__parameter parameters[] = {
    UBI__TEXT("where", 'w', AT(where), "EXPR",
              "only nodes for which EXPR holds can be leaked; its names are the columns of 'ubiheap nodes'", NULL),
    UBI__HEAPS("control", 0, AT(control), "OLD,NEW",
               "snapshots of a run without the suspected action: what grows as much there is no leak", NULL),
    UBI__FLAG(
        "reorder", 0, AT(must_reorder),
        "put the files into the order in which they were taken, by V8's ids or times of creation; reads them twice"),
    UBI__FLAG("allow-other-process", 0, AT(may_be_other_process),
              "compare files of several processes, too, instead of ending with status 3"),
    UBI__TEXT("verdict", 0, AT(verdicts), "LIST",
              "only clusters of these verdicts are shown and counted, such as steady,large; without: all that are "
              "leaks, and in a list of their own those that are probably none",
              NULL),
    UBI__LIMIT(AT(limit), "show at most N clusters; 0: all", "10"),
    UBI__FLAG("engine", 0, AT(with_engine),
              "let objects of the engine be leaks, too: code, shapes, property tables, templates of literals"),
    UBI__TEXT("every", 0, AT(every), "TIME",
              "takes the series itself, with so long between two snapshots, such as 30s: of one ADDRESS in place of "
              "the files",
              NULL, .scope = UBI__SCOPE_TERMINAL),
    UBI__TEXT("target", 0, AT(target), "N|NAME",
              "with --every: of Node.js the worker thread of this number, 0: the main thread; of Chrome the tab, 0: "
              "without its workers; or the "
              "first whose title or address has NAME, as 'ubiheap attach' lists them",
              NULL, .scope = UBI__SCOPE_TERMINAL),
    UBI__NUMBER(
        "times", 0, AT(times), "N",
        "with --every: take N snapshots; 0: until Ctrl-C, 250 at most. With --do: act, and undo it, N times; 0: "
        "as often as the script says",
        "0", .scope = UBI__SCOPE_TERMINAL),
    UBI__FLAG("all", 0, AT(wants_all), "with --every: take all snapshots, also when the verdict is clear before",
              .scope = UBI__SCOPE_TERMINAL),
    UBI__FLAG(
        "keep-ids", 0, AT(keeps_ids),
        "with --every: keep of older snapshots ids and classes only, in memory; what became larger is unknown then",
        .scope = UBI__SCOPE_TERMINAL),
    UBI__TEXT(
        "while", 0, AT(beside), "COMMAND",
        "with --every: run COMMAND by the shell meanwhile, such as one that sends requests; the series begins one "
        "--every after it, and ends when it does, or it is ended with the series",
        NULL, .scope = UBI__SCOPE_TERMINAL),
    UBI__SWITCH("gc", 0, AT(collects),
                "with --every: have garbage collected before each snapshot, or do not; the default is to do it",
                .scope = UBI__SCOPE_TERMINAL),
    UBI__FLAG("force", 0, AT(is_forced),
              "with --every: take snapshots though the program may have too little memory for them",
              .scope = UBI__SCOPE_TERMINAL),
    UBI__TEXT("do", 0, AT(script), "SCRIPT",
              "starts a browser for chrome:URL in place of the files, has functions of SCRIPT act on the page and undo "
              "that, and takes the snapshots: before, between and after",
              NULL, .scope = UBI__SCOPE_TERMINAL),
    UBI__TEXT("browser", 0, AT(browser), "FILE",
              "with --do: the browser to start; without: that of CHROME_PATH, or a Chromium or Chrome in PATH", NULL,
              .scope = UBI__SCOPE_TERMINAL),
    UBI__FLAG("show-browser", 0, AT(is_shown), "with --do: the browser has a window", .scope = UBI__SCOPE_TERMINAL),
    UBI__NUMBER("warm-up", 0, AT(warm_ups), "N",
                "with --do: act, and undo it, N times before the first snapshot, so that what page and engine set up "
                "once is not listed",
                "2", .scope = UBI__SCOPE_TERMINAL),
    UBI__TEXT("patience", 0, AT(patience), "TIME",
              "with --do: how long loading, acting and undoing may take each, before it is given up; with --every: how "
              "long Node.js or Chrome may take for an answer (5m)",
              "2m", .scope = UBI__SCOPE_TERMINAL),
    UBI__FAIL_ON(AT(fail_on)),
    UBI__PARAMETERS_END,
};

static bool fact_entry(size_t i, const char **word, const char **help) {
    *word = ubi__leaks_facts[i].name;
    *help = ubi__leaks_facts[i].help;
    return *word != NULL;
}

static const ubi__glossary glossary = { "Facts for --fail-on", fact_entry };

static const ubi__example examples[] = {
    { "leaks before.heapsnapshot after.heapsnapshot", "what is new, and who holds it" },
    { "leaks one.heapsnapshot two.heapsnapshot three.heapsnapshot", "what was new in two and is still there in three" },
    { "leaks --where 'className == \"Session\"' before.heapsnapshot after.heapsnapshot", "one suspect" },
    { "leaks --control idle1.heapsnapshot,idle2.heapsnapshot before.heapsnapshot after.heapsnapshot",
      "what only the work between the two leaks" },
    { "leaks node:4711 --every 30s --times 3", "what piles up in a Node.js server that runs" },
    { "leaks firefox://127.0.0.1:6000/tab/1 --every 30s --times 5", "what a page holds on to while it is used" },
    { "leaks chrome:http://127.0.0.1:8000/ --do open-and-close.mjs", "what a page keeps of something that was undone" },
    { "leaks --fail-on 'leaked(steady) > 50 or retained(steady) > 1MiB or grown(steady) > 1MiB or unlisted(steady) > "
      "1MiB' one.heapsnapshot "
      "two.heapsnapshot three.heapsnapshot",
      "fail a job that leaks" },
    { NULL, NULL },
};

const ubi__usage ubi__usage_leaks = {
    .name = "leaks",
    .operands = "OLD NEW [NEWER]...",
    .summary = "find what a program holds on to between snapshots",
    .question = "What does my program hold on to, and who holds it?",
    .description =
        "Compares snapshots of one run of a program. Leaked is what was not there in the first but is in the last two; "
        "of two snapshots, what is in the second only. Three show much more than two: do the same work before each, "
        "and what is in the middle of something, and caches that fill up once, fall away. More make a series, such as "
        "'ubiheap run --snapshot-at 10s' takes: it shows in which steps each cluster grew, and how fast. Collect "
        "garbage before each snapshot, as the engines do by themselves.\n"
        "\n"
        "In place of files, one address of a program that runs is enough, as 'ubiheap attach' takes it: with --every a "
        "snapshot is taken each so often, until there are N or Ctrl-C, and the series is searched. Snapshots are "
        "temporary files without names.\n"
        "\n"
        "A series of five or more ends early when the verdict is clear. It is looked at after half of the snapshots, "
        "but "
        "at least four, and after three quarters: it is clear when the cluster that keeps most grew with every step, "
        "and the condition of --fail-on holds if there is one; or, without --fail-on, when there is nothing to list. "
        "So "
        "a gate passes after all snapshots only. A cache that fills up more slowly looks like a leak by then, as it "
        "would "
        "in a shorter series; --all takes all.\n"
        "\n"
        "With --do, ubiheap starts a browser of its own, without a window. SCRIPT is a module of JavaScript with the "
        "functions action(page) and back(page), and perhaps url(), setup(page), isPageLoaded(page), repeat() and "
        "cookies(), as scenarios of memlab have them; page is that of puppeteer-core or playwright-core, which must be "
        "installed where the script is. Leaked is what the action made and what is there after the way back.\n"
        "\n"
        "A leaked object keeps others, and these are leaked, too. Listed are the outermost, in clusters: objects of "
        "one class that are held in one way, whatever the key or index. A cluster's retained size is that of "
        "everything new that is alive through its objects alone. Its holder is the nearest object on the way that was "
        "there before: what grew.\n"
        "\n"
        "What grew as much in a control, what was replaced one for one, and caches that are full are listed at the end "
        "and do not count.\n"
        "\n"
        "The files must be of one process, and in the order in which they were taken. V8's ids show both; times of "
        "creation show the order, where files have them. Files in the wrong order end with status 2 and the right "
        "order. Files that cannot be compared, of several processes or the same one twice, end with status 3, with "
        "--fail-on or without.\n"
        "\n"
        "Objects are identified by node id. In V8 (Node.js, Chrome), an object keeps its id. Ids of Firefox's "
        "snapshots are addresses: an object that the collector moved counts as new, and one of the same class at an "
        "address that was used before counts as old.\n",
    .parameters = parameters,
    .glossary = &glossary,
    .examples = examples,
    .min_operands = 2,
    .max_operands = INT_MAX,
    .arguments_bytes = sizeof(ubi__leaks_values),
};

const ubi__question ubi__question_leaks = {
    .usage = &ubi__usage_leaks,
    .schema = "ubiheap.leaks/1",
    .least_heaps = 2,
    .most_heaps = UBI__ANY_NUMBER,
    .heap_facts = ubi__leaks_facts,
    .fact_words = &ubi__leaks_verdict_words,
    .fact_check = ubi__leaks_check_fact,
    .answer_bytes = sizeof(ubi__leaks_answer),
    .prepare = leaks_prepare,
    .compute = ubi__leaks_compute,
    .document = ubi__leaks_document,
    .page = ubi__leaks_page,
    .remark = ubi__leaks_remark,
    .facts = leaks_facts,
    .release = leaks_release,
};
