/* SPDX-License-Identifier: MIT
 *
 * report_walk.c: see report_walk.h.
 */
#include "analyses/census/report_walk.h"

#include "analyses/census/breakdown.h"

typedef struct walk {
    ubi_compat compat;
    const ubi__report_visitor *visitor;
    void *payload;
} walk;

static ubi_status walk_one(const walk *w, const ubi_report *report, const ubi_report_key *edge) {
    if (w->compat == UBI_COMPAT_FIREFOX && !ubi_report_breakdown(report)->written)
        return ubi__fail(UBI_EINVAL, "can't access property \"by\", breakdown is undefined");
    UBI_TRY(w->visitor->enter(w->payload, report, edge));
    uint32_t n = ubi_report_entry_count(report);
    for (uint32_t i = 0; i < n; i++) {
        ubi_report_key key;
        const ubi_report *part = ubi_report_entry(report, i, &key);
        UBI_TRY(walk_one(w, part, &key));
    }
    return w->visitor->leave(w->payload, report);
}

ubi_status ubi__report_walk(const ubi_report *report, ubi_compat compat, const ubi__report_visitor *visitor,
                            void *payload) {
    walk w = { compat, visitor, payload };
    return walk_one(&w, report, NULL);
}
