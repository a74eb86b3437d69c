# SPDX-License-Identifier: MIT
"""Programs that tests compile. Many tests of a file want the same one: it is compiled once, and copied for the others."""
import pathlib
import subprocess

_built = {}


def build(command, output):
    """Runs a compiler that writes `output`. What the same command gave before is copied, so inputs may not change in between."""
    command, output = tuple(map(str, command)), pathlib.Path(output)
    if command in _built:
        output.write_bytes(_built[command])
        output.chmod(0o755)
    else:
        subprocess.run([*command, "-o", output], check=True)
        _built[command] = output.read_bytes()
    return output
