/* SPDX-License-Identifier: MIT
 *
 * list.h: all questions. Adding one takes its folder and a line here: everything that lists, finds or asks questions, and the commands of
 * the command line, are made from it.
 *
 * Questions are in groups by what people want, in the order of help pages. A line names the folder's `const ubi__question
 * ubi__question_NAME`, whose usage is ubi__usage_NAME.
 */
#ifndef UBI_QUESTIONS_LIST_H
#define UBI_QUESTIONS_LIST_H

#define UBI__QUESTIONS_TO_START(X)                                                                                     \
    X(report)                                                                                                          \
    X(summary)                                                                                                         \
    X(statistics)

#define UBI__QUESTIONS_WHO_KEEPS_IT(X)                                                                                 \
    X(dominators)                                                                                                      \
    X(retainers)                                                                                                       \
    X(paths)

#define UBI__QUESTIONS_TO_COMPARE(X)                                                                                   \
    X(leaks)                                                                                                           \
    X(diff)

#define UBI__QUESTIONS_TO_LOOK_INSIDE(X)                                                                               \
    X(census)                                                                                                          \
    X(treemap)                                                                                                         \
    X(containment)                                                                                                     \
    X(search)                                                                                                          \
    X(nodes)                                                                                                           \
    X(show)                                                                                                            \
    X(strings)                                                                                                         \
    X(allocations)                                                                                                     \
    X(flamegraph)

#define UBI__QUESTIONS_OF_WHAT_RAN(X) X(timeline)

#define UBI__QUESTIONS_OF_FILES(X)                                                                                     \
    X(info)                                                                                                            \
    X(export)

#define UBI__QUESTIONS(X)                                                                                              \
    UBI__QUESTIONS_TO_START(X)                                                                                         \
    UBI__QUESTIONS_WHO_KEEPS_IT(X)                                                                                     \
    UBI__QUESTIONS_TO_COMPARE(X)                                                                                       \
    UBI__QUESTIONS_TO_LOOK_INSIDE(X)                                                                                   \
    UBI__QUESTIONS_OF_WHAT_RAN(X)                                                                                      \
    UBI__QUESTIONS_OF_FILES(X)

#endif
