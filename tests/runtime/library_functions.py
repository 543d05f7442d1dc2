#!/usr/bin/env python3
"""library_functions.py ARCHIVE NM: no function of the C++ library has a body in the runtime.

The linker keeps one body of an inline function. One that was compiled with the runtime has no hooks,
and would stand in for that of the program, whose accesses would not be seen.
"""

import re
import subprocess
import sys

archive, nm = sys.argv[1:]
symbols = subprocess.run([nm, archive], check=True, capture_output=True, text=True).stdout
bodies = set(re.findall(r" [WV] (_ZN?K?(?:St|9__gnu_cxx|S[absiod])\S+)", symbols))
for name in sorted(bodies):
    print(f"{name}: a function of the C++ library has a body in the runtime")
sys.exit(1 if bodies else 0)
