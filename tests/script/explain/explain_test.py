#!/usr/bin/env python3
"""jostle explain --script: the script is the one that is compiled into the program, and that one
fails 100 times out of 100.

    explain_test.py JOSTLE EXPLAINED FOLDER [--write]     --write puts the scripts into FOLDER
"""
import glob
import os
import subprocess
import sys
import tempfile

jostle, explained, folder = sys.argv[1:4]
environment = {k: v for k, v in os.environ.items() if not k.startswith("JOSTLE_")}


def run(*command):
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)


failed = False
for case in ("overdrawn", "crossed"):
    with tempfile.TemporaryDirectory() as here:
        os.chdir(here)
        found = run(explained, case)
        if found.returncode != 0:
            sys.exit(f"{case}: nothing was found\n{found.stderr}")
        (schedule,) = glob.glob(".jostle/*.schedule")
        told = run(jostle, "explain", schedule, "--script", "script.hpp")
        if not os.path.exists("script.hpp"):
            sys.exit(f"{case}: no script\n{told.stdout}{told.stderr}")
        with open("script.hpp") as f:
            script = f.read()
        golden = os.path.join(folder, case + ".hpp")
        if "--write" in sys.argv:
            with open(golden, "w") as f:
                f.write(script)
            continue
        with open(golden) as f:
            expected = f.read()
        if script != expected:
            print(f"{case}: not the script of {golden}:\n{script}")
            failed = True
        again = run(explained, case, "again")
        if again.returncode != 0:
            print(f"{case}: the script does not fail\n{again.stdout}")
            failed = True
        os.chdir("/")
sys.exit(failed)
