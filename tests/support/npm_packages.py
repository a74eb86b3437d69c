# SPDX-License-Identifier: MIT
"""Packages of npm that tests drive: installed in the build directory, in the versions of a lock file, once for all presets."""
import filecmp
import os
import shutil
import subprocess
import sys
from pathlib import Path

BUILD = Path(__file__).resolve().parents[2] / "build"


def is_installed(source, place):
    lock = place / "package-lock.json"
    return (place / "installed").exists() and filecmp.cmp(source / "package-lock.json", lock, shallow=False)


def install(source, name):
    """The folder build/NAME with what source/package-lock.json lists; None: npm is not there, or cannot fetch it."""
    installed = BUILD / name
    if not shutil.which("npm") or not shutil.which("node"):
        return None
    if is_installed(source, installed):
        return installed
    place = installed.with_name(f"{name}.{os.getpid()}")
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    for file in ("package.json", "package-lock.json", ".npmrc"):
        shutil.copy(source / file, place)
    done = subprocess.run(["npm", "ci", "--silent"], cwd=place, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print(done.stderr, file=sys.stderr)
        shutil.rmtree(place)
        return None
    (place / "installed").touch()
    shutil.rmtree(installed, ignore_errors=True)
    place.rename(installed)
    return installed
