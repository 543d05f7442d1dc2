#!/usr/bin/env python3
"""Holds what a program linked with Jostle exports against a list.

    exported_symbols.py PROGRAM LIST NM [--write]

Symbols of the C++ library and of GoogleTest that every program has are left out: only names
that the C library, the C++ runtime's guards or the sanitizer interface also have may come from
us, and those are exactly the interposers and hooks. --write makes the list anew.
"""
import re
import subprocess
import sys

program, path, nm = sys.argv[1:4]
output = subprocess.run([nm, "-D", "--defined-only", program], check=True, capture_output=True, text=True).stdout
exported = set()
for line in output.splitlines():
    fields = line.split()
    kind, name = fields[-2], fields[-1].split("@")[0]
    if kind in "VWwvu":
        continue  # vague linkage: templates and inline functions of the program
    if re.match(r"_Z(T[ISV])?N?K?(St|Sa|Ss|So|Si|Sd|9__gnu_cxx|10__cxxabiv|N7testing)", name):
        continue  # copy relocations of the C++ library, GoogleTest
    if name in ("_IO_stdin_used", "__data_start", "data_start", "stdin", "stdout", "stderr", "environ", "__environ",
                "_environ", "__progname", "program_invocation_name"):
        continue  # every program has them
    exported.add(name)

with open(path) as f:
    expected = {l.strip() for l in f if l.strip() and not l.startswith("#")} if "--write" not in sys.argv else set()
if "--write" in sys.argv:
    with open(path, "w") as f:
        f.write("# What a program linked with Jostle exports: interposers and the hooks of -fsanitize=thread.\n"
                "# Made by exported_symbols.py --write; look at each new line.\n")
        f.writelines(n + "\n" for n in sorted(exported))
    sys.exit(0)

for name in sorted(exported - expected):
    print(f"exported, but not in {path}: {name}")
for name in sorted(expected - exported):
    print(f"in {path}, but not exported: {name}")
sys.exit(exported != expected)
