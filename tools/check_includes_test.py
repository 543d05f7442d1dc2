#!/usr/bin/env python3
"""Tests of check-includes on tiny trees."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).with_name("check-includes")
LAYERS = {
    "src/base/CMakeLists.txt": "jostle_layer(base)\n",
    "src/events/CMakeLists.txt": "# comment\njostle_layer(events DEPENDS base)\n",
    "src/sched/CMakeLists.txt": "jostle_layer(sched DEPENDS events\n  LIBRARIES Foo::Foo)\n",
}


def run(files):
    with tempfile.TemporaryDirectory() as root:
        for name, text in {**LAYERS, **files}.items():
            path = pathlib.Path(root, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        result = subprocess.run([sys.executable, TOOL, root], capture_output=True, text=True)
        return result.returncode, result.stdout


class CheckIncludes(unittest.TestCase):
    def fails(self, files, *messages):
        code, output = run(files)
        self.assertEqual(code, 1, output)
        for message in messages:
            self.assertIn(message, output)

    def passes(self, files):
        code, output = run(files)
        self.assertEqual(code, 0, output)

    def test_downwards_is_fine_also_transitively(self):
        self.passes({"src/sched/a.cc": '#include "sched/a.h"\n#include "events/e.h"\n'
                                       '#include "base/b.h"\n#include <vector>\n'
                                       "#include <jostle/jostle.h>\n"})

    def test_upwards_fails(self):
        self.fails({"src/base/x/b.h": '\n#  include "sched/a.h"\n'},
                   "src/base/x/b.h:2: 'base' must not include \"sched/a.h\"", "no other layer")

    def test_libraries_are_no_layers(self):
        self.fails({"src/events/e.cc": '#include "sched/a.h"\n'}, "it may use base")

    def test_unit_tests_are_held_to_the_same(self):
        self.fails({"src/events/e_test.cc": '#include "sched/a.h"\n'}, "src/events/e_test.cc:1")

    def test_relative_include_fails(self):
        self.fails({"src/base/b.cc": '#include "b.h"\n'}, 'like "base/name.h"')

    def test_cycle_fails(self):
        self.fails({"src/base/CMakeLists.txt": "jostle_layer(base DEPENDS sched)\n"},
                   "base -> sched -> events -> base")

    def test_undeclared_layer_fails(self):
        self.fails({"src/rogue/r.h": "\n"}, "src/rogue: CMakeLists.txt must declare")

    def test_unknown_dependency_fails(self):
        self.fails({"src/base/CMakeLists.txt": "jostle_layer(base DEPENDS nope)\n"},
                   "no layer 'nope'")

    def test_confined_header_fails(self):
        self.fails({"src/base/b.cc": "#include <CLI/CLI.hpp>\n"}, "only the layer 'cli'")

    def test_public_header_must_not_show_src(self):
        self.fails({"include/jostle/jostle.h": '#include "base/b.h"\n'}, "users do not have src/")


if __name__ == "__main__":
    unittest.main()
