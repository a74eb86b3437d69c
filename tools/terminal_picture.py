#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws what a command prints on a terminal, colours and all, as a picture for a page.

    terminal_picture.py OUT.svg PROMPT < OUTPUT     # OUTPUT: what the command wrote with --color always

PROMPT is the line on top, as a person types it. The picture says its text in <text> elements, a line each, so that a test
can compare it (`lines_of`).
"""
import html
import re
import sys

WIDTH_PX, HEIGHT_PX = 8.4, 19  # of a character
MARGIN_PX, BAR_PX = 18, 34
BACKGROUND, PLAIN, PROMPT = "#0d1117", "#d4dae1", "#7ee787"
COLOURS = {30: "#6e7681", 31: "#ff7b72", 32: "#7ee787", 33: "#e3b341", 34: "#79c0ff", 35: "#d2a8ff", 36: "#76e3ea", 37: PLAIN}
ESCAPE = re.compile(r"\x1b\[([\d;]*)m")


def runs_of(text):
    """Pieces of text with (colour, bold, dim), line by line."""
    lines, style = [[]], (PLAIN, False, False)
    for i, piece in enumerate(ESCAPE.split(text)):
        if i % 2 == 0:
            for n, part in enumerate(piece.split("\n")):
                if n:
                    lines.append([])
                if part:
                    lines[-1].append((part, style))
            continue
        for code in map(int, (piece or "0").split(";")):
            colour, bold, dim = style
            if code == 0:
                style = (PLAIN, False, False)
            elif code in (1, 2):
                style = (colour, bold or code == 1, dim or code == 2)
            elif code in COLOURS or code - 60 in COLOURS:
                style = (COLOURS[code if code in COLOURS else code - 60], bold, dim)
    while lines and not lines[-1]:
        lines.pop()
    return lines


def picture(prompt, output):
    lines = [[("$ ", (PROMPT, True, False)), (prompt, (PLAIN, True, False))], *runs_of(output)]
    columns = max(sum(len(part) for part, _ in line) for line in lines)
    width, height = columns * WIDTH_PX + 2 * MARGIN_PX, len(lines) * HEIGHT_PX + BAR_PX + MARGIN_PX
    svg = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" role="img">',
        f"<title>{html.escape(prompt)}</title>",
        f'<rect width="100%" height="100%" rx="8" fill="{BACKGROUND}"/>',
        *(f'<circle cx="{MARGIN_PX + 6 + 20 * i}" cy="17" r="6" fill="{fill}"/>'
          for i, fill in enumerate(("#ff5f57", "#febc2e", "#28c840"))),
        '<g font-family="ui-monospace, \'DejaVu Sans Mono\', Menlo, Consolas, monospace" font-size="14" xml:space="preserve">',
    ]
    for row, line in enumerate(lines):
        spans, column = [], 0
        for part, (colour, bold, dim) in line:
            attributes = f'x="{MARGIN_PX + column * WIDTH_PX:.1f}" textLength="{len(part) * WIDTH_PX:.1f}" fill="{colour}"'
            attributes += ' font-weight="bold"' * bold + ' opacity="0.65"' * dim
            spans.append(f"<tspan {attributes}>{html.escape(part, quote=False)}</tspan>")
            column += len(part)
        svg.append(f'<text y="{BAR_PX + (row + 1) * HEIGHT_PX - 5}">{"".join(spans)}</text>')
    return "\n".join([*svg, "</g>", "</svg>", ""])


def lines_of(svg):
    """The text that a picture shows."""
    return [html.unescape(re.sub(r"<[^>]*>", "", text)).rstrip() for text in re.findall(r"<text [^>]*>(.*)</text>", svg)]


if __name__ == "__main__":
    with open(sys.argv[1], "w", encoding="utf-8") as out:
        out.write(picture(sys.argv[2], sys.stdin.read()))
