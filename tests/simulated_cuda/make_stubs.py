"""Writes stubs for symbols that torch's libraries import and a library's stand-in lacks.

    make_stubs.py PREFIX UNSUPPORTED TORCH_LIB_DIR OBJECT... > stubs.cc

A stub reports its call, and returns what UNSUPPORTED returns.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path


def _symbols(prefix: str, which: str, files: list[str]) -> set[str]:
    found: set[str] = set()
    for file in files:
        dynamic = ["-D"] if ".so" in Path(file).name else []
        out = subprocess.run(
            ["nm", *dynamic, which, file], capture_output=True, text=True, check=True
        ).stdout
        found.update(re.findall(rf" ((?:__)?{prefix}[A-Z]\w*)", out))
    return found


def main() -> None:
    prefix, unsupported, folder, *objects = sys.argv[1:]
    libraries = [str(path) for path in sorted(Path(folder).glob("lib*.so"))]
    wanted = _symbols(prefix, "--undefined-only", libraries)
    missing = sorted(wanted - _symbols(prefix, "--defined-only", objects))
    print(f"// Of {len(wanted)} functions that torch imports, {len(missing)} are stubs.")
    print(f'extern "C" int {unsupported}(const char*);')
    for name in missing:
        print(f'extern "C" int {name}() {{ return {unsupported}("{name}"); }}')


if __name__ == "__main__":
    main()
