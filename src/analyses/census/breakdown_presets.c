/* SPDX-License-Identifier: MIT
 *
 * breakdown_presets.c: breakdowns that have a name.
 *
 * The displays of Firefox's memory panel keep its ids, titles and choice of inversion; the rest group by one thing
 * only. All parts are written out, because Firefox's census trees need that.
 *
 * Source: mozilla-central devtools/client/memory/constants.js.
 */
#include <string.h>

#include <ubiheap/census.h>

#define COUNT "{\"by\":\"count\",\"count\":true,\"bytes\":true}"
#define INTERNAL_OF(then) "{\"by\":\"internalType\",\"then\":" then "}"
#define INTERNAL INTERNAL_OF(COUNT)
#define DESCRIPTIVE "{\"by\":\"descriptiveType\",\"then\":" COUNT "}"
#define CLASS "{\"by\":\"objectClass\",\"then\":" COUNT ",\"other\":" COUNT "}"
#define FILENAME_OF(then) "{\"by\":\"filename\",\"then\":" then ",\"noFilename\":" then "}"
#define STACK_OF(then) "{\"by\":\"allocationStack\",\"then\":" then ",\"noStack\":" then "}"
#define COARSE_OF(objects, strings, scripts, other, dom_node)                                                          \
    "{\"by\":\"coarseType\",\"objects\":" objects ",\"strings\":" strings ",\"scripts\":" scripts ",\"other\":" other  \
    ",\"domNode\":" dom_node "}"

#define COARSE COARSE_OF(CLASS, COUNT, FILENAME_OF(INTERNAL), INTERNAL, DESCRIPTIVE)
#define LABEL COARSE_OF(CLASS, INTERNAL, INTERNAL_OF(FILENAME_OF(COUNT)), INTERNAL, DESCRIPTIVE)

static const ubi_breakdown_preset presets[] = {
    { "coarseType", "Type", "what things are: class, type or file first, then the coarse type", COARSE, true },
    { "allocationStack", "Call Stack", "where things were allocated, oldest caller first", STACK_OF(COUNT), false },
    { "invertedAllocationStack", "Inverted Call Stack", "where things were allocated, allocating function first",
      STACK_OF(COUNT), true },
    { "treeMap", "Tree Map", "what things are: coarse type first, then class, type or file", COARSE, false },
    { "label", "Label", "the words that describe a single node", LABEL, false },
    { "labelAllocationStack", "Label by Call Stack", "where a single node was allocated, and what it is",
      STACK_OF(LABEL), false },
    { "default", "Default", "what takeCensus counts when it is not told how",
      COARSE_OF(CLASS, COUNT, COUNT, INTERNAL, DESCRIPTIVE), false },
    { "count", "Count", "one sum over everything", COUNT, false },
    { "objectClass", "Class", "JavaScript class of objects, all else under other", CLASS, false },
    { "internalType", "Internal Type", "the engine's own type names", INTERNAL, false },
    { "filename", "File", "source file of scripts, all else under noFilename", FILENAME_OF(COUNT), false },
    { "domNode", "DOM Node", "node names of DOM nodes beside the other coarse types",
      COARSE_OF(COUNT, COUNT, COUNT, COUNT, DESCRIPTIVE), false },
    { "objectClassAllocationStack", "Class by Call Stack", "for each class, where its objects were allocated",
      "{\"by\":\"objectClass\",\"then\":" STACK_OF(COUNT) ",\"other\":" STACK_OF(COUNT) "}", false },
    { NULL, NULL, NULL, NULL, false },
};

const ubi_breakdown_preset *ubi_breakdown_presets(void) {
    return presets;
}

const ubi_breakdown_preset *ubi_breakdown_preset_find(const char *name) {
    for (const ubi_breakdown_preset *preset = presets; preset->name; preset++)
        if (name && strcmp(preset->name, name) == 0)
            return preset;
    return NULL;
}
