#!/usr/bin/env python3
"""Tests of the jostle command: what it says, and every exit code.

usage: cli_test.py JOSTLE TARGET [unittest arguments]
"""

import os
import pathlib
import re
import resource
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest

JOSTLE, TARGET = (os.path.abspath(path) for path in sys.argv[1:3])
OK, FINDING, USAGE, INTERNAL, NOTHING, INCOMPLETE, DIVERGED = range(7)


class Cli(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="jostle cli:")  # a blank and a colon on purpose
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def command(self, *words, **options):
        options.setdefault("cwd", self.folder)
        return subprocess.run(words, capture_output=True, text=True, timeout=60, **options)

    def jostle(self, code, *words, **options):
        """Runs jostle, which must end with `code`; returns what it printed."""
        result = self.command(JOSTLE, *words, **options)
        self.assertEqual(result.returncode, code, f"{words}\n{result.stdout}\n{result.stderr}")
        if code not in (OK, FINDING):
            self.assertIn("jostle: error: ", result.stderr)
        return result.stdout + result.stderr

    def search(self, *arguments, **variables):
        """Lets the target find its bug; returns the path of the schedule."""
        result = self.command(TARGET, *arguments, env={**os.environ, **variables})
        self.assertEqual(result.returncode, 1, result.stderr)
        found = list((self.folder / ".jostle").glob("*.schedule"))
        self.assertEqual(len(found), 1, result.stderr)
        self.printed = result.stderr
        return found[0]

    def changed(self, path, pattern, replacement):
        """A copy of a schedule with a difference."""
        text, count = re.subn(pattern, replacement, path.read_text(), flags=re.MULTILINE)
        self.assertGreater(count, 0, pattern)
        copy = self.folder / "changed.schedule"
        copy.write_text(text)
        return copy

    def script(self, text):
        path = self.folder / "program.sh"
        path.write_text("#!/bin/sh\n" + text)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path

    # --- the command itself ---------------------------------------------------------------------

    def test_version_and_help(self):
        self.assertRegex(self.jostle(OK, "--version"), r"^jostle \d+\.\d+\.\d+\n$")
        text = self.jostle(OK, "--help")
        self.assertIn("c++ ", text)
        for verb in ("run", "check", "cover", "replay", "explain", "minimize", "db", "list", "doctor"):
            self.assertIn(verb, text)
            more = self.jostle(OK, verb, "--help")
            self.assertIn("jostle " + verb, more)
            self.assertEqual([line for line in more.splitlines() if len(line) > 80], [])
        self.assertEqual([line for line in text.splitlines() if len(line) > 80], [])
        self.assertIn("  --keep-going          go on", self.jostle(OK, "run", "--help"))

    def test_wrong_use(self):
        for words, message in (
                ([], "a verb is missing"),
                (["relpay"], "unknown verb 'relpay': did you mean 'replay'?"),
                (["xyzzy"], "unknown verb 'xyzzy' ('jostle --help' shows all)"),
                (["--versoin"], "unknown option '--versoin' of 'jostle': did you mean '--version'?"),
                (["minimize", "--outptu=x", "y"], "'--outptu' of 'minimize': did you mean '--output'?"),
                (["replay"], "FILE is required"),
                (["run", "--strategy=delay", "--", "true"], "strategy 'delay' is for test bodies only"),
                (["run", "--strategy=dfs", "--", "true"], "strategy 'dfs' is for test bodies only"),
                (["run", "--off", "--", "true"], "start the program without 'jostle'"),
                (["run", "--expect-exit=300", "--", "true"], "no program ends with more than 255"),
                (["run", "-j", "1000", "--", "true"], "is not a whole number from 1 to 256"),
                (["doctor", "now"], "'now' is one argument too many"),
                (["list"], "WHAT is required"),
                (["list", "startegies"], "did you mean 'strategies'?"),
                (["list", "xyzzy"], "strategies, priorities, dependencies, findings, options or exit-codes")):
            self.assertIn(message, self.jostle(USAGE, *words), words)

    def test_lists(self):
        self.assertIn("pct", self.jostle(OK, "list", "strategies"))
        self.assertIn("exit-code ", self.jostle(OK, "list", "findings"))
        self.assertIn("--weak-cas=N", self.jostle(OK, "list", "options"))
        codes = [line.split()[0] for line in self.jostle(OK, "list", "exit-codes").splitlines()]
        self.assertEqual(codes, list("0123456"))

    # --- replay ---------------------------------------------------------------------------------

    def test_reproduced(self):
        file = self.search()
        text = self.jostle(FINDING, "replay", str(file))
        self.assertIn("replay reproduced the assertion (exact)", text)
        self.assertIn("What matters:", text)

    def test_a_relative_path_is_enough(self):
        file = self.search()
        self.jostle(FINDING, "replay", os.path.relpath(file, self.folder))

    def test_the_printed_lines_replay(self):
        self.search()
        lines = re.search(r"^To replay it:\n(.*?)\n\n", self.printed, re.MULTILINE | re.DOTALL)
        self.assertTrue(lines, self.printed)
        result = self.command("sh", "-c", lines[1])
        self.assertEqual(result.returncode, 1)
        self.assertIn("replay reproduced the assertion (exact)", result.stdout)

    def test_arguments_are_recorded(self):
        file = self.search("my name", "2")
        self.assertIn('argument "my name"\nargument 2\n', file.read_text())
        self.jostle(FINDING, "replay", str(file))

    def test_more_arguments(self):
        program = self.script('printf "got %s\\n" "$@"\n')
        file = self.changed(self.search(), "^program .*", f'program "{program}"')
        self.assertIn("got --more\ngot x y\n", self.jostle(NOTHING, "replay", str(file), "--", "--more", "x y"))

    def test_settings_come_from_the_schedule(self):
        file = self.search(JOSTLE_PREEMPT="all", JOSTLE_BACKEND="threads", JOSTLE_EXECUTIONS="1000000")
        self.assertIn("(exact)", self.jostle(FINDING, "replay", str(file)))

    def test_followed_without_failure(self):
        file = self.changed(self.search(), "^@.*\n", "")
        file = self.changed(file, "^end .*", "end 0")
        self.assertIn("nothing failed (exact)", self.jostle(OK, "replay", str(file)))

    def test_another_build_is_best_effort(self):
        file = self.changed(self.search(), "^build-id .*", "build-id 00")
        self.assertIn("best effort", self.jostle(FINDING, "replay", str(file)))

    def test_diverged(self):
        file = self.changed(self.search(), r"^(@\d+ thread) \S+", r"\1 0.7")
        self.assertIn("diverged at decision", self.jostle(DIVERGED, "replay", str(file)))

    def test_schedule_longer_than_the_execution(self):
        file = self.changed(self.search(), r"(^@.*\n)*^@\d+ (.*\n)end .*", r"@100000 \2end 1")
        self.assertIn("ended before", self.jostle(DIVERGED, "replay", str(file)))

    def test_unusable_files(self):
        file = self.search()
        text = file.read_text()
        bad = self.folder / "bad.schedule"
        for content, message in (
                ("", "the file is empty"),
                ("\x7fELF", "not a Jostle schedule"),
                (text[:-6], "cut short"),
                (text.replace("jostle-schedule 1", "jostle-schedule 99"), "format 99"),
                (text.replace("preempt race", "preempt sometimes"), "sync, race, all"),
                (text + "more\n", "after the 'end' line")):
            bad.write_text(content)
            self.assertIn(message, self.jostle(USAGE, "replay", str(bad)))
        self.jostle(USAGE, "replay", str(self.folder / "missing.schedule"))
        self.jostle(USAGE, "replay", str(self.folder))
        self.jostle(USAGE, "replay", "/dev/null")

    def test_missing_and_broken_programs(self):
        file = self.search()

        def replay(code, program):
            return self.jostle(code, "replay", str(self.changed(file, "^program .*", f'program "{program}"')))

        self.assertIn("No such file", replay(INTERNAL, self.folder / "gone"))
        self.assertIn("Permission denied", replay(INTERNAL, self.folder))
        self.assertIn("code 7", replay(INTERNAL, self.script("exit 7\n")))
        self.assertIn("signal 9", replay(INTERNAL, self.script("kill -9 $$\n")))

    # The loader goes on without a library that it cannot load: one that is being written, say.
    def test_a_library_that_cannot_be_loaded(self):
        for name in ("bin", "lib"):
            (self.folder / name).mkdir()
        jostle = shutil.copy(JOSTLE, self.folder / "bin")
        (self.folder / "lib" / "libjostle_program.so").touch()
        for verb in ("run", "check", "cover"):
            result = self.command(jostle, verb, "-i", "3", "--", "/bin/true")
            self.assertEqual(result.returncode, NOTHING, result.stderr)
            self.assertIn("ran without Jostle", result.stderr)

    def test_foreign_program(self):
        file = self.changed(self.search(), "^program .*", "program /bin/true")
        self.assertIn("nothing was executed", self.jostle(NOTHING, "replay", str(file)))

    def test_unknown_test(self):
        file = self.changed(self.search(), "^test .*", "test Other.Name")
        self.assertIn("no run named 'Other.Name'", self.jostle(NOTHING, "replay", str(file)))

    # --- jostle.toml ----------------------------------------------------------------------------

    def configured(self, text, *arguments, **variables):
        (self.folder / "my.toml").write_text(text)
        environment = {**os.environ, "JOSTLE_CONFIG": "my.toml", "JOSTLE_VERBOSE": "1", **variables}
        return self.command(TARGET, *arguments, env=environment).stderr

    def test_config_of_a_run(self):
        text = 'output = "other"\n[program.cli_target]\nstrategy = "pct"\n[program.slow]\nexecutions = 1\n'
        self.configured(text)
        self.assertTrue(list((self.folder / "other").glob("counter-*.schedule")))
        # The name of the run is stronger than that of the program; the environment than both.
        self.assertIn("slow: 1 execution ", self.configured(text, "slow"))
        self.assertIn("slow: 2 executions ", self.configured(text, "slow", JOSTLE_EXECUTIONS="2",
                                                              JOSTLE_STRATEGY="round-robin"))
        # What the code says is stronger than the file.
        self.assertIn("jostle: counter: ", self.configured('name = "file"\n'))

    def test_config_with_mistakes(self):
        self.assertIn("jostle: error: my.toml:2: unknown key 'sede': did you mean 'seed'?",
                      self.configured("seed = 1\nsede = 2\n"))
        self.assertIn("cannot read 'gone.toml'", self.configured("", JOSTLE_CONFIG="gone.toml"))

    def test_config_must_be_named(self):
        (self.folder / "jostle.toml").write_text("nonsense")
        self.search()

    # --- minimize -------------------------------------------------------------------------------

    def steps(self, file):
        return int(re.search(r"^end (\d+)$", file.read_text(), re.MULTILINE)[1])

    def test_minimize(self):
        file = self.search("long", "3", JOSTLE_MINIMIZE="false", JOSTLE_STRATEGY="random")
        before = self.steps(file)
        shorter = self.folder / "shorter.schedule"
        self.jostle(OK, "minimize", str(file), "-o", str(shorter))
        self.assertEqual(self.steps(file), before)
        self.assertLess(self.steps(shorter), before)
        self.jostle(OK, "minimize", str(file))
        self.assertEqual(self.steps(file), self.steps(shorter))
        self.jostle(FINDING, "replay", str(file))
        self.assertIn("left as it is", self.jostle(OK, "minimize", str(file)))

    def test_nothing_to_minimize(self):
        file = self.changed(self.search(), "^@.*\n", "")
        file = self.changed(file, "^end .*", "end 0")
        self.assertIn("no failure to keep", self.jostle(INCOMPLETE, "minimize", str(file)))
        self.jostle(USAGE, "minimize", str(self.folder / "missing.schedule"))

    # --- doctor ---------------------------------------------------------------------------------

    def test_doctor(self):
        text = self.jostle(OK, "doctor")
        self.assertIn("Jostle works here", text)
        self.assertNotIn("BAD", text)

    def bad_doctor(self, **options):
        result = self.command(JOSTLE, "doctor", **options)
        self.assertEqual(result.returncode, INTERNAL, result.stdout)
        self.assertIn("Jostle cannot work here: 1 of", result.stdout)
        return result.stdout

    def test_doctor_without_compiler(self):
        self.assertIn("cure: sudo apt-get install g++", self.bad_doctor(env={"PATH": str(self.folder)}))

    def test_doctor_without_address_space(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))

        self.assertIn("cure: ulimit -v unlimited", self.bad_doctor(preexec_fn=limit))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
