/* SPDX-License-Identifier: MIT
 *
 * delimited.h: texts in tab- and comma-separated lines: every row is one line whatever its texts hold. How they are escaped
 * is in docs/reference/cli.md.
 */
#ifndef UBI_RENDER_DELIMITED_H
#define UBI_RENDER_DELIMITED_H

#include "render/out.h"

/** A field. A text that would be taken for a missing value is marked. */
void ubi__delimited_text(ubi__out *out, ubi_text text, bool csv);

#endif
