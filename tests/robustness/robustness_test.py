#!/usr/bin/env python3
"""Runs that are interrupted, killed, out of disk space, or that never end by themselves.

Every program started here, and every process that it makes, holds the writing end of a pipe: when
the reading end is at its end, all of them are gone.

usage: robustness_test.py PROGRAM SUITE [JOSTLE] [unittest arguments]
"""

import os
import pathlib
import resource
import select
import signal
import stat
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM, SUITE = (os.path.abspath(path) for path in sys.argv[1:3])
HAS_JOSTLE = len(sys.argv) > 3 and os.path.exists(sys.argv[3])
JOSTLE = os.path.abspath(sys.argv[3]) if HAS_JOSTLE else None
REST = sys.argv[4:] if HAS_JOSTLE else sys.argv[3:]
PATIENCE = 60  # seconds; only a failing test waits for so long

# Ways in which a search uses processes.
SEARCHES = {
    "in process": {},
    "kernel threads": {"JOSTLE_BACKEND": "threads"},
    "workers": {"JOSTLE_JOBS": "2"},
    "fork": {"JOSTLE_ISOLATION": "fork"},
    "fork in parallel": {"JOSTLE_ISOLATION": "fork", "JOSTLE_JOBS": "2"},
    "delays": {"JOSTLE_STRATEGY": "delay"},
    "dfs": {"JOSTLE_STRATEGY": "dfs", "JOSTLE_PREEMPT": "all"},
}
FOR_EVER = {"JOSTLE_EXECUTIONS": "1000000000000"}


class Started:
    """A program under way."""

    def __init__(self, words, folder, variables, preexec=None):
        self.started, started = os.pipe()
        self.alive, alive = os.pipe()
        os.set_blocking(started, False)
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("JOSTLE_", "GTEST_"))}
        environment.update(variables, ROBUSTNESS_STARTED=str(started))
        self.stderr = tempfile.TemporaryFile("w+", errors="replace")
        self.stdout = tempfile.TemporaryFile("w+", errors="replace")
        self.process = subprocess.Popen(
            words, cwd=folder, env=environment, pass_fds=(started, alive), stdin=subprocess.DEVNULL,
            stdout=self.stdout, stderr=self.stderr, start_new_session=True, preexec_fn=preexec)
        os.close(started)
        os.close(alive)

    def wait_for_execution(self):
        """Until the body is being executed."""
        ready, _, _ = select.select([self.started], [], [], PATIENCE)
        if not ready or os.read(self.started, 1) != b"x":
            raise AssertionError("no execution began:\n" + self.said())

    def wait(self):
        try:
            return self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            raise AssertionError("it did not end:\n" + self.said()) from None

    def all_gone(self):
        """Whether every process that holds the pipe ends."""
        ready, _, _ = select.select([self.alive], [], [], PATIENCE)
        return bool(ready) and os.read(self.alive, 1) == b""

    def said(self):
        text = ""
        for file in (self.stdout, self.stderr):
            file.seek(0)
            text += file.read()
        return text

    def close(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        for fd in (self.started, self.alive):
            os.close(fd)
        self.stdout.close()
        self.stderr.close()


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="jostle-robustness-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.temporary = self.folder / "tmp"
        self.temporary.mkdir()
        self.addCleanup(self.make_writable)

    def make_writable(self):
        for path in self.folder.rglob("*"):
            if path.is_dir():
                path.chmod(stat.S_IRWXU)

    def start(self, body, variables=None, program=PROGRAM, words=None, **options):
        words = words or ([program, body] if program == PROGRAM else [program])
        variables = {"ROBUSTNESS_BODY": body, "TMPDIR": str(self.temporary), **(variables or {})}
        run = Started(words, self.folder, variables, **options)
        self.addCleanup(run.close)
        return run

    def nothing_left(self, run):
        self.assertTrue(run.all_gone(), "processes are left")
        self.assertEqual(list(self.temporary.iterdir()), [], "temporary files are left")


class Interrupted(Case):
    def interrupt(self, number, send, program, variables):
        run = self.start("correct", {**FOR_EVER, **variables}, program)
        run.wait_for_execution()
        send(run.process.pid, number)
        self.assertEqual(run.wait(), -number, run.said())
        self.assertRegex(run.said(), r"jostle: \S+: interrupted after \d+ executions?, nothing found\n")
        self.assertNotIn("the next test was run", run.said())
        self.nothing_left(run)

    def test_interrupted(self):
        for name, variables in SEARCHES.items():
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                # To the process alone, as `kill` does; to all, as a terminal does.
                for send in (os.kill, os.killpg):
                    with self.subTest(search=name, signal=number.name, send=send.__name__):
                        self.interrupt(number, send, PROGRAM, variables)

    def test_interrupted_in_googletest(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            for name in ("in process", "workers", "fork"):
                with self.subTest(search=name, signal=number.name):
                    self.interrupt(number, os.killpg, SUITE, SEARCHES[name])

    def test_said_twice(self):
        """`timeout` sends its signal to the process and to the group."""
        run = self.start("correct", FOR_EVER)
        run.wait_for_execution()
        os.kill(run.process.pid, signal.SIGTERM)
        os.killpg(run.process.pid, signal.SIGTERM)
        self.assertEqual(run.wait(), -signal.SIGTERM, run.said())
        self.assertIn("nothing found\n", run.said())
        self.nothing_left(run)

    def test_interrupted_after_a_race(self):
        """What was found is told."""
        run = self.start("race-and-search", FOR_EVER)
        run.wait_for_execution()
        # The first rounds are short: a race is known once the pipe has seen some of them.
        seen = 1
        while seen < 200:
            seen += len(os.read(run.started, 200 - seen))
        run.process.send_signal(signal.SIGINT)
        self.assertEqual(run.wait(), -signal.SIGINT, run.said())
        self.assertRegex(run.said(), r"interrupted after \d+ executions, 1 finding\n")
        self.assertIn("To replay it:", run.said())
        self.assertEqual(len(list((self.folder / ".jostle").glob("*.schedule"))), 1)
        self.nothing_left(run)

    def test_interrupted_in_an_endless_execution(self):
        for name in ("in process", "kernel threads", "workers", "fork", "delays"):
            with self.subTest(search=name):
                run = self.start("busy", {"JOSTLE_TIMEOUT": "1h", **SEARCHES[name]})
                run.wait_for_execution()
                run.process.send_signal(signal.SIGINT)
                self.assertEqual(run.wait(), -signal.SIGINT, run.said())
                self.assertIn("busy: interrupted after 0 executions, nothing found", run.said())
                self.nothing_left(run)

    def test_budget_ends_in_an_endless_execution(self):
        searches = {**SEARCHES, "check": {"JOSTLE_STRATEGY": "check"}, "cover": {"JOSTLE_STRATEGY": "cover"},
                    "check in parallel": {"JOSTLE_STRATEGY": "check", "JOSTLE_JOBS": "2"}}
        for body in ("busy", "counts"):
            for name, variables in searches.items():
                if body == "counts" and name.startswith(("dfs", "check")):
                    continue  # they tell that it only looks in vain
                with self.subTest(search=name, body=body):
                    run = self.start(body, {"JOSTLE_TIMEOUT": "1h", "JOSTLE_MAX_STEPS": "4000000000",
                                            "JOSTLE_BUDGET": "1s", "JOSTLE_MEMO": "none", **variables})
                    begin = time.monotonic()
                    self.assertEqual(run.wait(), 1, run.said())
                    self.assertLess(time.monotonic() - begin, 20)
                    self.assertIn("no execution came to its end: the budget of 1s ended inside the first "
                                  "one", run.said())
                    self.nothing_left(run)

    def test_signals_of_the_body_are_its_own(self):
        for name in ("workers", "fork"):
            with self.subTest(search=name):
                run = self.start("raises-sigterm", SEARCHES[name])
                self.assertEqual(run.wait(), 1, run.said())
                self.assertIn("crash: killed by signal 15", run.said())
                self.nothing_left(run)
        run = self.start("raises-sigterm")
        self.assertEqual(run.wait(), -signal.SIGTERM, run.said())
        self.assertTrue(run.all_gone())
        self.assertIn("the process died in execution 1", run.said())

    def test_ignored_stays_ignored(self):
        """As under nohup: the run goes on to its end."""
        run = self.start("correct", {"JOSTLE_EXECUTIONS": "2000", "JOSTLE_VERBOSE": "1"},
                         preexec=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        run.wait_for_execution()
        os.killpg(run.process.pid, signal.SIGHUP)
        self.assertEqual(run.wait(), 0, run.said())
        self.assertIn("2000 executions", run.said())
        self.nothing_left(run)

    @unittest.skipUnless(HAS_JOSTLE, "the jostle command was not built")
    def test_the_command(self):
        self.assertEqual(self.start("broken").wait(), 1)
        schedule = next((self.folder / ".jostle").glob("*.schedule"))
        text = schedule.read_text().replace("broken", "busy")
        schedule.write_text(text)
        for verb, number in (("replay", signal.SIGINT), ("minimize", signal.SIGTERM)):
            for send in (os.kill, os.killpg):
                with self.subTest(verb=verb, signal=number.name, send=send.__name__):
                    run = self.start("", {"JOSTLE_TIMEOUT": "1h"}, words=[JOSTLE, verb, schedule])
                    run.wait_for_execution()
                    self.assertNotEqual(list(self.temporary.iterdir()), [])
                    send(run.process.pid, number)
                    self.assertEqual(run.wait(), -number, run.said())
                    self.nothing_left(run)


class Killed(Case):
    def test_killed(self):
        for body in ("correct", "busy"):
            for name, variables in SEARCHES.items():
                if body == "busy" and name == "dfs":
                    continue
                with self.subTest(search=name, body=body):
                    run = self.start(body, {**FOR_EVER, "JOSTLE_TIMEOUT": "1h", **variables})
                    run.wait_for_execution()
                    run.process.kill()
                    self.assertEqual(run.wait(), -signal.SIGKILL)
                    self.nothing_left(run)


class NowhereToWriteTo(Case):
    def unsaved(self, run, reason):
        """The finding is told in full, and that its schedule could not be saved."""
        self.assertEqual(run.wait(), 1, run.said())
        text = run.said()
        self.assertIn("assertion: assertion `n == 2` failed", text)
        self.assertIn("━━", text)
        self.assertRegex(text, r"the schedule could not be saved: .*" + reason)
        self.assertRegex(text, r"JOSTLE_OUTPUT=DIRECTORY")
        self.assertNotIn("To replay it:", text)
        self.nothing_left(run)

    def test_disk_full(self):
        """A limit on the size of files takes the part of the disk."""
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
        result = subprocess.run([PROGRAM, "broken"], cwd=self.folder, capture_output=True, text=True,
                                preexec_fn=limit,  # output to a pipe does not count
                                timeout=PATIENCE, env={"PATH": os.environ["PATH"]})
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("assertion: assertion `n == 2` failed", result.stderr)
        self.assertRegex(result.stderr, r"could not be saved: cannot write .*: File too large")
        self.assertEqual(list((self.folder / ".jostle").iterdir()), [], "half a file is left")

    def test_directory_read_only(self):
        (self.folder / ".jostle").mkdir()
        (self.folder / ".jostle").chmod(0o555)
        self.folder.chmod(0o755)
        # root may write everywhere: then as somebody else.
        other = (lambda: os.setuid(65534)) if os.geteuid() == 0 else None
        self.unsaved(self.start("broken", preexec=other), "Permission denied")

    def test_output_cannot_be_a_directory(self):
        for output, reason in (("/dev/full", "Not a directory"), ("file", "Not a directory"),
                               ("/proc/nowhere", "No such file or directory")):
            (self.folder / "file").touch()
            with self.subTest(output=output):
                self.unsaved(self.start("broken", {"JOSTLE_OUTPUT": output}), reason)
        self.assertEqual((self.folder / "file").read_bytes(), b"")

    def test_output_of_the_program_on_a_full_disk(self):
        """Nobody can read the report; the exit code still tells."""
        with open("/dev/full", "w") as full:
            result = subprocess.run([PROGRAM, "broken"], cwd=self.folder, stdout=full, stderr=full,
                                    timeout=PATIENCE, env={"PATH": os.environ["PATH"]})
        self.assertEqual(result.returncode, 1)
        self.assertEqual(len(list((self.folder / ".jostle").glob("*.schedule"))), 1)


class Forks(Case):
    def test_processes_of_a_body_end_with_its_execution(self):
        for name in ("in process", "workers", "fork"):
            with self.subTest(search=name):
                run = self.start("forks", {**SEARCHES[name], "JOSTLE_EXECUTIONS": "50"})
                self.assertEqual(run.wait(), 0, run.said())
                self.assertTrue(run.all_gone(), "processes are left")


class WithoutEnd(Case):
    def endless(self, body, variables=None, verdict="timeout: no"):
        for name in ("in process", "kernel threads", "workers", "fork"):
            with self.subTest(search=name):
                run = self.start(body, {"JOSTLE_TIMEOUT": "250ms", **SEARCHES[name], **(variables or {})},
                                 SUITE)
                self.assertEqual(run.wait(), 1, run.said()[-2000:])
                text = run.said()
                self.assertIn(verdict, text)
                self.assertIn("1 finding in 1 execution", text)
                self.assertIn("the next test was run", text)
                self.nothing_left(run)

    def test_loop_unseen(self):
        self.endless("busy")

    def test_loop_unseen_in_a_thread(self):
        self.endless("busy-thread")

    def test_loop_with_signals_blocked(self):
        self.endless("busy-signals-blocked")

    def test_prints_without_end(self):
        """Half-way through a puts: later output of the test framework must not wait for its lock."""
        self.endless("prints", {"JOSTLE_PRINTED": "0"})

    def test_prints_more_than_it_may(self):
        self.endless("prints", verdict="the program printed more than 16 MB")

    def test_writes_without_end(self):
        self.endless("prints-unseen")

    def test_prints_numbers_without_end(self):
        self.endless("prints-numbers")

    def test_asks_the_kernel_without_end(self):
        self.endless("asks-the-kernel")

    def test_allocates_without_end(self):
        self.endless("allocates")

    def test_asks_for_the_time_without_end(self):
        self.endless("clock")

    def test_waits_for_input(self):
        """From a pipe that nobody else has."""
        self.endless("reads", verdict="waits to read from descriptor")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + REST)
