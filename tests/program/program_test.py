#!/usr/bin/env python3
"""Tests of whole programs: jostle run, replay and minimize.

usage: program_test.py JOSTLE BUILD SOURCES [unittest arguments]

BUILD has the programs of the folder SOURCES twice: plain/ as any compiler makes them, seen/ as
'jostle cc' does.
"""

import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest
import uuid
import xml.etree.ElementTree

JOSTLE = os.path.abspath(sys.argv[1])
BUILD, SOURCES = (pathlib.Path(path).resolve() for path in sys.argv[2:4])
OK, FINDING, USAGE, INTERNAL, NOTHING, INCOMPLETE, DIVERGED = range(7)
PATIENCE = 60  # seconds; only what hangs takes so long


def plain(name):
    return str(BUILD / "plain" / name)


def seen(name):
    return str(BUILD / "seen" / name)


def marked_processes(mark):
    """Processes, zombies aside, that were started with `mark` in their environment."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        with contextlib.suppress(OSError):
            if mark.encode() in (entry / "environ").read_bytes():
                command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                found.append(f"{entry.name}: {command}")
    return found


class Case(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        # A blank and a colon on purpose.
        folder = tempfile.TemporaryDirectory(prefix="jostle program:")
        self.addCleanup(folder.cleanup)
        top = pathlib.Path(folder.name).resolve()
        self.folder, self.scratch = top / "work", top / "tmp"
        self.folder.mkdir()
        self.scratch.mkdir()
        self.mark = "MARK_PROCESS=" + uuid.uuid4().hex
        self.addCleanup(self.nothing_is_left)

    def nothing_is_left(self):
        self.await_no_process()
        self.assertEqual(list(self.scratch.iterdir()), [], "temporary files are left")

    def await_no_process(self):
        """What was killed may take a moment to go."""
        deadline = time.monotonic() + 20
        while (left := marked_processes(self.mark)) and time.monotonic() < deadline:
            time.sleep(0.02)
        self.assertEqual(left, [])

    def environment(self, **more):
        clean = {k: v for k, v in os.environ.items() if not k.startswith("JOSTLE_")}
        name, value = self.mark.split("=")
        return clean | {name: value, "TMPDIR": str(self.scratch)} | more

    def start(self, *words, env=(), **options):
        options.setdefault("cwd", self.folder)
        if "input" not in options:
            options.setdefault("stdin", subprocess.DEVNULL)
        return subprocess.Popen([str(w) for w in words], text=True, start_new_session=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, errors="replace",
                                env=self.environment(**dict(env)), **options)

    def command(self, *words, input=None, **options):
        if input is not None:
            options["stdin"] = subprocess.PIPE
        process = self.start(*words, **options)
        try:
            out, err = process.communicate(input, timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            self.fail(f"hangs: {words}\n{out}\n{err}")
        return subprocess.CompletedProcess(words, process.returncode, out, err)

    def jostle(self, code, *words, **options):
        """Runs jostle, which must end with `code`; returns what it printed."""
        result = self.command(JOSTLE, *words, **options)
        self.assertEqual(result.returncode, code, f"{words}\n{result.stdout}\n{result.stderr}")
        if code not in (OK, FINDING) and words[0] != "check" or code == USAGE:
            self.assertIn("jostle: error: ", result.stderr)
        self.assertNotIn("internal error", result.stderr)
        return result.stdout + result.stderr

    def run_program(self, code, *words, options=("-i", "1000"), **others):
        return self.jostle(code, "run", *options, "--", *words, **others)

    def finds(self, kind, *words, options=("-i", "1000"), **others):
        """A run that must find one thing, of this kind; its JSON is kept in self.found."""
        text = self.run_program(FINDING, *words, options=(*options, "--json", "result.json"), **others)
        self.result = json.loads((self.folder / "result.json").read_text())
        self.found = self.result["findings"][0]
        self.assertEqual(self.found["kind"], kind, text)
        return text

    def schedules(self):
        return sorted((self.folder / ".jostle").rglob("*.schedule"))

    def schedule(self):
        found = self.schedules()
        self.assertEqual(len(found), 1, found)
        return found[0]

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def compile(self, output, source, compiler=("cc",)):
        """Quickly, from a text or from one of the sources."""
        if "\n" in source:
            source = self.write("source.c", source)
        else:
            source = SOURCES / source
        # The real compiler may need its temporary files; they are gone at the end.
        result = self.command(*compiler, "-g", "-O1", "-pthread", source, "-o", self.folder / output)
        self.assertEqual(result.returncode, 0, result.stderr)
        return self.folder / output


# --- what is found ----------------------------------------------------------------------------------


class Findings(Case):
    def check(self, name, kind, message, *options, ways=(plain, seen)):
        for path in ways:
            with self.subTest(program=path("findings")):
                shutil.rmtree(self.folder / ".jostle", ignore_errors=True)
                text = self.finds(kind, path("findings"), name, options=("-i", "2000", *options))
                self.assertRegex(text, message)
                self.assertTrue(self.found["confirmed"], text)
                self.assertIn("1 finding in", text)
                self.assertIn("jostle replay ", text)
                again = self.jostle(FINDING, "replay", self.schedule())
                self.assertIn(f"replay reproduced the {kind} (exact)", again)
                self.assertRegex(again, message)
                if path is plain:
                    self.assertIn("not controlled: memory accesses", text)
                else:
                    self.assertNotIn("not controlled", text)

    def test_assertion(self):
        self.check("assertion", "assertion", r"assertion `balance == 2` failed")
        self.assertEqual(self.found["function"], "main")
        self.assertEqual(pathlib.Path(self.found["file"]).name, "findings.c")
        self.assertGreater(self.found["line"], 1)

    def test_abort(self):
        self.check("abort", "assertion", r"abort\(\) was called")

    def test_crash(self):
        self.check("crash", "crash", r"segmentation fault \(SIGSEGV\): null pointer")
        self.assertEqual(self.found["function"], "use_pointer")

    def test_deadlock(self):
        self.check("deadlock", "deadlock", r"(?s)lock_one_way.*lock_other_way|lock_other_way.*lock_one_way")

    def test_deadlock_inside_the_library(self):
        # Without inlining, it is functions of the library that wait.
        program = self.compile("program", textwrap.dedent("""\
            #include <mutex>
            #include <thread>
            static std::mutex one, other;
            static void this_way() { one.lock(); other.lock(); other.unlock(); one.unlock(); }
            static void that_way() { other.lock(); one.lock(); one.unlock(); other.unlock(); }
            int main() {
              std::thread thread(this_way);
              that_way();
              thread.join();
            }
            """), (JOSTLE, "c++", "-fno-inline"))
        text = self.finds("deadlock", program)
        self.assertIn("waits for one at source.c:5", text)
        self.assertIn("waits for other at source.c:4", text)
        self.assertNotIn("gthr-default.h", text)
        self.assertEqual((pathlib.Path(self.found["file"]).name, self.found["line"]), ("source.c", 5))
        self.assertRegex(self.found["fingerprint"], r"^deadlock\|that_way@source.c: .*\|this_way@source.c: ")

    def test_lost_wakeup(self):
        self.check("lost-wakeup", "deadlock", r"wait_for_flag")

    def test_livelock(self):
        # Where writes are not seen, a thread may count its turns, and nothing is claimed.
        self.check("livelock", "livelock", r"spin_for_flag|flag_now", ways=(seen,))

    def test_misuse(self):
        self.check("misuse", "misuse", r"unlock_what_another_holds")

    def test_exit_code(self):
        self.check("exit-code", "exit-code", r"exit code 7")

    def test_timeout(self):
        self.check("timeout", "timeout", r"no step for 0.5 seconds", "--timeout", "0.5s")
        self.assertEqual(self.found["function"], "loop_if_interrupted")

    def test_freed_in_a_library(self):
        """The one of C++ calls free() for it: the report says where in the program."""
        for path in (plain, seen):
            with self.subTest(program=path("containers")):
                text = self.finds("heap", path("containers"), options=("-i", "2000"))
                self.assertRegex(text, r"freed by T\d at containers.cc:\d+\n +drop  containers.cc:\d+")

    def test_files_that_stay(self):
        """A program that fails because of what an earlier execution has left: the report says so."""
        program = self.compile("keeps", """
            #include <fcntl.h>
            #include <sys/stat.h>
            #include <unistd.h>
            int main(void) {
              const int fd = open("data", O_CREAT | O_APPEND | O_WRONLY, 0600);
              struct stat st;
              return write(fd, "x", 1) != 1 || fstat(fd, &st) != 0 || st.st_size != 1;
            }
            """)
        text = self.finds("exit-code", program, options=("-i", "10"))
        self.assertIn("--prepare and --cleanup are commands that put them back", text)
        shutil.rmtree(self.folder / ".jostle")
        text = self.run_program(OK, program, options=("-i", "10", "--prepare", "rm -f data"))
        self.assertNotIn("--prepare", text)
        # Nothing is left by this one.
        self.assertNotIn("--prepare", self.finds("exit-code", plain("findings"), "exit-code"))

    def test_words_for_pipes(self):
        text = self.finds("exit-code", self.compile("pipes", """
            #include <pthread.h>
            #include <unistd.h>
            static int ends[2];
            static void* put(void* what) {
              return write(ends[1], what, 1) == 1 && write(ends[1], what, 1) == 1 ? 0 : what;
            }
            int main(void) {
              if (pipe(ends) != 0) return 2;
              pthread_t a, b;
              pthread_create(&a, 0, put, "a");
              pthread_create(&b, 0, put, "b");
              char text[4];
              for (int i = 0; i < 4; ++i)
                if (read(ends[0], text + i, 1) != 1) return 2;
              pthread_join(a, 0);
              pthread_join(b, 0);
              return text[0] != text[1];
            }
            """))
        self.assertIn("write to stream[1]", text)
        self.assertIn("read from stream[1]", text)
        self.assertNotIn("point stream", text)

    def test_double_free(self):
        self.check("double-free", "heap", r"free_if_not_yet")

    def test_exception(self):
        for path in (plain, seen):
            text = self.finds("exception", path("exception"))
            self.assertIn("uncaught exception of type std::out_of_range: nothing is left", text)
            self.assertIn("nothing found", self.run_program(OK, path("exception"), "caught"))

    def test_correct(self):
        for path in (plain, seen):
            self.assertIn("1000 executions", self.run_program(OK, path("findings"), "correct"))
        self.assertEqual(self.schedules(), [])

    def test_use_after_free(self):
        text = self.finds("heap", seen("findings"), "use-after-free")
        self.assertIn("write_to_pointer", text)
        # Nobody sees the access in the unmodified binary.
        self.run_program(OK, plain("findings"), "use-after-free", options=("-i", "200"))

    def test_a_race_does_not_end_the_run(self):
        text = self.finds("race", seen("findings"), "race", options=("-i", "500"))
        self.assertIn("1 finding in 500 executions", text)
        text = self.finds("race", seen("findings"), "race", options=("-i", "500", "--stop-on", "race"))
        self.assertLess(self.result["executions"], 500, text)
        self.run_program(OK, plain("findings"), "race", options=("-i", "200"))
        self.run_program(OK, seen("findings"), "race", options=("-i", "200", "--races=false"))

    def test_a_race_and_what_it_causes(self):
        text = self.finds("assertion", seen("findings"), "race-and-assertion")
        self.assertEqual([f["kind"] for f in self.result["findings"]], ["assertion", "race"])
        self.assertIn("2 findings", text)

    def test_keep_going(self):
        self.finds("assertion", plain("findings"), "two", options=("-i", "1000"))
        self.assertEqual(len(self.result["findings"]), 1)
        self.finds("assertion", plain("findings"), "two", options=("-i", "1000", "--keep-going"))
        self.assertEqual(sorted(f["kind"] for f in self.result["findings"]), ["assertion", "crash"])
        self.assertEqual(self.result["executions"], 1000)

    def test_in_fork_and_with_two_processes(self):
        for options in (("--isolation", "fork"), ("-j", "2")):
            for name, kind in (("assertion", "assertion"), ("crash", "crash"), ("deadlock", "deadlock"),
                               ("exit-code", "exit-code")):
                self.finds(kind, plain("findings"), name, options=("-i", "300", *options))
                self.assertTrue(self.found["confirmed"])


# --- what reaches the program, and what comes back ----------------------------------------------------


class Surroundings(Case):
    def echoes(self, expected, *words, options=(), **others):
        """Twenty executions that all print `expected`."""
        self.write("expected", expected)
        for isolation in ("snapshot", "fork"):
            self.run_program(OK, *words, options=("-i", "20", "--expect-stdout", "expected",
                                                  "--isolation", isolation, *options), **others)

    def test_arguments(self):
        words = ["plain", "two words", "--option", "-i", "", "ümläut", "a'b\"c", "--"]
        expected = "".join(f"argument '{w}'\n" for w in words) + "input ends\n"
        self.echoes(expected, plain("echo"), *words)
        self.echoes(expected, seen("echo"), *words)

    def test_environment(self):
        for path in (plain, seen):
            self.echoes("variable ECHO_ONE=1 and more\ninput ends\n", path("echo"),
                        env={"ECHO_ONE": "1 and more"})

    def test_nothing_of_jostle_in_the_environment(self):
        # For children neither.
        expected = "variable ECHO_CHILD=1\ninput ends\n"
        for program in (plain("echo"), seen("echo")):
            self.write("expected", expected)
            self.jostle(OK, "run", "-i", "5", "--expect-stdout", "expected", "--", program,
                        env={"ECHO_CHILD": "1"})
        # The user's own LD_PRELOAD is the program's.
        library = BUILD / "plain" / "nowhere.so"
        result = self.command(plain("echo"), env={"LD_PRELOAD": str(library)})
        self.write("expected", result.stdout)
        self.assertIn(f"LD_PRELOAD={library}", result.stdout)
        self.jostle(OK, "run", "-i", "5", "--expect-stdout", "expected", "--", plain("echo"),
                    env={"LD_PRELOAD": str(library)})

    def test_input(self):
        text = "one\ntwo\nthree"
        expected = "input one\ninput two\ninput threeinput ends\n"
        file = self.write("input", text)
        with open(file) as stdin:
            self.echoes(expected, plain("echo"), stdin=stdin)
        with open(file) as stdin:
            self.echoes(expected, seen("echo"), stdin=stdin)
        self.echoes(expected, plain("echo"), input=text)
        self.echoes("input ends\n", plain("echo"), stdin=subprocess.DEVNULL)
        # Much more than a pipe holds.
        lines = [f"line {i}\n" for i in range(20000)]
        self.echoes("".join("input " + l for l in lines) + "input ends\n",
                    plain("echo"), input="".join(lines))

    def test_closed_input(self):
        self.jostle(OK, "run", "-i", "5", "--", plain("echo"), preexec_fn=lambda: os.close(0))

    def test_input_of_a_finding_is_used_by_replay(self):
        file = self.write("input", "wrong\n")
        with open(file) as stdin:
            self.finds("assertion", plain("echo"), options=("-i", "5", "--expect-stdout", "input"),
                       stdin=stdin)
        text = self.jostle(FINDING, "replay", self.schedule())
        self.assertIn("reproduced", text)
        self.assertIn("input wrong", text)

    def test_expected_exit(self):
        self.run_program(OK, plain("findings"), "exit", "5", options=("-i", "10", "--expect-exit", "5"))
        self.finds("exit-code", plain("findings"), "exit", "5", options=("-i", "10"))
        self.finds("exit-code", plain("findings"), "exit", "5", options=("-i", "10", "--expect-exit", "6"))
        self.finds("exit-code", plain("findings"), "exit", "0", options=("-i", "10", "--expect-exit", "6"))
        self.assertIn("exit code 0", self.found["message"])

    def test_expected_output(self):
        right = self.write("right", "first\nbalance 2\nlast\n")
        for path in (plain, seen):
            text = self.finds("assertion", path("findings"), "output",
                              options=("-i", "500", "--expect-stdout", right))
            self.assertIn("in line 2: 'balance 1' instead of 'balance 2'", self.found["message"])
            self.assertIn("  first\n  balance 1\n  last\n", text)
            self.assertTrue(self.found["confirmed"])
            self.assertIn("balance 1", self.jostle(FINDING, "replay", self.found["schedule"]))
        self.write("longer", "first\nbalance 2\nlast\nmore\n")
        text = self.finds("assertion", plain("findings"), "output", options=("-i", "9", "--expect-stdout", "longer"))
        self.assertIn("the end", self.found["message"])
        self.write("empty", "")
        self.finds("assertion", plain("findings"), "output", options=("-i", "9", "--expect-stdout", "empty"))

    def test_expected_output_of_a_program_that_goes_elsewhere(self):
        self.write("relative", "argument 'cd'\ninput ends\n")
        self.run_program(OK, plain("echo"), "cd", options=("-i", "50", "--expect-stdout", "relative"))
        self.write("other", "something\n")
        text = self.finds("assertion", plain("echo"), "cd", options=("-i", "5", "--expect-stdout", "other"))
        self.assertIn(str(self.folder / ".jostle"), str(self.schedule()))
        self.assertIn("reproduced", self.jostle(FINDING, "replay", self.schedule()))
        self.assertIn("reproduced", self.jostle(FINDING, "replay", self.schedule(), cwd="/"))

    def test_output_of_the_failing_execution_only(self):
        text = self.finds("assertion", plain("findings"), "assertion", "loud")
        self.assertEqual(text.count("\n  this is assertion\n"), 1, text)
        self.assertEqual(text.count("and this on the other stream"), 1)
        self.assertNotIn("this is", self.run_program(OK, plain("findings"), "correct", "loud"))

    def test_prepare_and_cleanup(self):
        for isolation in ("snapshot", "fork"):
            for log in self.folder.glob("log*"):
                log.unlink()
            self.run_program(OK, plain("findings"), "correct",
                             options=("-i", "20", "--isolation", isolation, "--prepare", "echo p >> log",
                                      "--cleanup", "echo c >> log"))
            # Two more: at the end one schedule is executed twice, and compared.
            self.assertEqual((self.folder / "log").read_text(), "p\nc\n" * 22)

    def test_cleanup_after_a_failure(self):
        self.finds("crash", plain("findings"), "crash",
                   options=("-i", "500", "--prepare", "echo p >> log", "--cleanup", "echo c >> log"))
        self.assertRegex((self.folder / "log").read_text(), r"\A(p\nc\n)+\Z")

    def test_a_program_in_the_path(self):
        self.assertIn("nothing found", self.run_program(OK, "true", options=("-i", "5")))
        with tempfile.TemporaryDirectory(prefix="jostle-path-") as path:
            os.symlink(plain("findings"), path + "/my-findings")
            self.assertIn("nothing found", self.run_program(
                OK, "my-findings", "correct", options=("-i", "5"), env={"PATH": f"{path}:{os.environ['PATH']}"}))

    def test_ways_to_end(self):
        for way in ("return", "exit", "exit-in-a-handler", "wide", "without-buffer", "own-buffer", "closed"):
            native = self.command(plain("ends"), way)
            self.write("expected", native.stdout)
            for path in (plain, seen):
                with self.subTest(way=way, program=path("ends")):
                    self.run_program(OK, path("ends"), way, options=(
                        "-i", "20", "--expect-exit", native.returncode, "--expect-stdout", "expected"))


# --- replay and minimize ----------------------------------------------------------------------------

COUNTER = """
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int balance;
static void* deposit(void* unused) {
  pthread_mutex_lock(&mutex);
  int seen = balance;
  pthread_mutex_unlock(&mutex);
  // here
  pthread_mutex_lock(&mutex);
  balance = seen + 1;
  pthread_mutex_unlock(&mutex);
  return unused;
}
int main(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], 0, deposit, 0);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], 0);
  assert(balance == 3);
  return 0;
}
"""


class Replaying(Case):
    def test_what_was_asked_for_can_be_piped(self):
        """Reports go to standard output, whatever else there is to say elsewhere."""
        run = self.command(JOSTLE, "run", "-i", "1000", "--json", "/proc/nowhere", "--", plain("findings"), "assertion")
        self.assertRegex(run.stdout, r"(?s)assertion `balance == 2` failed.*1 finding in")
        self.assertRegex(run.stderr, r"^jostle: error: cannot .*\n$")
        for verb in ("replay", "explain"):
            result = self.command(JOSTLE, verb, self.schedule())
            self.assertEqual(result.returncode, FINDING)
            self.assertEqual(result.stderr, "")
            self.assertIn("assertion `balance == 2` failed", result.stdout)
        # The reader may leave early.
        result = self.command("sh", "-c", f"('{JOSTLE}' replay '{self.schedule()}'; echo $? >code) | true")
        self.assertEqual((self.folder / "code").read_text(), f"{FINDING}\n", result.stderr)

    def test_after_a_rebuild(self):
        for compiler in (("cc",), (JOSTLE, "cc")):
            shutil.rmtree(self.folder / ".jostle", ignore_errors=True)
            program = self.compile("counter", COUNTER, compiler)
            self.finds("assertion", program)
            self.compile("counter", COUNTER.replace("// here", "// here\n  // and one line more\n\n"), compiler)
            text = self.jostle(FINDING, "replay", self.schedule())
            self.assertIn("reproduced the assertion (best effort", text)
            # Without the bug there is nothing to find, however well the schedule can be followed.
            fixed = COUNTER.replace("seen = balance", "seen = 0").replace("balance = seen + 1", "++balance")
            self.compile("counter", fixed, compiler)
            self.assertIn("nothing failed", self.jostle(OK, "replay", self.schedule()))

    def test_a_deadlock_after_a_rebuild(self):
        """Who was interrupted never comes to do what it was about to: that names the place all the same."""
        source = """
            #include <pthread.h>
            static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
            static void* work(void* p) {
              pthread_mutex_lock(&a);
              pthread_mutex_lock(&b);
              pthread_mutex_unlock(&b);
              pthread_mutex_unlock(&a);
              return p;
            }
            int main(void) {
              pthread_t t;
              pthread_create(&t, 0, work, 0);
              pthread_mutex_lock(&b);
              pthread_mutex_lock(&a);
              pthread_mutex_unlock(&a);
              pthread_mutex_unlock(&b);
              return pthread_join(t, 0);
            }
            """
        for compiler in (("cc",), (JOSTLE, "cc")):
            shutil.rmtree(self.folder / ".jostle", ignore_errors=True)
            program = self.compile("locks", source, compiler)
            self.finds("deadlock", program)
            self.compile("locks", source + "int more(int x) { return x + 1; }\n", compiler)
            text = self.jostle(FINDING, "replay", self.schedule())
            self.assertIn("reproduced the deadlock (best effort", text)

    def test_another_program(self):
        program = self.compile("counter", COUNTER)
        self.finds("assertion", program)
        shutil.copy(plain("exception"), program)
        result = self.command(JOSTLE, "replay", self.schedule())
        self.assertIn(result.returncode, (OK, DIVERGED), result.stderr)
        self.assertRegex(result.stdout + result.stderr, "best effort|could not be followed")
        shutil.copy("/bin/true", program)
        text = self.jostle(DIVERGED, "replay", self.schedule())
        self.assertIn("the schedule could not be followed", text)

    def test_program_is_gone(self):
        program = self.compile("counter", COUNTER)
        self.finds("assertion", program)
        file = self.schedule()
        program.unlink()
        self.assertIn("No such file", self.jostle(INTERNAL, "replay", file))
        program.mkdir()
        self.assertIn("is a directory", self.jostle(INTERNAL, "replay", file))

    def changed(self, pattern, replacement):
        text, count = re.subn(pattern, replacement, self.schedule().read_text(), flags=re.MULTILINE)
        self.assertGreater(count, 0, pattern)
        return self.write("changed.schedule", text)

    def test_in_the_directory_of_the_run(self):
        source = "#include <unistd.h>\nint main(void) { return access(\"here\", F_OK) == 0; }"
        program = self.compile("directory", source)
        self.write("here", "")
        self.finds("exit-code", program, options=("-i", "1"))
        [schedule] = (self.folder / ".jostle").rglob("*.schedule")
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()
        for verb in ("replay", "explain"):
            replayed = self.command(JOSTLE, verb, schedule, cwd=elsewhere)
            self.assertEqual(replayed.returncode, FINDING, replayed.stderr)
        self.assertEqual(list(elsewhere.iterdir()), [])
        gone = re.sub(r"(?m)^directory .*$", "directory /not/there", schedule.read_text())
        moved = self.write("moved.schedule", gone)
        replayed = self.command(JOSTLE, "replay", moved, cwd=elsewhere)
        self.assertEqual(replayed.returncode, OK, replayed.stderr)
        self.assertIn("the run was made in '/not/there', which is not there", replayed.stderr)

    def test_diverged(self):
        self.finds("assertion", plain("findings"), "assertion")
        file = self.changed(r"^(@\d+ thread) \S+", r"\1 0.7")
        self.assertIn("diverged at decision", self.jostle(DIVERGED, "replay", file))

    def test_damaged(self):
        self.finds("assertion", plain("findings"), "assertion")
        text = self.schedule().read_text()
        for content, message in (
                ("", "the file is empty"),
                ("\x7fELF", "not a Jostle schedule"),
                (text[:-6], "cut short"),
                (text.replace("jostle-schedule 1", "jostle-schedule 99"), "format 99"),
                (text + "more\n", "after the 'end' line")):
            self.assertIn(message, self.jostle(USAGE, "replay", self.write("bad", content)))
            self.assertIn(message, self.jostle(USAGE, "minimize", self.write("bad", content)))
            self.assertIn(message, self.run_program(USAGE, plain("findings"), "assertion",
                                                    options=("--replay", "bad")))

    def test_unreadable(self):
        self.finds("assertion", plain("findings"), "assertion")
        file = self.schedule()
        as_user = []
        if os.geteuid() == 0:  # may read everything, but for what belongs to nobody in a namespace
            if self.command("unshare", "-r", "true").returncode != 0:
                self.skipTest("needs user namespaces, or a user that is not root")
            os.chown(file, 12345, 12345)
            as_user = ["unshare", "-r"]
        file.chmod(0)
        result = self.command(*as_user, JOSTLE, "replay", file)
        self.assertEqual(result.returncode, USAGE, result.stderr)
        self.assertIn("Permission denied", result.stderr)

    def test_the_printed_command(self):
        text = self.finds("assertion", plain("findings"), "assertion", "two words")
        line = re.search(r"^To replay it:\n *(.*)$", text, re.MULTILINE)[1]
        line = line.replace("jostle ", f"'{JOSTLE}' ", 1)
        result = self.command("sh", "-c", line)
        self.assertEqual(result.returncode, FINDING, line + result.stderr)
        self.assertIn("replay reproduced the assertion (exact)", result.stdout)

    def test_prints_the_same(self):
        text = self.finds("assertion", seen("findings"), "assertion")
        again = self.jostle(FINDING, "replay", self.schedule())
        steps = [line for line in text.splitlines() if re.match(r" *\d+ +", line)]
        self.assertGreater(len(steps), 4)
        for line in steps:
            self.assertIn(line, again)

    def steps(self, file):
        return len(re.findall(r"^@", file.read_text(), re.MULTILINE))

    def test_minimize(self):
        for path in (plain, seen):
            shutil.rmtree(self.folder / ".jostle", ignore_errors=True)
            self.finds("exit-code", path("order"), "21", "3", "4",
                       options=("-i", "1000", "--minimize=false", "--strategy", "random"))
            file = self.schedule()
            before = self.steps(file)
            shorter = self.folder / "shorter"
            self.jostle(OK, "minimize", file, "-o", shorter)
            self.assertEqual(self.steps(file), before)
            self.assertLess(self.steps(shorter), before)
            self.jostle(OK, "minimize", file)
            self.assertEqual(self.steps(file), self.steps(shorter))
            self.assertIn("(exact)", self.jostle(FINDING, "replay", file))

    def test_every_kind_is_minimized(self):
        for name in ("crash", "deadlock", "misuse", "double-free", "exit-code"):
            shutil.rmtree(self.folder / ".jostle", ignore_errors=True)
            self.finds(self_kind(name), plain("findings"), name, options=("-i", "1000", "--minimize=false"))
            self.jostle(OK, "minimize", self.schedule())
            self.assertIn("(exact)", self.jostle(FINDING, "replay", self.schedule()))

    def test_fixed_program_has_nothing_to_minimize(self):
        program = self.compile("counter", COUNTER)
        self.finds("assertion", program)
        self.compile("counter", COUNTER.replace("assert(balance == 3)", "assert(balance)"))
        self.assertIn("no failure to keep", self.jostle(INCOMPLETE, "minimize", self.schedule()))


def self_kind(name):
    return {"double-free": "heap"}.get(name, name)


# --- one execution does not see another ---------------------------------------------------------------


class Isolation(Case):
    def stays(self, part, *more, fallback=False, expected=None, **others):
        """The first and the thousandth execution print the same as a process without Jostle."""
        if expected is None:
            native = self.command(plain("state"), part, *more, **others)
            self.assertEqual(native.returncode, 0, native.stderr)
            expected = native.stdout
        self.write("expected", expected)
        for path in (plain, seen):
            for isolation in ("snapshot", "fork", "spawn"):
                with self.subTest(program=path("state"), isolation=isolation):
                    n = "1000" if isolation == "snapshot" and not fallback else "200"
                    if isolation == "spawn":
                        n = "20"
                    if "stdin" in others:
                        others["stdin"].seek(0)
                    text = self.run_program(OK, path("state"), part, *more, **others,
                                            options=("-i", n, "--expect-stdout", "expected",
                                                     "--isolation", isolation))
                    if not fallback:
                        self.assertNotIn("a process for each execution", text)
                    elif isolation == "snapshot":
                        self.assertIn("a process for each execution", text)

    def test_memory(self):
        self.stays("memory")

    def test_addresses(self):
        self.write("nothing", "")
        for path in (plain, seen):
            shown = set()
            for isolation in ("snapshot", "fork"):
                text = self.finds("assertion", path("state"), "memory", "addresses",
                                  options=("-i", "1", "--expect-stdout", "nothing", "--isolation", isolation))
                lines = re.search(r"(?s)  stdout:\n(.*destructor \d+\n)", text)[1]
                shown.add(textwrap.dedent(lines))
            [expected] = shown
            self.write("expected", expected)
            for isolation in ("snapshot", "fork"):
                self.run_program(OK, path("state"), "memory", "addresses",
                                 options=("-i", "500", "--expect-stdout", "expected", "--isolation", isolation))

    def test_descriptors(self):
        with open(self.write("input", "abcdef")) as stdin:
            self.stays("descriptors", stdin=stdin)

    def test_flags_of_descriptors(self):
        self.stays("flags")

    def test_process(self):
        self.stays("process", env={"MARK_A": "given"})

    def test_signals(self):
        self.stays("signals")

    def test_thread_locals_of_a_plugin(self):
        plugin = self.compile("plugin.so", """
            #include <pthread.h>
            static __thread int count = 40;
            int next(void) { return ++count; }
            static void* work(void* unused) { return next() == 41 && next() == 42 ? unused : &count; }
            int in_a_thread(void) {
              pthread_t t;
              void* result = 0;
              pthread_create(&t, 0, work, 0);
              pthread_join(t, &result);
              return result != 0;
            }
            """, ("cc", "-shared", "-fPIC"))
        program = self.compile("host", """
            #include <dlfcn.h>
            int main(int argc, char** argv) {
              void* plugin = dlopen(argv[1], RTLD_NOW);
              if (!plugin) return 2;
              int (*next)(void) = (int (*)(void))dlsym(plugin, "next");
              int (*in_a_thread)(void) = (int (*)(void))dlsym(plugin, "in_a_thread");
              const int wrong = in_a_thread() + in_a_thread() + (next() != 41);
              dlclose(plugin);
              return wrong;
            }
            """)
        for isolation in ("snapshot", "fork"):
            text = self.run_program(OK, program, plugin, options=("-i", "100", "--isolation", isolation))
            self.assertNotIn("a process for each execution", text)

    def test_what_forked_processes_would_share(self):
        """Each execution finds the memory and the pipe as constructors have made them."""
        self.write("expected", "2\n")
        for path in (plain, seen):
            for isolation in ("snapshot", "spawn"):
                for command in ("run", "check"):
                    if command == "check" and path is plain:
                        continue  # never complete
                    text = self.jostle(OK, command, "-i", "30", "--isolation", isolation, "--expect-stdout",
                                       "expected", "--", path("beginning"))
                    self.assertEqual("a process for each execution" in text, isolation == "snapshot")
            text = self.finds("assertion", path("beginning"), "wrong", options=("-i", "200"))
            self.assertIn("(exact)", self.jostle(FINDING, "replay", self.found["schedule"]))

    def test_spawn(self):
        for part, kind in (("crash", "crash"), ("assertion", "assertion"), ("deadlock", "deadlock")):
            self.finds(kind, plain("findings"), part, options=("-i", "500", "--isolation", "spawn"))
            self.assertTrue(self.found["confirmed"])
        text = self.jostle(USAGE, "cover", "--isolation", "spawn", "--", plain("findings"), "correct")
        self.assertIn("cover takes snapshot or fork", text)
        self.write("expected", "given\n")
        program = self.compile("reads", """
#include <stdio.h>
#include <unistd.h>
int main(void) {
  char text[20];
  if (chdir("/") == 0 && fgets(text, sizeof text, stdin)) fputs(text, stdout);
  return 0;
}
""")
        self.run_program(OK, program, input="given\n",
                         options=("-i", "10", "--isolation", "spawn", "--expect-stdout", "expected"))

    def test_late_failures_are_those_of_a_fresh_process(self):
        """The exit code tells the order of the threads: confirmed means the same order there."""
        for path in (plain, seen):
            text = self.finds("exit-code", path("order"), "1501", "4", "4", options=("-i", "20000"))
            self.assertGreater(self.found["execution"], 200, text)
            self.assertTrue(self.found["confirmed"], text)
            self.assertNotIn("seen once", text)
            self.assertIn("(exact)", self.jostle(FINDING, "replay", self.found["schedule"]))

    def test_what_does_not_come_again_is_told(self):
        program = self.compile("once", """
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>
static void* nothing(void* unused) { return unused; }
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, nothing, 0);
  pthread_join(thread, 0);
  // Fails in the process that comes first, and never again.
  int fd = open("once-only", O_CREAT | O_EXCL | O_WRONLY, 0600);
  return fd >= 0 ? 3 : 0;
}
""")
        text = self.finds("exit-code", program, options=("-i", "100"))
        self.assertRegex(text, r"seen once, reproduced 0 of \d+")
        self.assertFalse(self.found["confirmed"])
        self.assertEqual(self.schedules(), [])


class Determinism(Case):
    WAYS = ((), ("-j", "2"), ("--isolation", "fork"), ("--isolation", "fork", "-j", "2"),
            ("--isolation", "spawn", "-j", "2"))

    def same(self, kind, *words, options=()):
        results = []
        for way in self.WAYS:
            shutil.rmtree(self.folder / ".jostle", ignore_errors=True)
            self.finds(kind, *words, options=("-i", "3000", *options, *way))
            results.append((self.result["executions"], self.found["message"], self.found["fingerprint"],
                            *(file.read_text() for file in self.schedules())))
        for way, result in zip(self.WAYS[1:], results[1:]):
            self.assertEqual(result, results[0], way)
        return results[0]

    def test_exceptions(self):
        """The first one of a process is thrown like all others."""
        for path in (plain, seen):
            self.same("exit-code", path("throws"))
            self.assertTrue(self.found["confirmed"])

    def test_a_thread_that_only_computes(self):
        """Where it has to let others go is the same whether somebody looks on or not."""
        program = self.compile("computes", """
            #include <pthread.h>
            #include <stdlib.h>
            static volatile int x, sink[512];
            static void* compute(void* unused) {
              x = 1;
              for (int i = 0; i < 20000; ++i) sink[i & 511] = i;
              if (x != 1) abort();
              return unused;
            }
            static void* change(void* unused) {
              x = 2;
              return unused;
            }
            int main(void) {
              pthread_t a, b;
              pthread_create(&a, 0, compute, 0);
              pthread_create(&b, 0, change, 0);
              pthread_join(a, 0);
              return pthread_join(b, 0);
            }
            """, (JOSTLE, "cc"))
        self.finds("assertion", program, options=("-i", "100", "--preempt", "sync", "--races=false"))
        self.assertTrue(self.found["confirmed"])
        self.jostle(FINDING, "replay", self.schedule())

    def test_same_seed(self):
        for path in (plain, seen):
            count = self.same("exit-code", path("order"), "77", "4", "4")[0]
            self.assertGreater(count, 16)

    def test_same_seed_other_kinds(self):
        self.same("assertion", seen("findings"), "race-and-assertion")
        self.same("deadlock", plain("findings"), "deadlock")
        self.same("exception", plain("exception"))

    def test_seeds_matter(self):
        orders = set()
        for number in range(1, 5):
            self.finds("exit-code", plain("order"), "21", options=("-i", "3000", "--seed", number))
            orders.add((self.result["executions"], self.found["message"]))
        self.assertGreater(len(orders), 1)


# --- where putting back is not enough -----------------------------------------------------------------


class Fallback(Case):
    def falls_back(self, reason, *words, code=OK, options=(), **others):
        for path in (plain, seen):
            text = self.run_program(code, path("hostile"), *words, options=("-i", "40", *options), **others)
            self.assertIn("40 executions", text)
            line = re.search(r"^jostle: a process for each execution, .*", text, re.MULTILINE)
            self.assertTrue(line, text)
            self.assertIn(reason, line[0])
        return text

    def test_children(self):
        text = self.falls_back("it starts processes", "child")
        self.assertIn("not controlled: fork", text)

    def test_system(self):
        self.falls_back("it starts processes", "system")

    def test_children_and_the_time_stamp_counter(self):
        """Which shows virtual time to the program, but must not kill its children, nor what it becomes."""
        program = self.compile("stamps", """
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <x86intrin.h>
extern char** environ;
int main(int argc, char** argv) {
  char* words[] = {"sh", "-c", "exit 0", NULL};
  int status = 1;
  pid_t child;
  if (__rdtsc() == 0) return 2;
  if (strcmp(argv[1], "system") == 0) return system("exit 0");
  if (strcmp(argv[1], "exec") == 0) return execv(argv[0], (char*[]){argv[0], "nothing", NULL});
  if (strcmp(argv[1], "nothing") == 0) return 0;
  if (strcmp(argv[1], "fork") == 0) {
    if ((child = fork()) == 0) _exit(execv("/bin/sh", words));
  } else if (posix_spawn(&child, "/bin/sh", NULL, NULL, words, environ) != 0) {
    return 3;
  }
  waitpid(child, &status, 0);
  return status + (__rdtsc() == 0);
}
""")
        for way in ("system", "fork", "spawn", "exec"):
            self.run_program(OK, program, way, options=("-i", "5"))

    def test_closes_everything(self):
        for path in (plain, seen):
            for how in ("closes", "closes-range"):
                for isolation in ("snapshot", "fork"):
                    self.run_program(OK, path("hostile"), how, options=("-i", "20", "--isolation", isolation))

    def test_a_thread_that_polls_a_lock(self):
        self.run_program(OK, plain("hostile"), "polls", options=("-i", "100"))

    def test_exec(self):
        text = self.falls_back("another program takes its place", "exec", options=("--expect-exit", "5"))
        self.assertIn("not controlled: exec", text)
        self.run_program(OK, plain("hostile"), "exec-missing", options=("-i", "5", "--expect-exit", "5"))

    def test_shared_memory(self):
        self.falls_back("it shares memory", "", env={"MARK_SHARE": "1"})

    def test_fault_handler(self):
        """Protected pages are ours, other faults are the program's."""
        for how in ("handles", "recovers"):
            text = self.run_program(OK, plain("hostile"), how, options=("-i", "40"))
            self.assertNotIn("a process for each execution", text)

    def test_fault_handler_that_ends_the_program(self):
        self.finds("crash", plain("hostile"), "says-goodbye", options=("-i", "5"))
        self.assertIn("its handler ended the program with exit code 9", self.found["message"])

    def test_gives_memory_back(self):
        native = self.command(plain("pages"), "gives-back", "-").stdout
        (self.folder / "expected").write_text(native)
        text = self.run_program(OK, plain("pages"), "gives-back", "-",
                                options=("-i", "40", "--expect-stdout", "expected"))
        self.assertRegex(text, "a process for each execution, .*it gives back memory")

    def test_no_reason_no_word(self):
        text = self.run_program(OK, plain("hostile"), "")
        self.assertNotIn("a process for each execution", text)


# --- processes that the program forks ---------------------------------------------------------------------


# A process whose parent is gone, told to end as soon as it says that it is there.
DAEMON = r"""
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile sig_atomic_t stop;
static void on_signal(int number) { stop = number; }
int main(void) {
  int ready[2];
  pid_t number = 0;
  char c;
  if (pipe(ready) != 0) return 1;
  const pid_t child = fork();
  if (child == 0) {
    if (fork() > 0) _exit(0);
    sigset_t term, before;
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    sigprocmask(SIG_BLOCK, &term, &before);
    signal(SIGTERM, on_signal);
    number = getpid();
    if (write(ready[1], &number, sizeof number) != sizeof number) _exit(1);
    while (!stop) sigsuspend(&before);
    _exit(0);
  }
  waitpid(child, NULL, 0);
  close(ready[1]);
  if (read(ready[0], &number, sizeof number) != sizeof number) return 2;
  kill(number, SIGTERM);
  return read(ready[0], &c, 1) == 0 ? 0 : 3;
}
"""
# The child waits for a semaphore.
POSTS = r"""
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
  sem_t* s = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  int status = 1;
  sem_init(s, 1, 0);
  if (fork() == 0) {
    for (int i = 0; i < 3; ++i) sem_wait(s);
    _exit(0);
  }
  usleep(1000);
  for (int i = 0; i < 3; ++i) sem_post(s);
  wait(&status);
  return status != 0;
}
"""
# Starts what it is told to, by fork and exec or by posix_spawn.
STARTER = r"""
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
extern char** environ;
int main(int argc, char** argv) {
  char* const words[] = {argv[2], NULL};
  pid_t child = -1;
  int status = argc < 3;
  if (strcmp(argv[1], "spawn") == 0) {
    if (posix_spawn(&child, argv[2], NULL, NULL, words, environ) != 0) return 9;
  } else if ((child = fork()) == 0) {
    execv(argv[2], words);
    _exit(9);
  }
  waitpid(child, &status, 0);
  if (status == 0) puts("done");
  return status != 0;
}
"""


class Families(Case):
    CONTROLLED = ("--children", "controlled", "--timeout", "5s")

    def finds_in_child(self, kind, part, message, *, program="families", ways=(plain, seen), executions=300):
        words = (part,) if isinstance(part, str) else part
        for path in ways:
            with self.subTest(part=part, program=path(program)):
                shutil.rmtree(self.folder / ".jostle", ignore_errors=True)
                told = []
                for turn in range(2):  # same seed, same schedule
                    text = self.finds(kind, path(program), *words, options=("-i", executions, *self.CONTROLLED))
                    self.assertRegex(text, message)
                    self.assertTrue(self.found["confirmed"], text)
                    self.assertNotIn("not controlled: fork", text)
                    told.append((self.result["executions"], self.schedule_of(kind)))
                self.assertEqual(told[0], told[1])
                for file in self.schedules():
                    again = self.jostle(FINDING, "replay", file)
                    self.assertIn("(exact)", again)
        return text

    def schedule_of(self, kind):
        return next(f.read_text() for f in self.schedules() if kind in f.name)

    def test_correct(self):
        for part in ("correct", "handlers", "posts", "exchange", "signals", "generations"):
            for path in (plain, seen):
                for options in ((), ("-j", "2"), ("--isolation", "spawn")):
                    with self.subTest(part=part, program=path("families"), options=options):
                        self.write("expected", "done\n")
                        text = self.run_program(OK, path("families"), part, options=(
                            "-i", "60", "--expect-stdout", "expected", *self.CONTROLLED, *options))
                        self.assertIn("60 executions", text)
                        self.assertNotIn("not controlled: fork", text)

    def test_assertion(self):
        text = self.finds_in_child("assertion", "lost", r"assertion `count == 2` failed")
        self.assertEqual(self.found["function"], "asked")
        self.assertRegex(text, r"fork a process: T1\n.*families.c:\d+  pid_t child = fork")

    def test_deadlock(self):
        self.finds_in_child("deadlock", "deadlock", r"T[34] and T[34] wait for each other in a cycle")

    def test_crash(self):
        self.finds_in_child("crash", "crash", r"null pointer")

    def test_race(self):
        self.finds_in_child("assertion", "race", r"race: two unordered accesses to `count`", ways=(seen,))

    def test_lock_that_a_fork_has_copied(self):
        self.finds_in_child("deadlock", "inherited", r"waits for a lock that T1 held when the process was forked")

    def test_locks_that_processes_share(self):
        self.finds_in_child("deadlock", "exchange-locks", r"T[01] and T[01] wait for each other in a cycle")

    def test_ring_of_processes(self):
        text = self.finds_in_child("deadlock", "ring", r"T0 .*waits to read from descriptor 5, a pipe at families.c")
        self.assertRegex(text, r"T1 .*waits to read from descriptor 3, a pipe at families.c")

    def test_end_of_a_pipe_that_stays_open(self):
        text = self.finds_in_child("deadlock", "no-end", r"T1 .*waits to read from descriptor 3, a pipe at families.c")
        self.assertRegex(text, r"T0 .*waits for the end of a child process at families.c")

    def test_order_of_processes(self):
        self.finds_in_child("assertion", "order", r"assertion `\*shared == 2` failed")

    def test_parent_that_does_not_wait(self):
        self.finds_in_child("assertion", "left-behind", r"assertion `count == 2` failed")

    def test_daemon(self):
        text = self.run_program(OK, plain("families"), "daemon", options=("-i", "5", "--max-steps", "2000", *self.CONTROLLED))
        self.assertIn("5 executions", text)

    def test_same_in_all_ways(self):
        told = set()
        for options in ((), ("-j", "2"), ("--isolation", "fork"), ("--isolation", "spawn")):
            self.finds("assertion", seen("families"), "lost", options=("-i", "300", *self.CONTROLLED, *options))
            told.add((self.result["executions"], self.found["message"]))
        self.assertEqual(len(told), 1, told)

    def static_program(self):
        """One that nothing can be loaded into."""
        path = self.folder / "static"
        source = self.write("static.c", "#include <unistd.h>\nint main(void) { return write(1, \"s\", 1) != 1; }\n")
        if self.command("cc", "-static", source, "-o", path).returncode != 0:
            self.skipTest("no static C library")
        return path

    def test_another_program(self):
        """What it becomes or starts is part of the execution, whichever way it is started."""
        for how, part in (("fork", "correct"), ("thread", "correct"), ("search", "correct"), ("spawn", "correct"),
                          ("descriptor", "correct"), ("nameless", "correct"),
                          ("system", "correct"), ("popen", "correct"), ("first", "correct"),
                          ("clean", "surroundings"), ("kill", "signal"), ("end", "for-ever"), ("filter", "copies")):
            for path in (plain, seen):
                with self.subTest(how=how, program=path("starts")):
                    lines = (["2"] if part == "correct" else []) + (["done"] if how != "first" else [])
                    self.write("expected", "".join(line + "\n" for line in lines))
                    text = self.run_program(OK, path("starts"), how, part, options=(
                        "-i", "20", "--expect-stdout", "expected", *self.CONTROLLED))
                    self.assertNotIn("runs without control", text)

    def test_bug_in_another_program(self):
        for how in ("fork", "thread", "search", "spawn", "descriptor", "system", "popen", "first"):
            text = self.finds_in_child("assertion", (how, "lost"), r"assertion `count == 2` failed",
                                       program="starts", ways=(plain,) if how in ("search", "popen") else (plain, seen))
            self.assertEqual((self.found["function"], pathlib.Path(self.found["file"]).name), ("lost", "starts.c"))
            self.assertRegex(text, r"is interrupted before \"lock lock\" at starts.c|`count` is read at starts.c")
        self.finds_in_child("crash", ("spawn", "crash"), r"null pointer", program="starts", ways=(seen,))
        self.finds_in_child("assertion", ("system", "forks"), r"assertion `count == 2`", program="starts", ways=(plain,))

    def test_race_in_another_program(self):
        text = self.finds("race", seen("starts"), "system", "race", options=("-i", "60", *self.CONTROLLED))
        self.assertTrue(self.found["confirmed"], text)
        self.assertRegex(text, r"two unordered accesses to `count`")
        self.assertRegex(text, r"unordered with: T\d .*writes at starts.c")

    def test_daemons(self):
        """Those of executions that are over are not in the way of the one that is being made."""
        self.run_program(OK, self.compile("daemon", DAEMON), options=("-i", "250", *self.CONTROLLED))

    def test_semaphore_shared_with_a_child_that_is_not_controlled(self):
        text = self.run_program(OK, self.compile("posts", POSTS), options=("-i", "20", "--timeout", "5s"))
        self.assertIn("not controlled: fork: the child runs without control (--children controlled)", text)

    def test_deadlock_of_other_programs(self):
        text = self.finds_in_child("deadlock", ("ring", "copies"), r"T0 .*waits for the end of a child process at starts.c",
                                   program="starts")
        for thread in ("T1", "T2"):
            self.assertRegex(text, thread + r" .*waits to read from descriptor 0, a pipe at starts.c")

    def test_another_program_in_all_ways(self):
        told = set()
        for options in ((), ("-j", "2"), ("--isolation", "spawn")):
            self.finds("assertion", plain("starts"), "system", "lost", options=("-i", "300", *self.CONTROLLED, *options))
            told.add((self.result["executions"], self.found["message"], self.found["line"]))
        self.assertEqual(len(told), 1, told)
        self.jostle(OK, "minimize", self.schedule())
        self.assertIn("└─ fails ──▶ T", self.jostle(FINDING, "explain", self.schedule()))

    def test_another_program_that_cannot_be_controlled(self):
        static = self.static_program()
        for how, message in (("fork", "exec: the program that takes over runs without control"),
                             ("spawn", "child process: it runs without control")):
            self.write("expected", "sdone\n")
            self.compile("starter", STARTER)
            text = self.run_program(OK, self.folder / "starter", how, static, options=(
                "-i", "20", "--expect-stdout", "expected", *self.CONTROLLED))
            self.assertIn("not controlled: " + message, text)

    def test_minimize_and_explain(self):
        self.finds("assertion", plain("families"), "lost", options=("-i", "300", "--minimize=false", *self.CONTROLLED))
        self.jostle(OK, "minimize", self.schedule())
        self.assertIn("└─ fails ──▶ T", self.jostle(FINDING, "explain", self.schedule()))
        self.jostle(FINDING, "replay", self.schedule())

    def test_debugger(self):
        self.finds("assertion", plain("families"), "lost", options=("-i", "300", *self.CONTROLLED))
        result = self.command(JOSTLE, "replay", "--gdb", self.schedule(), input="")
        self.assertRegex(result.stdout, r"Thread 2\S* .*hit Breakpoint 1\S*, (jostle::)?jostle_failed")

    def test_memory_shared_with_a_child_that_is_not_controlled(self):
        """What the child does to a condition is not seen: that is said, and no deadlock is told."""
        program = self.compile("shares", """
            #include <pthread.h>
            #include <sys/mman.h>
            #include <sys/wait.h>
            #include <unistd.h>
            struct Shared { pthread_mutex_t mutex; pthread_cond_t condition; int done; };
            int main(void) {
              struct Shared* s = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
              pthread_mutexattr_t m;
              pthread_condattr_t c;
              pthread_mutexattr_init(&m);
              pthread_condattr_init(&c);
              pthread_mutexattr_setpshared(&m, PTHREAD_PROCESS_SHARED);
              pthread_condattr_setpshared(&c, PTHREAD_PROCESS_SHARED);
              pthread_mutex_init(&s->mutex, &m);
              pthread_cond_init(&s->condition, &c);
              int ends[2], status = 0;
              char byte;
              if (pipe(ends) != 0) return 2;
              const pid_t child = fork();
              if (child == 0) {
                if (read(ends[0], &byte, 1) != 1) _exit(2);
                pthread_mutex_lock(&s->mutex);
                s->done = 1;
                pthread_cond_signal(&s->condition);
                pthread_mutex_unlock(&s->mutex);
                _exit(0);
              }
              pthread_mutex_lock(&s->mutex);
              if (write(ends[1], "x", 1) != 1) return 2;
              while (!s->done) pthread_cond_wait(&s->condition, &s->mutex);
              pthread_mutex_unlock(&s->mutex);
              return waitpid(child, &status, 0) != child || status != 0;
            }
            """)
        self.run_program(OK, program, options=("-i", "50", "--children", "controlled"))
        result = self.command(JOSTLE, "run", "-i", "20", "--", program)
        if result.returncode != OK:  # it waited before the child was done
            self.assertIn("timeout: a thread waits for what another process does", result.stdout)
            self.assertIn("--children controlled", result.stdout)

    def test_children_run_freely_unless_asked(self):
        # A correct one: a lost update may happen by chance in a child that runs freely.
        text = self.run_program(OK, plain("families"), "correct", options=("-i", "20"))
        self.assertIn("not controlled: fork: the child runs without control", text)

    def test_where_it_cannot_be(self):
        for options, message in ((("--backend", "threads"), "needs backend=fibers"),
                                 (("--strategy", "cover"), "check and cover take free")):
            text = self.run_program(USAGE, plain("families"), "correct", options=("-i", "5", *self.CONTROLLED, *options))
            self.assertIn(message, text)


# --- waiting in the kernel ----------------------------------------------------------------------------


# Waits until the handler of a signal has set a flag; HOW: the signal is blocked until then.
FLAG = r"""
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
static volatile sig_atomic_t flag;
static void on_signal(int number) { flag = number; }
static void* tell(void* unused) {
  kill(getpid(), SIGUSR1);
  return unused;
}
int main(void) {
  pthread_t t;
  sigset_t usr1, before;
  int ends[2];
  if (pipe(ends) != 0) return 1;
  struct pollfd p = {ends[0], POLLIN, 0};
  signal(SIGUSR1, on_signal);
  sigemptyset(&usr1);
  sigaddset(&usr1, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &usr1, &before);
  pthread_create(&t, NULL, tell, NULL);
  if (!HOW) pthread_sigmask(SIG_UNBLOCK, &usr1, NULL);
  while (!flag) (void)!(p.fd + WAIT);
  pthread_join(t, NULL);
  return 0;
}
"""
# Two threads, each of which waits for the other.
RING = r"""
#include <pthread.h>
#include <unistd.h>
static int a[2], b[2];
static void* first(void* unused) {
  char c;
  if (read(a[0], &c, 1) == 1 && write(b[1], &c, 1) == 1) return unused;
  return NULL;
}
static void* second(void* unused) {
  char c;
  if (read(b[0], &c, 1) == 1 && write(a[1], &c, 1) == 1) return unused;
  return NULL;
}
int main(void) {
  pthread_t x, y;
  if (pipe(a) != 0 || pipe(b) != 0) return 1;
  pthread_create(&x, NULL, first, NULL);
  pthread_create(&y, NULL, second, NULL);
  pthread_join(x, NULL);
  pthread_join(y, NULL);
  return 0;
}
"""


class Waits(Case):
    def passes(self, *parts, executions=150, ways=(plain, seen), target="waits"):
        for part in parts:
            native = self.command(plain(target), part)
            self.assertEqual(native.returncode, 0, part + native.stderr)
            self.write("expected", native.stdout)
            for path in ways:
                with self.subTest(part=part, program=path(target)):
                    text = self.run_program(OK, path(target), part, options=(
                        "-i", executions, "--timeout", "5s", "--expect-stdout", "expected"))
                    self.assertIn("nothing found", text)
                    self.assertNotIn("a process for each execution", text)

    def test_signal_before_the_wait_for_it(self):
        """A flag that a handler sets is looked at, and then waited for: in between, nobody is told."""
        for wait, finding in (("pause()", "timeout"), ("poll(&p, 1, -1)", "deadlock"),
                              ("ppoll(&p, 1, NULL, &before)", None)):
            program = self.compile("flag", FLAG.replace("WAIT", wait).replace("HOW", "0" if finding else "1"))
            options = ("-i", "200", "--timeout", "1s")
            if finding:
                self.finds(finding, program, options=options)
                self.assertIn("(exact)", self.jostle(FINDING, "replay", self.schedules()[0]))
                shutil.rmtree(self.folder / ".jostle")
            else:
                self.run_program(OK, program, options=options)

    def test_start_of_a_thread(self):
        """Is shown with the function that the thread starts with, not with what lies before that."""
        for compiler in (("cc",), (JOSTLE, "cc")):
            program = self.compile("ring", RING, compiler)
            text = self.finds("deadlock", program)
            for thread, function in (("T1", "first"), ("T2", "second")):
                self.assertRegex(text, thread + r" starts\n.*source.c:\d+  static void\* " + function)

    def test_pipes_and_sockets(self):
        self.passes("pipe", "socketpair")

    def test_full_pipes_and_sockets(self):
        self.passes("full-pipe", "full-pipe-here", "full-sockets", executions=50)

    def test_poll(self):
        self.passes("poll", "select", "epoll", "eventfd")

    def test_timerfd(self):
        self.passes("timerfd", executions=50)

    def test_loopback(self):
        self.passes("loopback", "loopback-here")

    def test_timed(self):
        self.passes("timed")

    def test_limits_of_waits_for_the_programs_own_pipes(self):
        """Nobody outside could end them: the time passes at once, not in many small steps."""
        program = self.compile("ticks", """
            #include <poll.h>
            #include <pthread.h>
            #include <sys/select.h>
            #include <unistd.h>
            static int ends[2];
            static void* work(void* unused) {
              usleep(300000);
              return write(ends[1], "x", 1) == 1 ? unused : ends;
            }
            int main(void) {
              pthread_t thread;
              if (pipe(ends) != 0 || pthread_create(&thread, 0, work, 0) != 0) return 2;
              for (;;) {
                fd_set set;
                FD_ZERO(&set);
                FD_SET(ends[0], &set);
                struct timeval limit = {0, 100000};
                if (select(ends[0] + 1, &set, 0, 0, &limit) != 0) break;
                struct pollfd p = {ends[0], POLLIN, 0};
                if (poll(&p, 1, 100) != 0) break;
              }
              return pthread_join(thread, 0);
            }
            """)
        self.run_program(OK, program, options=("-i", "100", "--max-steps", "60"))

    def test_locks_and_queues_of_the_kernel(self):
        self.passes("file-lock", "range-lock", "epoll-with-timespec", target="kernel_waits")
        for part in ("fifo", "semaphore-set", "message-queue", "named-queue"):
            self.run_program(OK, plain("kernel_waits"), part, options=("-i", "30", "--timeout", "5s"))

    def test_what_a_child_process_does(self):
        for part in ("signal-of-a-child", "post-of-a-child"):
            text = self.run_program(OK, plain("kernel_waits"), part, options=("-i", "20", "--timeout", "5s"))
            self.assertIn("not controlled: fork", text)
        self.finds("deadlock", plain("kernel_waits"), "nobody-posts", options=("-i", "1", "--timeout", "5s"))

    def test_deadlocks_through_descriptors(self):
        """Nobody outside could end these waits; who waits for what is told at once, not when time is up."""
        kinds = {"pipe": "a pipe", "poll": "a pipe", "select": "a pipe", "epoll": "an epoll", "socketpair": "a socket",
                 "eventfd": "an eventfd", "loopback": "a socket"}
        for part, kind in kinds.items():
            with self.subTest(part=part):
                shutil.rmtree(self.folder / ".jostle", ignore_errors=True)
                text = self.finds("deadlock", plain("rings"), part, options=("-i", "500", "--timeout", "60s"))
                for thread in ("T1", "T2"):
                    self.assertRegex(text, rf"{thread} waits (to read from|at) descriptor \d+, {kind} at rings.c:\d+")
                self.assertEqual(self.found["function"], "wait_for")
                self.assertIn("(exact)", self.jostle(FINDING, "replay", self.schedule()))
                self.assertNotIn("from outside", text)

    def test_input_from_outside_is_none(self):
        """The other end may be anybody's: of what was there before the program, or a child process has."""
        read, write = os.pipe()
        try:
            self.finds("timeout", plain("rings"), "inherited", read, options=("-i", "1", "--timeout", "1s"),
                       pass_fds=(read,))
        finally:
            os.close(read)
            os.close(write)
        self.finds("timeout", plain("rings"), "with-a-child", options=("-i", "200", "--timeout", "1s", "--minimize=false"))

    def test_timers(self):
        for part in ("ends-a-wait", "watchdog", "again-and-again", "sends-a-value", "starts-threads", "by-descriptor",
                     "overruns"):
            self.virtual(part, part + "\n", target="timers")
        text = self.finds("crash", plain("timers"), "watchdog-bites", options=("-i", "1"))
        self.assertIn("Alarm clock", text)
        self.write("expected", "ends-a-loop\n")
        self.run_program(OK, plain("timers"), "ends-a-loop", options=("-i", "1", "--expect-stdout", "expected"))

    def test_cleanup_handlers_of_c(self):
        for program in (plain("cleanup"), seen("cleanup")):
            self.write("expected", "cleaned up\n")
            self.run_program(OK, program, options=("-i", "100", "--expect-stdout", "expected"))

    def test_busy_waits(self):
        """Of code that is not instrumented: others go on after a while, but a wait without end is still one."""
        self.write("expected", "five times\n")
        text = self.run_program(OK, plain("busy"), options=(
            "-i", "2", "--timeout", "1s", "--expect-stdout", "expected"))
        self.assertIn("not controlled: a loop without any step", text)
        text = self.finds("timeout", plain("busy"), "never", options=("-i", "1", "--timeout", "1s"))
        self.assertIn("no step for 1 seconds", text)

    def virtual(self, part, text, target="waits"):
        """Waits of hours that take no time; natively they would."""
        self.write("expected", text)
        for path in (plain, seen):
            self.run_program(OK, path(target), part, options=("-i", "100", "--expect-stdout", "expected"))

    def test_time_is_virtual(self):
        self.virtual("timed-out", "an hour later\n")
        self.virtual("poll-timeout", "nothing came\n")
        self.virtual("an-hour", "an-hour\n", target="signals")

    def test_signals(self):
        self.passes("raise", "pthread-kill")

    def test_signals_between_threads(self):
        self.passes("ended-by-a-signal", "own-masks", "inherited", "handled-by-its-receiver", "sent-to-the-process",
                    "interrupted-read", "restarted-read", target="signals")

    def test_handlers_of_threads_that_wait(self):
        """They run on the thread that the signal was sent to, and its wait goes on or ends as POSIX says."""
        parts = ("waits-for-mutex", "waits-for-mutex-and-time", "waits-for-rwlock", "waits-for-spin-lock",
                 "waits-on-condition", "woken-meanwhile", "waits-at-barrier", "waits-in-join", "restarted-semaphore",
                 "ended-semaphore", "ended-futex", "left-read", "queued")
        self.passes(*parts, target="signals")
        for part in ("waits-for-mutex", "waits-on-condition", "ended-semaphore", "queued"):
            self.run_program(OK, plain("signals"), part, options=("-i", "30", "--backend", "threads"))
        self.virtual("ended-sleep", "ended-sleep\n", target="signals")

    def test_waiting_for_signals(self):
        self.passes("sigwait", "sigwait-thread", "signalfd", "sigsuspend")

    def test_a_server(self):
        self.passes("", target="server")

    def test_the_same_twice(self):
        """Every operation of an execution with sockets, pipes and limits of time."""
        for path in (plain, seen):
            for seed in range(1, 4):
                told = []
                for turn in ("first", "second"):
                    self.finds("exit-code", path("server"), options=(
                        "-i", "1", "--seed", seed, "--strategy", "random", "--minimize=false", "--expect-exit", "77",
                        "--output", turn))
                    [trace] = (self.folder / turn).rglob("trace.txt")
                    told.append(trace.read_text())
                    shutil.rmtree(self.folder / turn)
                self.assertGreater(len(told[0].splitlines()), 40)
                self.assertEqual(told[0], told[1])

    def test_a_port_is_free_again(self):
        """The process that found something must not keep what its execution has opened."""
        program = self.compile("port", """
#include <arpa/inet.h>
#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>
int main(void) {
  struct sockaddr_in address = {.sin_family = AF_INET};
  socklen_t length = sizeof address;
  int fd = socket(AF_INET, SOCK_STREAM, 0), file = open("port", O_RDWR | O_CREAT, 0600);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  // Whichever port the first execution gets.
  if (read(file, &address.sin_port, 2) != 2) address.sin_port = 0;
  if (bind(fd, (struct sockaddr*)&address, sizeof address) != 0 || listen(fd, 1) != 0) return 1;
  getsockname(fd, (struct sockaddr*)&address, &length);
  assert(pwrite(file, &address.sin_port, 2, 0) == 2);
  return 7;
}
""".replace('"port"', '"the-port"'))
        self.finds("exit-code", program, options=("-i", "5"))
        self.assertIn("exit code 7", self.found["message"])
        self.assertTrue(self.found["confirmed"])

    def test_nobody_comes_although_time_passes(self):
        """Limits of waits run out at once, again and again: that does not keep it going for ever."""
        program = self.compile("ticks", """
            #include <poll.h>
            #include <pthread.h>
            #include <stdint.h>
            #include <sys/socket.h>
            #include <sys/timerfd.h>
            #include <unistd.h>
            static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
            int main(int argc, char** argv) {
              int s = socket(AF_INET, SOCK_STREAM, 0);
              if (listen(s, 1) != 0) return 1;
              int timer = timerfd_create(CLOCK_MONOTONIC, 0), limit = argc > 1 ? -1 : 100;
              const struct itimerspec often = {{0, 1000000}, {0, 1000000}};
              if (argc > 1) timerfd_settime(timer, 0, &often, 0);
              struct pollfd p[] = {{s, POLLIN, 0}, {timer, POLLIN, 0}};
              for (;;) {
                poll(p, 2, limit);
                if (p[0].revents != 0) return 0;
                uint64_t ticks;
                if (p[1].revents != 0 && read(timer, &ticks, 8) != 8) return 1;
                pthread_mutex_lock(&mutex);
                pthread_mutex_unlock(&mutex);
              }
            }
            """)
        for words in ((program,), (program, "timer")):
            with self.subTest(words=words):
                self.finds("timeout", *words, options=("-i", "5", "--budget", "0s", "--timeout", "0.5s"))
                self.assertIn("nothing happened for 0.5 seconds: wait for", self.found["message"])

    def test_created_by_the_system_call(self):
        """Whoever creates something that is not controlled stays controlled."""
        for what in ("thread", "process", "borrower", "copy", "stays"):
            for path in (plain, seen):
                with self.subTest(program=path("creation"), what=what):
                    text = self.run_program(OK, path("creation"), what, options=("-i", "20"))
                    kind = "thread" if what == "thread" else "process"
                    self.assertIn(f"not controlled: {kind} created by a raw clone", text)

    def test_library_that_looks_for_the_functions_itself(self):
        """As allocators do that have threads of their own: these are controlled."""
        library = self.compile("libworker.so", """
            #define _GNU_SOURCE
            #include <dlfcn.h>
            #include <pthread.h>
            typedef int create_type(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
            int start(pthread_t* t, void* (*function)(void*), const char* from) {
              void* where = from ? dlopen(from, RTLD_NOW) : RTLD_NEXT;
              return ((create_type*)dlsym(where, "pthread_create"))(t, 0, function, 0);
            }
            """, ("cc", "-shared", "-fPIC"))
        program = self.compile("uses", """
            #include <pthread.h>
            static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
            static int seats = 1;
            int start(pthread_t*, void* (*)(void*), const char*);
            static int left(void) {
              pthread_mutex_lock(&mutex);
              const int n = seats;
              pthread_mutex_unlock(&mutex);
              return n;
            }
            static void* sell(void* x) {
              if (left() == 0) return x;
              pthread_mutex_lock(&mutex);
              --seats;
              pthread_mutex_unlock(&mutex);
              return x;
            }
            int main(int argc, char** argv) {
              pthread_t t;
              if (start(&t, sell, argc > 1 ? argv[1] : 0) != 0) return 2;
              sell(0);
              pthread_join(t, 0);
              return seats < 0;
            }
            """, ("cc", f"-Wl,-rpath,{library.parent}", f"-Wl,--no-as-needed,{library}"))
        for words in ((program,), (program, "libc.so.6")):
            with self.subTest(words=words):
                text = self.finds("exit-code", *words)
                self.assertIn("exit code 1", self.found["message"])
                self.assertTrue(self.found["confirmed"])
                self.assertNotIn("raw clone", text)

    def test_nobody_answers(self):
        for part in ("stuck-read", "stuck-both", "stuck-poll"):
            text = self.finds("deadlock", plain("waits"), part, options=("-i", "20", "--timeout", "60s"))
            self.assertIn("waits to read from descriptor", text)
        # A signal could come from anywhere.
        text = self.finds("timeout", plain("waits"), "stuck-sigwait", options=("-i", "20", "--timeout", "0.5s"))
        self.assertIn("nothing happened for 0.5 seconds: wait for", self.found["message"])
        self.assertIn("not controlled: wait for", text)

    def test_both_isolations_and_two_processes(self):
        for part in ("pipe", "epoll", "loopback"):
            for options in (("--isolation", "fork"), ("-j", "2")):
                self.run_program(OK, plain("waits"), part, options=("-i", "60", "--timeout", "5s", *options))


# --- limits -------------------------------------------------------------------------------------------


class Limits(Case):
    def cut(self, kind, message, how, *options,
            ways=((plain, "snapshot"), (seen, "snapshot"), (plain, "fork"))):
        for path, isolation in ways:
            with self.subTest(program=path("hostile"), isolation=isolation):
                text = self.finds(kind, path("hostile"), how,
                                  options=("-i", "20", "--minimize=false", *options, "--isolation", isolation))
                self.assertRegex(text, message)
                self.assertLess(len(text), 100_000)
                self.await_no_process()
        return text

    def test_prints_without_end(self):
        self.cut("timeout", "printed more than 1 MB", "prints", "--printed", "1")

    def test_loops(self):
        self.cut("timeout", "no step for 0.5 seconds", "loops", "--timeout", "0.5s",
                 ways=((plain, "snapshot"), (plain, "fork")))
        self.cut("livelock", "the threads go round in a circle", "loops", ways=((seen, "snapshot"),))
        self.assertTrue(self.found["confirmed"])

    def test_eats_memory(self):
        self.cut("assertion", r"abort\(\) was called", "eats", "--memory", "64")

    def test_memory_is_the_programs(self):
        """What Jostle needs for itself does not count, and is not taken for the program's doing."""
        for path in (plain, seen):
            with self.subTest(program=path("hostile")):
                text = self.run_program(OK, path("hostile"), "fills", "40",
                                        options=("-i", "3", "--memory", "64"))
                self.assertNotIn("limits", text)
                self.run_program(FINDING, path("hostile"), "fills", "80",
                                 options=("-i", "3", "--memory", "64"))

    def test_runs_forever(self):
        self.cut("timeout", "steps", "turns", "--max-steps", "20000")

    def test_findings_at_the_end_of_the_budget(self):
        """Each execution takes a while: not all of many races can be confirmed, and that is told."""
        functions = "".join(f"static void touch{i}(void) {{ ++x[{i}]; }}\n" for i in range(20))
        calls = "".join(f"touch{i}();" for i in range(20))
        program = self.compile("races", """
            #include <pthread.h>
            static int x[20];
            %s
            static void* touch(void* p) { %s return p; }
            int main(void) {
              for (unsigned i = 0; i < 500000000u; ++i) __asm__ volatile("");
              pthread_t t;
              pthread_create(&t, 0, touch, 0);
              touch(0);
              pthread_join(t, 0);
              return 0;
            }
            """ % (functions, calls), (JOSTLE, "cc", "-fno-inline"))
        text = self.finds("race", program, options=("--budget", "3s"))
        self.assertTrue(self.found["confirmed"], text)
        self.assertIn("more accesses race than are told: the budget was used up", text)

    def test_budget_ends_inside_an_execution(self):
        """With steps, without any, and in a wait for the world: nobody waits for the end of it."""
        ways = ((), ("-j", "2"), ("--isolation", "fork"), ("--isolation", "spawn"),
                ("--backend", "threads"))
        for how in ("turns", "loops", "listens"):
            # (A loop that is seen is told from one that gets somewhere.)
            for path in (plain,) if how == "loops" else (plain, seen):
                for way in ways if how == "turns" else ways[:1]:
                    with self.subTest(how=how, program=path("hostile"), way=way):
                        begin = time.monotonic()
                        text = self.run_program(
                            NOTHING, path("hostile"), how,
                            options=("--budget", "1s", "--timeout", "1h", "--max-steps", "4000000000",
                                     "--json", "result.json", *way))
                        self.assertLess(time.monotonic() - begin, 20)
                        self.assertIn("error: no execution came to its end: the budget of 1s ended "
                                      "inside the first one", text)
                        result = json.loads((self.folder / "result.json").read_text())
                        self.assertEqual((result["verdict"], result["executions"]), ("nothing", 0))

    def test_budget_of_a_check_ends_inside_an_execution(self):
        for way in ((), ("-j", "2"), ("--isolation", "fork")):
            with self.subTest(way=way):
                text = self.jostle(NOTHING, "check", "--budget", "1s", "--max-steps", "4000000000", *way,
                                   "--", seen("hostile"), "turns")
                self.assertIn("no execution came to its end: the budget of 1s ended inside", text)
                self.assertIn("not complete, because the budget of 1s is used up", text)

    def test_forks(self):
        for how in ("forks", "forks-deep"):
            for path in (plain, seen):
                text = self.run_program(OK, path("hostile"), how, options=("-i", "4"))
                self.assertIn("not controlled: fork", text)
                self.await_no_process()


class Interrupts(Case):
    def begin(self, *words, options=("--budget", "100s")):
        process = self.start(JOSTLE, "run", *options, "--", *words)
        self.addCleanup(self.kill, process)
        return process

    def kill(self, process):
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()

    def await_executions(self, process):
        """Until processes of the search work."""
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            busy = 0
            for line in marked_processes(self.mark):
                with contextlib.suppress(OSError, IndexError):
                    text = pathlib.Path("/proc", line.split(":")[0], "stat").read_text()
                    fields = text.rsplit(")", 1)[1].split()
                    busy += int(fields[11]) + int(fields[12]) >= 10  # hundredths of a second
            if busy:
                return
            self.assertIsNone(process.poll())
            time.sleep(0.02)
        self.fail("nothing is executed")

    def ends(self, process, code):
        out, err = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, code, err)
        self.await_no_process()
        return out + err

    def check(self, number, *words, options=()):
        process = self.begin(*words, options=("--budget", "100s", *options))
        self.await_executions(process)
        os.killpg(process.pid, number)
        text = self.ends(process, 128 + number)
        self.assertIn("interrupted", text)
        self.assertRegex(text, r"\d+ executions?.*, nothing found")

    def test_interrupted(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            self.check(number, plain("findings"), "correct")
        self.check(signal.SIGINT, seen("findings"), "correct", options=("-j", "2"))
        self.check(signal.SIGTERM, plain("findings"), "correct", options=("--isolation", "fork"))

    def test_only_the_tool_is_told(self):
        """As a shell script or a CI system does it."""
        process = self.begin(plain("findings"), "correct")
        self.await_executions(process)
        process.send_signal(signal.SIGTERM)
        text = self.ends(process, 128 + signal.SIGTERM)
        self.assertIn("interrupted", text)

    def test_in_the_middle_of_an_execution(self):
        for how in ("turns", "ignores", "loops"):
            for number in (signal.SIGINT, signal.SIGTERM):
                process = self.begin(plain("hostile"), how)
                self.await_executions(process)
                os.killpg(process.pid, number)
                self.assertIn("interrupted", self.ends(process, 128 + number))

    def test_killed(self):
        for options in ((), ("-j", "2"), ("--isolation", "fork")):
            for words in ((plain("findings"), "correct"), (plain("hostile"), "turns")):
                process = self.begin(*words, options=("--budget", "100s", *options))
                self.await_executions(process)
                process.kill()
                process.communicate(timeout=PATIENCE)
                self.await_no_process()

    def test_killed_with_children(self):
        controlled = ("--budget", "100s", "--children", "controlled")
        for program, how, options in (("hostile", ("forks",), ("--budget", "100s")), ("hostile", ("forks",), controlled),
                                      ("hostile", ("forks-deep",), controlled),
                                      ("starts", ("system", "correct"), controlled)):
            process = self.begin(plain(program), *how, options=options)
            self.await_executions(process)
            process.kill()
            process.communicate(timeout=PATIENCE)
            self.await_no_process()

    def test_budget(self):
        begin = time.monotonic()
        text = self.run_program(OK, plain("findings"), "correct", options=("--budget", "1s"))
        self.assertIn("nothing found", text)
        self.assertGreaterEqual(time.monotonic() - begin, 1)


# --- what is not right --------------------------------------------------------------------------------


class BadInput(Case):
    def refused(self, code, message, *words, **others):
        text = self.jostle(code, *words, **others)
        self.assertIn(message, text)
        self.assertEqual(text.count("\n"), 1, text)
        self.assertEqual(self.schedules(), [])

    def run_refused(self, message, *words, code=USAGE, options=("-i", "10")):
        self.refused(code, message, "run", *options, "--", *words)

    def test_program(self):
        self.run_refused("No such file or directory", "./missing")
        self.run_refused("there is no program 'missing-from-path' in PATH", "missing-from-path")
        self.run_refused("is a directory", self.folder)
        self.run_refused("is not executable", self.write("text", "hello\n"))
        text = self.write("text", "hello\n")
        text.chmod(0o755)
        self.run_refused("neither ELF nor a script", text)
        self.run_refused("did you mean './text'?", "text")
        empty = self.write("empty", "")
        empty.chmod(0o755)
        self.run_refused("is not a program", empty)

    def test_setuid(self):
        copy = self.folder / "copy"
        shutil.copy(plain("findings"), copy)
        copy.chmod(0o4755)
        self.run_refused("setuid", copy)
        copy.chmod(0o2755)
        self.run_refused("setgid", copy)

    def test_static(self):
        result = self.command("cc", "-static", "-g", "-pthread", SOURCES / "order.c", "-o", "static")
        if result.returncode != 0:
            self.skipTest("no static C library")
        self.run_refused("is linked statically", self.folder / "static")

    def elf(self, bits, machine):
        head = bytearray(pathlib.Path(plain("order")).read_bytes())
        head[4] = 1 if bits == 32 else 2
        head[18:20] = struct.pack("<H", machine)
        path = self.folder / "foreign"
        path.write_bytes(head)
        path.chmod(0o755)
        return path

    def test_other_machines(self):
        self.run_refused("is a program for 32-bit x86", self.elf(32, 3))
        self.run_refused("is a program for ARM64", self.elf(64, 183))
        self.run_refused("is a program for ARM;", self.elf(32, 40))
        self.run_refused("is a program for RISC-V", self.elf(64, 243))
        self.run_refused("is a program for another machine", self.elf(64, 22))

    def test_damaged_programs(self):
        whole = pathlib.Path(plain("order")).read_bytes()
        path = self.folder / "cut"
        for size, message in ((4, "is not a program"), (20, "is not a program"), (100, "is damaged")):
            path.write_bytes(whole[:size])
            path.chmod(0o755)
            self.run_refused(message, path)

    def test_script(self):
        script = self.write("script", "#!/bin/sh\necho \"from a script: $1\"\nexit $2\n")
        script.chmod(0o755)
        self.write("expected", "from a script: x y\n")
        self.run_program(OK, script, "x y", "3",
                         options=("-i", "5", "--expect-exit", "3", "--expect-stdout", "expected"))
        self.finds("exit-code", script, "x", "4", options=("-i", "5"))
        shutil.rmtree(self.folder / ".jostle")
        script.write_text("#!/nowhere/at/all\n")
        self.run_refused("cannot start", script)

    def test_script_of_a_shell_with_an_environment_of_its_own(self):
        """bash defines setenv() and its relatives itself."""
        script = self.write("script", '#!/bin/bash\nenv | grep -e ^JOSTLE -e ^LD_PRELOAD && exit 1\n'
                                      'test -z "$(echo "${!JOSTLE@}" $LD_PRELOAD)"\n')
        script.chmod(0o755)
        self.run_program(OK, script, options=("-i", "3"))

    def test_wrappers(self):
        """A script that only starts a program: that one is meant."""
        target = plain("findings")
        for body in (f'exec "{target}" "$@"', f'export A=b; exec env C=d "{target}" "$@"'):
            script = self.write("wrapper", "#!/bin/sh\n" + body + "\n")
            script.chmod(0o755)
            text = self.finds("deadlock", script, "deadlock", options=("-i", "200"))
            self.assertIn(f"becomes '{target}': that is executed", text)
            self.assertIn(f"program {json.dumps(target)}" if " " in target else f"program {target}",
                          self.schedule().read_text())
            self.jostle(FINDING, "replay", self.schedule())
            shutil.rmtree(self.folder / ".jostle")
        # Not if it has prepared more than the environment.
        script.write_text(f'#!/bin/sh\nexec "{target}" "$@" < /dev/null 3< /dev/null\n')
        text = self.run_program(OK, script, "correct", options=("-i", "3"))
        self.assertIn("not controlled: exec", text)
        self.assertNotIn("becomes", text)

    def test_options(self):
        program = plain("findings")
        for message, *words in (
                ("the program is missing", "-i", "5"),
                ("the program is missing", "-i", "5", "--"),
                ("unknown option '--budgte' of 'run': did you mean '--budget'?", "--budgte", "5s", "--", program),
                ("unknown option '--keepgoing' of 'run': did you mean '--keep-going'?", "--keepgoing", "--", program),
                ("--stop-on is for 'race'", "--stop-on", "crash", "--", program),
                ("strategy 'clever'", "--strategy", "clever", "--", program),
                ("isolation", "--isolation", "prison", "--", program),
                ("budget", "--budget", "soon", "--", program),
                ("executions", "-i", "many", "--", program),
                ("executions", "-i", "-5", "--", program),
                ("jobs", "-j", "0", "--", program),
                ("missing.txt", "--expect-stdout", "missing.txt", "--", program),
                ("missing.txt", "--suppressions", "missing.txt", "--", program),
                ("missing.txt", "--replay", "missing.txt", "--", program)):
            with self.subTest(words=words):
                self.refused(USAGE, message, "run", *words)

    def test_nothing_to_do(self):
        self.refused(NOTHING, "with 0 executions", "run", "-i", "0", "--", plain("findings"))
        self.refused(NOTHING, "with no time", "run", "--budget", "0", "--", plain("findings"))
        self.refused(NOTHING, "with no time", "run", "--budget", "0s", "--", plain("findings"))

    def test_dashes_forgotten(self):
        # What comes after the program is the program's.
        self.write("expected", "argument '-x'\nargument '--seed'\nargument '--'\nargument '5'\ninput ends\n")
        self.jostle(OK, "run", "-i", "5", "--expect-stdout", "expected", plain("echo"), "-x", "--seed", "--", "5")

    def test_unknown_file_formats(self):
        for option in ("--suppressions", "--baseline"):
            self.write("list", "no such kind of line here\n")
            text = self.jostle(USAGE, "run", "-i", "5", option, "list", "--", plain("findings"), "correct")
            self.assertIn("line 1: ", text)

    def in_namespace(self, script):
        """In a mount namespace, where that is permitted."""
        if self.command("unshare", "-rm", "true").returncode != 0:
            self.skipTest("no user namespaces")
        return self.command("unshare", "-rm", "sh", "-ec", script)

    def test_full_disk(self):
        (self.folder / "disk").mkdir()
        result = self.in_namespace(f"""
            mount -t tmpfs -o size=64k none disk
            cd disk
            head -c 100000 /dev/zero > filler 2>/dev/null || true
            code=0
            '{JOSTLE}' run -i 1000 --json r.json -- '{plain("findings")}' assertion || code=$?
            find . -type f ! -name filler -size +0 | sed 's/^/left: /'
            exit $code""")
        self.assertEqual(result.returncode, INTERNAL, result.stderr)
        self.assertIn("No space left on device", result.stderr)
        # What was found is told all the same.
        self.assertIn("assertion `balance == 2` failed", result.stdout)
        self.assertNotIn("left:", result.stdout)

    def test_full_disk_for_the_schedule(self):
        (self.folder / "disk").mkdir()
        result = self.in_namespace(f"""
            mount -t tmpfs -o size=64k none disk
            cd disk
            head -c 100000 /dev/zero > filler 2>/dev/null || true
            code=0
            '{JOSTLE}' run -i 1000 -- '{plain("findings")}' assertion || code=$?
            find . -type f ! -name filler | sed 's/^/left: /'
            exit $code""")
        self.assertEqual(result.returncode, FINDING, result.stderr)
        self.assertIn("the schedule could not be saved", result.stdout)
        self.assertIn("assertion `balance == 2` failed", result.stdout)
        self.assertNotIn("left:", result.stdout)

    def test_read_only_directory(self):
        (self.folder / "disk").mkdir()
        result = self.in_namespace(f"""
            mount -t tmpfs -o ro none disk
            cd disk
            '{JOSTLE}' run -i 20 -- '{plain("findings")}' correct
            '{JOSTLE}' run -i 1000 -- '{plain("findings")}' assertion""")
        self.assertEqual(result.returncode, FINDING, result.stderr)
        self.assertIn("nothing found", result.stdout)
        self.assertIn("the schedule could not be saved", result.stdout)
        self.assertIn("Read-only file system", result.stdout)

    def test_results_in_a_directory_that_is_a_file(self):
        self.write("file", "")
        text = self.jostle(FINDING, "run", "-i", "1000", "--output", "file", "--", plain("findings"), "assertion")
        self.assertIn("the schedule could not be saved", text)

    def test_two_in_one_directory(self):
        both = [self.start(JOSTLE, "run", "-i", "1000", "--json", f"{i}.json", "--", plain("findings"), "assertion")
                for i in range(2)]
        for process in both:
            _, err = process.communicate(timeout=PATIENCE)
            self.assertEqual(process.returncode, FINDING, err)
        [a, b] = [json.loads((self.folder / f"{i}.json").read_text())["findings"][0] for i in range(2)]
        self.assertEqual(a["fingerprint"], b["fingerprint"])
        for finding in (a, b):
            self.jostle(FINDING, "replay", finding["schedule"])

    def test_config(self):
        self.write("jostle.toml", "sede = 1\n")
        self.run_refused("unknown key 'sede': did you mean 'seed'?", plain("findings"), "correct")
        self.write("jostle.toml", "executions = 7\nbudget = 0\n[program.findings]\nexpect-exit = 5\n")
        text = self.jostle(OK, "run", "--", plain("findings"), "exit", "5")
        self.assertIn("7 executions", text)


# --- where executions start ---------------------------------------------------------------------------


class Features(Case):
    def test_kernel_threads(self):
        """Both backends make the same executions."""
        counts = {}
        for backend in ("fibers", "threads"):
            shutil.rmtree(self.folder / ".jostle", ignore_errors=True)
            self.finds("assertion", seen("findings"), "assertion", options=("-i", "1000", "--backend", backend))
            self.assertTrue(self.found["confirmed"])
            counts[backend] = self.result["executions"]
            self.assertIn("(exact)", self.jostle(FINDING, "replay", self.schedule()))
        self.assertEqual(counts["fibers"], counts["threads"])

    def test_folder_of_a_finding(self):
        self.finds("assertion", plain("findings"), "assertion")
        folder = self.schedule().parent
        self.assertEqual(folder.name, self.schedule().stem)
        self.assertIn("assertion `balance == 2` failed", (folder / "report.txt").read_text())
        self.assertRegex((folder / "trace.txt").read_text(), r"\d+\tT1\tlock ")
        self.assertRegex((folder / "stacks.txt").read_text(), r"(?m)^T0: ")

    def test_explain(self):
        self.finds("assertion", plain("findings"), "assertion")
        text = self.jostle(FINDING, "explain", self.schedule())
        self.assertRegex(text, r"nearest schedule that passes(.|\n)*passes ─▶ T\d(.|\n)*fails ──▶ T\d")

    def test_explain_what_needs_no_schedule(self):
        always = self.compile("always", "int main(void) {\n  *(volatile int*)0 = 1;\n}\n")
        self.finds("crash", always, options=("-i", "5"))
        self.assertIn("Every schedule near this one fails, too", self.jostle(FINDING, "explain", self.schedule()))

    def test_debugger(self):
        self.finds("assertion", plain("findings"), "assertion")
        result = self.command(JOSTLE, "replay", "--gdb", self.schedule(), input="")
        self.assertRegex(result.stdout, r"Breakpoint 1, (jostle::)?jostle_failed")

    def test_regressions(self):
        self.finds("assertion", plain("findings"), "assertion")
        shutil.copytree(self.folder / ".jostle", self.folder / "jostle-regressions")
        text = self.run_program(FINDING, plain("findings"), "assertion", options=("-i", "1"))
        self.assertIn("fails again", text)
        # Another program's schedules are not for this one.
        self.assertNotIn("jostle-regressions", self.run_program(OK, plain("hostile"), "", options=("-i", "3")))

    def test_configuration(self):
        """Command line, environment, file: the first that says something counts."""
        (self.folder / "jostle.toml").write_text('executions = 7\n[program.findings]\nisolation = "fork"\n')
        program = (plain("findings"), "correct")
        self.assertIn("7 executions", self.run_program(OK, *program, options=()))
        text = self.run_program(OK, *program, options=("--json", "r.json"), env={"JOSTLE_OPTIONS": "executions=9"})
        self.assertIn("9 executions", text)
        self.assertEqual(json.loads((self.folder / "r.json").read_text())["runs"][0]["isolation"], "fork")
        self.assertIn("3 executions", self.run_program(OK, *program, options=("-i", "3"),
                                                       env={"JOSTLE_OPTIONS": "executions=9"}))
        (self.folder / "jostle.toml").write_text("exections = 7\n")
        self.assertIn("jostle.toml:1: ", self.run_program(USAGE, *program, options=("-i", "3")))

    def test_random_numbers(self):
        for path in (plain, seen):
            (self.folder / "empty").write_text("")
            self.finds("assertion", path("random"), options=("-i", "1", "--expect-stdout", "empty"))
            printed = (self.schedule().parent / "output.txt").read_text().removeprefix("stdout:\n")
            self.assertRegex(printed, r"^\d+ \d+ \d+ \d+ pipe\n$")
            (self.folder / "expected").write_text(printed)
            text = self.run_program(OK, path("random"), options=("-i", "200", "--expect-stdout", "expected"))
            self.assertIn("not controlled: random numbers of the processor", text)
            self.assertNotIn("random numbers", self.run_program(OK, path("turns"), "1", "1", options=("-i", "1")))
            shutil.rmtree(self.folder / ".jostle")

    def test_pages_that_the_kernel_changes(self):
        (self.folder / "file").write_bytes(b"x" * 50000)
        for part in ("fills", "empties"):
            native = self.command(plain("pages"), part, "file").stdout
            (self.folder / "expected").write_text(native)
            text = self.run_program(OK, plain("pages"), part, "file",
                                    options=("-i", "100", "--expect-stdout", "expected"))
            self.assertNotIn("a process for each execution", text)

    def test_an_allocator_of_its_own(self):
        for path in (plain, seen):
            # Where its heap ends tells whether anybody else has used it.
            self.write("nothing", "")
            text = self.finds("assertion", path("own_malloc"), "x", options=("-i", "1", "--expect-stdout", "nothing"))
            line = re.search(r"^  (\d+ bytes, \d+ blocks)$", text, re.MULTILINE)[1]
            self.write("expected", line + "\n")
            for isolation in ("snapshot", "fork"):
                self.run_program(OK, path("own_malloc"), "x", options=("-i", "300", "--expect-stdout", "expected",
                                                                       "--isolation", isolation))

    def test_an_allocator_in_a_library(self):
        library = self.compile("allocator.so", "own_malloc.c", ("cc", "-shared", "-fPIC"))
        program = self.compile("counter", COUNTER.replace("assert(balance == 3)", "assert(balance)"))
        for options in ((), ("--isolation", "fork")):
            self.run_program(OK, program, options=("-i", "300", *options), env={"LD_PRELOAD": str(library)})

    def test_openmp(self):
        """Races that its library prevents are not known as such: the report says so."""
        source = """
            int main(void) {
              int n = 0;
            #pragma omp parallel num_threads(2) reduction(+ : n)
              ++n;
              return n != 2;
            }
            """
        try:
            program = self.compile("parallel", source, ("cc", "-fopenmp"))
        except AssertionError:
            self.skipTest("no OpenMP")
        text = self.run_program(OK, program, options=("-i", "3"))
        self.assertIn("not controlled: what the library of OpenMP synchronises by itself", text)
        self.assertNotIn("--races=false", text)
        program = self.compile("parallel", source, (JOSTLE, "cc", "-fopenmp"))
        self.assertIn("--races=false", self.run_program(OK, program, options=("-i", "3", "--races=false")))

    def test_an_address_of_malloc(self):
        """Not a definition, though the program has an entry for it."""
        program = self.compile("address", """
#include <stdlib.h>
void* (*allocate)(size_t) = malloc;
void (*release)(void*) = free;
int main(void) {
  release(allocate(10));
  return 0;
}
""", ("cc", "-no-pie", "-fno-pie"))
        self.run_program(OK, program, options=("-i", "10"))

    def test_what_is_not_determined(self):
        program = self.compile("turns", """
            #include <pthread.h>
            #include <stdio.h>
            static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
            static void* nothing(void* unused) { return unused; }
            int main(void) {
              FILE* f = fopen("turns.txt", "a");
              fputs("x", f);
              long n = ftell(f);
              fclose(f);
              for (long i = 0; i < n % 5; ++i) pthread_mutex_lock(&mutex), pthread_mutex_unlock(&mutex);
              pthread_t t;
              pthread_create(&t, NULL, nothing, NULL);
              return pthread_join(t, NULL);
            }""")
        self.assertIn("the same schedule gave two executions", self.run_program(OK, program, options=("-i", "5")))
        self.assertNotIn("two executions", self.run_program(OK, plain("findings"), "correct", options=("-i", "5")))

    def test_status_line(self):
        leader, follower = os.openpty()
        process = subprocess.Popen([JOSTLE, "run", "--budget", "2s", "--", plain("findings"), "correct"],
                                   cwd=self.folder, stdin=subprocess.DEVNULL, stdout=follower, stderr=follower,
                                   env=self.environment())
        os.close(follower)
        text = b""
        try:
            while part := os.read(leader, 4096):
                text += part
        except OSError:  # how a terminal says that it is over
            pass
        os.close(leader)
        self.assertEqual(process.wait(PATIENCE), OK)
        self.assertRegex(text.decode(), r"\rjostle: 0:0\d  0 found  [\d ]+ executions  [\d ]+/s  .* behaviours, new")


class Check(Case):
    """jostle check: counts are known from combinatorics."""

    def check(self, code, *words, options=()):
        self.jostle(code, "check", "--json", "r.json", *options, "--", seen("turns"), *words)
        self.result = json.loads((self.folder / "r.json").read_text())
        return self.result

    def test_counts(self):
        for options in ((), ("-j", "2"), ("--isolation", "fork"), ("--priority", "rand"), ("--backend", "threads")):
            r = self.check(OK, "2", "2", options=options)
            self.assertEqual((r["executions"], r["blocked"], r["complete"]), (6, 0, True), options)
        r = self.check(OK, "3", "3", options=("-j", "2"))
        self.assertEqual(r["executions"], 1680)
        self.assertIn("1680 executed", r["guarantee"])

    def test_finds(self):
        r = self.check(FINDING, "3", "2", "x")
        self.assertEqual(r["findings"][0]["kind"], "exit-code")
        self.assertEqual(r["verdict"], "finding")
        self.assertFalse(r["complete"])
        self.assertIn("(exact)", self.jostle(FINDING, "replay", self.schedule()))

    def outlives(self, code, verb, program, way, *options):
        self.jostle(code, verb, "--json", "r.json", *options, "--", program, way)
        return json.loads((self.folder / "r.json").read_text())

    def test_static_objects_of_threads_that_outlive_the_program(self):
        """Who makes one in time for the end of the program is a decision, and not one that races."""
        program = self.compile("statics", """
            #include <atomic>
            #include <cstdlib>
            #include <mutex>
            #include <thread>
            static std::atomic<bool> gone;
            struct Table {
              std::mutex mutex;
              int entries = 0;
              ~Table() { gone = entries >= 0; }
            };
            static Table& table() {
              static Table t;
              return t;
            }
            int main(int argc, char**) {
              std::thread user([] {
                for (int i = 0; i < 2; ++i) {
                  std::lock_guard lock(table().mutex);
                  if (gone) std::abort();
                  ++table().entries;
                }
              });
              if (argc > 1) user.join(); else user.detach();
            }
            """, (JOSTLE, "c++", "-std=c++20", "-x", "c++"))
        for verb in ("run", "check"):
            text = self.jostle(FINDING, verb, "-i", "5000", "--", program)
            self.assertIn("abort() was called", text)
            self.assertNotIn("not controlled", text)
        self.jostle(OK, "check", "--", program, "joined")

    def test_threads_that_outlive_the_program(self):
        """What they could do before its end is not passed over, and does not keep it from ending."""
        for path in (plain, seen):
            r = self.outlives(FINDING, "run", path("outlives"), "fails-late", "-i", "500")
            self.assertEqual(r["findings"][0]["kind"], "assertion")
            self.assertTrue(r["findings"][0]["confirmed"])
        for way, kind in (("fails-late", "assertion"), ("reads-late", "heap")):
            for verb in ("run", "check"):
                r = self.outlives(FINDING, verb, seen("outlives"), way, "-i", "2000")
                self.assertIn(kind, [f["kind"] for f in r["findings"]], (verb, way))
                self.assertIn("(exact)", self.jostle(FINDING, "replay", r["findings"][-1]["schedule"]))
        for way in ("", "works", "waits", "sleeps", "spins"):
            self.outlives(OK, "run", seen("outlives"), way, "-i", "300")
            r = self.outlives(OK, "check", seen("outlives"), way)
            self.assertEqual((r["blocked"], r["complete"]), (0, True), way)
        self.outlives(OK, "run", seen("outlives"), "counts", "-i", "300")
        r = self.outlives(INCOMPLETE, "check", seen("outlives"), "counts", "-i", "20")
        self.assertEqual(r["findings"], [])

    def test_bound(self):
        r = self.check(OK, "2", "3", options=("--preemptions", "0"))
        self.assertEqual(r["executions"], 2)
        self.assertIn("at most 0 preemptions", r["guarantee"])
        self.check(USAGE, "2", "3", options=("--preemptions", "1", "--reduction", "optimal"))

    def test_not_complete(self):
        r = self.check(INCOMPLETE, "3", "3", options=("-i", "50"))
        self.assertEqual(r["verdict"], "incomplete")
        self.assertEqual(r["guarantee"], "")
        self.assertIn("limit of 50 executions", r["runs"][0]["incomplete"])

    def test_not_seen(self):
        text = self.jostle(INCOMPLETE, "check", "--", plain("turns"), "2", "2")
        self.assertIn("not complete, because not controlled: memory accesses", text)

    def test_resume(self):
        """In pieces, or in one: the same executions."""
        self.check(INCOMPLETE, "3", "3", options=("-i", "400"))
        self.check(INCOMPLETE, "3", "3", options=("-i", "900", "--resume"))
        r = self.check(OK, "3", "3", options=("--resume",))
        self.assertEqual((r["executions"], r["executions_total"], r["blocked"]), (1680, 1680, 0))
        self.assertFalse(list((self.folder / ".jostle").glob("*.check")))
        text = self.jostle(OK, "check", "--resume", "--", seen("turns"), "2", "2")
        self.assertIn("nothing to go on with, from the start: there is no", text)

    def test_resume_what_lies_on_the_stack_of_main(self):
        """It lies elsewhere when the environment is another; and what may fail for no reason."""
        program = self.compile("increments", """
            #include <atomic>
            #include <thread>
            int main() {
              std::atomic<int> x{0}, y{0};
              auto increment = [](std::atomic<int>& a) {
                int seen = a.load();
                while (!a.compare_exchange_weak(seen, seen + 1)) {}
              };
              std::thread a([&] { increment(x); increment(y); }), b([&] { increment(x); increment(y); });
              increment(x);
              a.join();
              b.join();
            }
            """, (JOSTLE, "c++", "-std=c++20", "-x", "c++"))
        for stop in ("50", "700"):
            self.jostle(INCOMPLETE, "check", "-i", stop, "--", program)
            self.assertIn(": 1536 executed", self.jostle(OK, "check", "--resume", "--", program))

    def test_resume_after_kill(self):
        """4 threads take a lock 3 times: 12! / 3!^4 orders."""
        run = subprocess.Popen([JOSTLE, "check", "--quiet", "--", seen("turns"), "4", "3"], cwd=self.folder,
                               env=self.environment(), stderr=subprocess.DEVNULL, start_new_session=True)
        file = self.folder / ".jostle" / "turns.check"
        deadline = time.monotonic() + PATIENCE
        while not file.exists() and run.poll() is None and time.monotonic() < deadline:
            time.sleep(0.05)
        os.killpg(run.pid, signal.SIGKILL)
        run.wait(PATIENCE)
        saved = file.read_bytes()
        begun = time.monotonic()
        r = self.check(OK, "4", "3", options=("--resume",))
        self.assertEqual((r["executions"], r["executions_total"], r["blocked"]), (369600, 369600, 0))
        self.assertGreater(r["seconds"], time.monotonic() - begun, "what was done before counts")
        file.write_bytes(saved[:1000])
        text = self.jostle(INCOMPLETE, "check", "--resume", "-i", "10", "--", seen("turns"), "4", "3")
        self.assertIn("is damaged", text)

    def test_interrupt(self):
        run = subprocess.Popen([JOSTLE, "check", "--", seen("turns"), "4", "4"], cwd=self.folder, text=True,
                               env=self.environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        file = self.folder / ".jostle" / "turns.check"
        deadline = time.monotonic() + PATIENCE
        while not file.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        run.send_signal(signal.SIGINT)
        said = run.communicate(timeout=PATIENCE)[0]
        self.assertEqual(run.returncode, 128 + signal.SIGINT)
        self.assertIn("not complete, because it was interrupted", said)
        self.assertTrue(file.exists())

    def test_hostile(self):
        """A program that starts processes, or never ends."""
        text = self.jostle(INCOMPLETE, "check", "--", seen("hostile"), "child")
        self.assertIn("a process for each execution", text)
        self.jostle(FINDING, "check", "--timeout", "1", "--", seen("hostile"), "loops")

    def test_output(self):
        """Which line is printed first is a difference if the output is compared, and only then."""
        program = self.compile("prints", """
            #include <pthread.h>
            #include <stdio.h>
            static void* say(void* text) { puts(text); return NULL; }
            int main(void) {
              pthread_t t;
              pthread_create(&t, NULL, say, "one");
              puts("two");
              return pthread_join(t, NULL);
            }""", compiler=(JOSTLE, "cc"))
        (self.folder / "expected").write_text("two\none\n")
        self.assertIn("1 executed", self.jostle(OK, "check", "--", program))
        self.assertIn("the output differs", self.jostle(FINDING, "check", "--expect-stdout", "expected", "--", program))

    def test_wrong_use(self):
        self.assertIn("there is no priority 'foo'",
                      self.jostle(USAGE, "check", "--priority", "foo", "--", seen("turns"), "2", "2"))
        self.assertIn("a check has no strategy",
                      self.jostle(USAGE, "check", "--strategy", "pct", "--", seen("turns"), "2", "2"))
        self.assertIn("mdpor", self.jostle(OK, "list", "priorities"))


class StartPoint(Case):
    def starts(self, code, *words):
        """What was printed, and how often the program was started."""
        read, write = os.pipe()
        text = self.jostle(code, "run", "-i", "300", "--json", "result.json", *words, pass_fds=(3,),
                           preexec_fn=lambda: os.dup2(write, 3))
        os.close(write)
        with open(read, "rb") as pipe:
            return text, len(pipe.read())

    def test_ready(self):
        text, count = self.starts(OK, "--start-at", "jostle_ready", "--", seen("ready"))
        self.assertEqual(count, 1)
        self.assertIn("300 executions", text)
        text, count = self.starts(FINDING, "--start-at", "jostle_ready", "--", seen("ready"), "fail")
        self.assertEqual(count, 1)
        self.assertIn("assertion `balance == 2` failed", text)
        self.assertIn("(exact)", self.jostle(FINDING, "replay", self.schedule()))
        self.assertIn("jostle: ", self.jostle(OK, "minimize", self.schedule()))

    def test_function(self):
        for name in ("serve", "main"):
            text, count = self.starts(OK, "--start-at", name, "--", plain("late"))
            self.assertEqual(count, 1 if name == "serve" else 300 + 2)
        text = self.jostle(USAGE, "run", "-i", "3", "--start-at", "sreve", "--", plain("late"))
        self.assertIn("did you mean 'serve'?", text)

    def test_fork(self):
        text, count = self.starts(OK, "--isolation", "fork", "--start-at", "jostle_ready", "--", seen("ready"))
        self.assertEqual(count, 1)

    def test_never_reached(self):
        for program in (seen("ready"), plain("findings")):
            text = self.jostle(NOTHING, "run", "-i", "10", "--start-at", "jostle_ready", "--", program, "never")
            self.assertIn("ended before it reached jostle_ready()", text)

    def test_without_jostle_the_call_does_nothing(self):
        self.assertEqual(self.command(seen("ready")).returncode, 0)
        self.run_program(OK, seen("ready"), options=("-i", "50"))

    def test_constructors_that_start_threads(self):
        """They belong to each execution, and so do the destructors that wait for them."""
        self.write("expected", "3\n")
        for path in (plain, seen):
            for isolation in ("snapshot", "fork"):
                text = self.run_program(OK, path("before_main"), options=(
                    "-i", "200", "--isolation", isolation, "--expect-stdout", "expected"))
                self.assertIn("nothing found", text)
                self.assertEqual("memory accesses" in text, path is plain)
            self.finds("assertion", path("before_main"), "early", options=("-i", "1000"))

    def test_threads_of_a_library(self):
        """They are there before anything can be done about it: that is told."""
        library = self.compile("libearly.so", """
#include <pthread.h>
#include <unistd.h>
static void* wait_for_ever(void* unused) {
  for (;;) pause();
  return unused;
}
__attribute__((constructor)) static void begin(void) {
  pthread_t thread;
  pthread_create(&thread, 0, wait_for_ever, 0);
}
""", compiler=("cc", "-shared", "-fPIC"))
        program = self.compile("early", "findings.c", compiler=("cc", "-Wl,--no-as-needed", library))
        text = self.run_program(OK, program, "correct", options=("-i", "20"))
        self.assertIn("threads that a shared library started", text)

    def test_threads_before_the_start(self):
        text = self.jostle(USAGE, "run", "-i", "3", "--start-at", "main", "--", plain("before_main"))
        self.assertIn("start before them", text)


# --- results for machines -----------------------------------------------------------------------------


class Results(Case):
    FIELDS = {"verdict", "executions", "seconds", "executions_per_second", "complete", "guarantee",
              "findings", "uncontrolled"}
    FINDING_FIELDS = {"kind", "message", "function", "file", "line", "schedule"}

    def results(self, code, *words):
        self.jostle(code, "run", "-i", "500", "--json", "new/json", "--junit", "new/junit", "--sarif", "new/sarif",
                    "--perfetto", "new/perfetto", "--", *words)
        new = self.folder / "new"
        return (json.loads((new / "json").read_text()), xml.etree.ElementTree.parse(new / "junit").getroot(),
                json.loads((new / "sarif").read_text()), json.loads((new / "perfetto").read_text()))

    def test_finding(self):
        for path in (plain, seen):
            value, junit, sarif, perfetto = self.results(FINDING, path("findings"), "deadlock")
            self.assertLessEqual(self.FIELDS, set(value))
            self.assertEqual(value["verdict"], "finding")
            [finding] = value["findings"]
            self.assertLessEqual(self.FINDING_FIELDS, set(finding))
            self.assertEqual(finding["kind"], "deadlock")
            self.assertTrue(pathlib.Path(self.folder, finding["schedule"]).exists())
            self.assertEqual(len(value["uncontrolled"]), path is plain)
            case = junit.find(".//testcase")
            self.assertIsNotNone(case.find("failure"))
            [result] = sarif["runs"][0]["results"]
            self.assertEqual(result["ruleId"], "deadlock")
            self.assertGreaterEqual(len(result["codeFlows"][0]["threadFlows"]), 2)
            self.assertTrue(perfetto["traceEvents"])

    def test_nothing_found(self):
        value, junit, sarif, perfetto = self.results(OK, plain("findings"), "correct")
        self.assertLessEqual(self.FIELDS, set(value))
        self.assertEqual((value["verdict"], value["findings"], value["executions"]), ("ok", [], 500))
        self.assertGreater(value["executions_per_second"], 0)
        self.assertIsNone(junit.find(".//failure"))
        self.assertEqual(sarif["runs"][0]["results"], [])

    def test_relative_to_where_jostle_was_called(self):
        self.results(OK, plain("echo"), "cd")

    def test_quiet(self):
        text = self.jostle(OK, "run", "-i", "50", "--quiet", "--", plain("findings"), "correct")
        self.assertEqual(text, "")
        text = self.jostle(FINDING, "run", "-i", "500", "--quiet", "--", plain("findings"), "assertion")
        self.assertIn("assertion `balance == 2` failed", text)


class Baselines(Case):
    """Findings that are accepted for now."""

    # Every execution fails, in one way or the other.
    RACE_TO_WIN = textwrap.dedent("""\
        #include <pthread.h>
        #include <assert.h>
        static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
        static const char* winner;
        static void* work(void* name) {
          pthread_mutex_lock(&mutex);
          if (!winner) winner = name;
          pthread_mutex_unlock(&mutex);
          return 0;
        }
        int main(void) {
          pthread_t other;
          pthread_create(&other, 0, &work, "other");
          work("main");
          pthread_join(other, 0);
          assert(*winner != 'm');
          assert(*winner != 'o');
          return 0;
        }
        """)

    def known(self):
        return (self.folder / "known").read_text()

    def results(self):
        value = json.loads((self.folder / "result.json").read_text())
        return value, [(f["kind"], f.get("baseline")) for f in value["findings"]]

    def test_made_and_used(self):
        program = seen("findings")
        text = self.run_program(OK, program, "assertion",
                                options=("-i", "500", "--baseline", "known", "--update-baseline", "--json", "result.json"))
        self.assertIn("assertion `balance == 2` failed", text)
        self.assertIn("jostle: findings: 1 finding in 500 executions", text)
        self.assertIn("jostle: 1 finding added to the baseline 'known'", text)
        self.assertEqual(self.known(), "jostle-baseline 2\nassertion|main@findings.c: assert(balance == 2);\n")
        value, found = self.results()
        self.assertEqual((value["verdict"], found), ("ok", [("assertion", "added")]))

        text = self.run_program(OK, program, "assertion",
                                options=("-i", "500", "--baseline", "known", "--json", "result.json", "--sarif", "sarif"))
        self.assertIn("500 executions", text)
        self.assertIn("nothing new found\njostle: known: assertion in main at findings.c:", text)
        self.assertNotIn("To replay it", text)
        value, found = self.results()
        self.assertEqual((value["verdict"], found), ("ok", [("assertion", "known")]))
        [result] = json.loads((self.folder / "sarif").read_text())["runs"][0]["results"]
        self.assertEqual(result["baselineState"], "unchanged")

        text = self.run_program(FINDING, program, "deadlock", options=("-i", "500", "--baseline", "known"))
        self.assertIn("1 finding in", text)

    def test_survives_edits_and_goes_on_past_it(self):
        for verb in ("run", "check", "cover"):
            with self.subTest(verb=verb):
                (self.folder / "known").unlink(missing_ok=True)
                shutil.rmtree(self.folder / ".jostle", ignore_errors=True)
                program = self.compile("program", self.RACE_TO_WIN, (JOSTLE, "cc"))
                # Of the first execution; the same seed makes the same one again.
                self.jostle(INCOMPLETE if verb == "check" else OK, verb, "-i", "1", "--baseline", "known",
                            "--update-baseline", "--memo", "none", "--", program)
                before = self.known()
                [line] = before.splitlines()[1:]
                self.assertRegex(line, r"^assertion\|main@source.c: assert\(\*winner != '[mo]'\);$")
                program = self.compile("program", "// One line more.\n\n" + self.RACE_TO_WIN, (JOSTLE, "cc"))
                text = self.jostle(FINDING, verb, "-i", "500", "--baseline", "known", "--memo", "none",
                                   "--json", "result.json", "--", program)
                self.assertIn("known: assertion in main at source.c:", text)
                self.assertEqual(self.results()[1], [("assertion", "new"), ("assertion", "known")])
                self.assertEqual(self.known(), before, "only an update changes it")

    def test_a_check_promises_nothing_beyond_what_is_known(self):
        program = self.compile("program", self.RACE_TO_WIN, (JOSTLE, "cc"))
        self.jostle(INCOMPLETE, "check", "--baseline", "known", "--update-baseline", "--", program)
        self.assertEqual(len(self.known().splitlines()), 3)
        text = self.jostle(INCOMPLETE, "check", "--baseline", "known", "--", program)
        self.assertIn("an execution failed, in a way that is known", text)

    def test_update_keeps_what_is_there(self):
        others = "# until June\nrace|f@a.c: x = 1;|g@a.c: x = 2;\n"
        self.write("known", "jostle-baseline 2\n" + others)
        text = self.run_program(OK, plain("findings"), "exit-code",
                                options=("-i", "500", "--baseline", "known", "--update-baseline"))
        self.assertIn("1 finding added", text)
        head, added, *rest = self.known().splitlines(True)
        self.assertTrue(added.startswith("exit-code|"), added)
        self.assertEqual("".join(rest), others)
        # With nothing new it stays as it is.
        kept = self.known()
        text = self.run_program(OK, plain("findings"), "exit-code",
                                options=("-i", "500", "--baseline", "known", "--update-baseline"))
        self.assertNotIn("added", text)
        self.assertEqual(self.known(), kept)

    def test_environment(self):
        self.run_program(OK, plain("findings"), "deadlock",
                         env={"JOSTLE_OPTIONS": "baseline=known:update-baseline:executions=300:budget=0"})
        self.assertEqual(len(self.known().splitlines()), 2)

    def test_wrong_use(self):
        program = plain("findings"), "assertion"
        self.assertIn("update-baseline needs option baseline",
                      self.jostle(USAGE, "run", "--update-baseline", "--", *program))
        self.assertIn("with option update-baseline it is made",
                      self.jostle(USAGE, "run", "--baseline", "known", "--", *program))
        self.write("known", "jostle-baseline 2\n<<<<<<< HEAD\n")
        for more in ((), ("--update-baseline",)):
            self.assertIn("'known': line 2: ", self.jostle(USAGE, "run", "--baseline", "known", *more, "--", *program))
        self.assertEqual(self.known(), "jostle-baseline 2\n<<<<<<< HEAD\n")

    def test_unwritable(self):
        self.write("file", "")
        text = self.jostle(INTERNAL, "run", "-i", "500", "--baseline", "file/known", "--update-baseline", "--",
                           plain("findings"), "assertion")
        self.assertIn("assertion `balance == 2` failed", text)
        self.assertIn("jostle: error: cannot", text)


class Cover(Case):
    """jostle cover and jostle db."""

    def cover(self, code, *words, options=()):
        text = self.jostle(code, "cover", "-i", "2000", "--json", "result.json", *options, "--", *words)
        [run] = json.loads((self.folder / "result.json").read_text())["runs"]
        self.coverage = run["coverage"]
        return text

    def exposed(self):
        return {i["id"] for i in self.coverage["items"] if i["exposed"]}

    def test_to_saturation(self):
        for path in (plain, seen):
            text = self.cover(OK, path("findings"), "correct", options=("--memo", "none"))
            self.assertTrue(self.coverage["saturated"], text)
            self.assertIn("is more testing worth it?", text)
            self.assertGreaterEqual(len(self.exposed()), 2)
            self.assertEqual(self.coverage["curve"][-1]["exposed"], len(self.exposed()))
        self.assertFalse((self.folder / ".jostle" / "memo.db").exists())

    def test_same_in_every_isolation(self):
        self.cover(OK, seen("findings"), "correct", options=("--memo", "none"))
        snapshot = self.exposed()
        self.cover(OK, seen("findings"), "correct", options=("--memo", "none", "--isolation", "fork"))
        self.assertEqual(self.exposed(), snapshot)

    def test_finding(self):
        for kind in ("assertion", "deadlock", "crash"):
            text = self.cover(FINDING, seen("findings"), kind)
            self.assertIn(kind, text)
            self.assertIn("jostle replay", text)
        self.jostle(FINDING, "replay", self.schedules()[0])

    def test_finds_it_again(self):
        """What was found stays so until it is mended, whatever was remembered."""
        found = []
        for _ in range(3):
            text = self.cover(FINDING, seen("findings"), "assertion")
            found.append(re.search(r"1 finding in \d+ executions?", text)[0])
        self.assertEqual(len(set(found)), 1)
        self.assertEqual(len(self.jostle(OK, "db", "history").splitlines()), 3)
        self.assertEqual(self.jostle(OK, "db", "items"), "")

    def test_memo(self):
        self.cover(OK, seen("findings"), "correct")
        first = self.exposed()
        self.assertIn("findings", self.jostle(OK, "db", "show"))
        self.cover(OK, seen("findings"), "correct")
        known = {i["id"] for i in self.coverage["items"] if i["known"]}
        self.assertEqual(known, first)
        history = self.jostle(OK, "db", "history").splitlines()
        self.assertEqual(len(history), 2)
        self.assertRegex(history[1], r" 0 new ")
        items = self.jostle(OK, "db", "items", "--state", "exposed").splitlines()
        self.assertEqual(len(items), len(first))
        exported = [json.loads(line) for line in self.jostle(OK, "db", "export").splitlines()]
        self.assertEqual({i["id"] for i in exported if i["state"] == "exposed"}, first)
        self.jostle(OK, "db", "merge", "--memo", "other.db", ".jostle/memo.db")
        self.jostle(OK, "db", "merge", "--memo", "other.db", ".jostle/memo.db")
        self.assertEqual(self.jostle(OK, "db", "export", "--memo", "other.db"),
                         self.jostle(OK, "db", "export"))
        self.assertIn("2 runs forgotten", self.jostle(OK, "db", "prune", "--program", "findings"))
        self.assertEqual(self.jostle(OK, "db", "history"), "")

    def test_wrong_use(self):
        self.jostle(USAGE, "db", "show")
        self.jostle(USAGE, "cover", "--strategy", "pct", "--", seen("findings"), "correct")
        (self.folder / "damaged.db").write_text("nothing that SQLite knows")
        (self.folder / "file").write_text("")
        for memo in ("damaged.db", "postgresql://server/base", "file/memo.db"):
            self.assertIn("memo database",
                          self.jostle(USAGE, "cover", "--memo", memo, "--", seen("findings"), "correct"))
        self.assertEqual((self.folder / "damaged.db").read_text(), "nothing that SQLite knows")
        self.cover(OK, seen("findings"), "correct")
        self.jostle(USAGE, "db", "prune")
        self.jostle(USAGE, "db", "merge", "none.db")

    def test_coverage_of_a_run(self):
        for options in ((), ("-j", "2"), ("--isolation", "fork")):
            text = self.jostle(OK, "run", "-i", "200", "--coverage", *options, "--", seen("findings"),
                               "correct")
            self.assertRegex(text, r"iroot1 +\d")
            self.assertRegex(text, r"pair +\d")

    def test_plot(self):
        self.cover(OK, seen("findings"), "correct", options=("--plot", "curve.svg"))
        picture = xml.etree.ElementTree.parse(self.folder / "curve.svg").getroot()
        self.assertTrue(picture.tag.endswith("svg"))
        self.assertIn("interleavings exposed", (self.folder / "curve.svg").read_text())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
