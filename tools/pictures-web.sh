#!/bin/sh
# SPDX-License-Identifier: MIT
#
# pictures-web.sh UBIHEAP: takes the pictures of docs/reference/page again: docs/images/page-*.png, by Chromium, each with a palette.
# The steps are those of web/tests/pictures.journey.ts.
set -eu
cd "$(dirname "$0")/.." || exit 1
UBIHEAP=$(realpath "$1")
UBI_PICTURES=$PWD/build/pictures
export UBIHEAP UBI_PICTURES
sh tools/build-web.sh install
rm -rf "$UBI_PICTURES"
mkdir -p "$UBI_PICTURES"
(cd web && node_modules/.bin/vitest run --reporter=basic --config vitest.journeys.config.ts pictures)
for picture in "$UBI_PICTURES"/page-*.png; do
    python3 tools/palette_picture.py "$picture" "docs/images/${picture##*/}"
done
ls -l docs/images/page-*.png
