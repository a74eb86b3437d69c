/* SPDX-License-Identifier: MIT
 *
 * live_screen.h: a program that is recorded, as one screen of text: totals, the curve of what lives, and where it was asked for.
 */
#ifndef UBI_CLI_LIVE_SCREEN_H
#define UBI_CLI_LIVE_SCREEN_H

#include "cli/commands/record/live_places.h"
#include "render/page.h"

/** What is shown. */
typedef struct ubi__live_scene {
    const ubi__live_copy *copy;
    const ubi__live_places *places;
    uint64_t kept_bytes; /**< that the program wrote to the terminal, which shows them later */
} ubi__live_scene;

/** Writes lines, of which a screen of this number of rows shows the first ones. */
void ubi__live_screen_write(const ubi__page *page, const ubi__live_scene *scene, unsigned rows);

#endif
