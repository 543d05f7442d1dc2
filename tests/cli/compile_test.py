#!/usr/bin/env python3
"""Tests of jostle cc and jostle c++: with a compiler that only notes its arguments, and with real ones.

usage: compile_test.py JOSTLE INSTRUMENT_HEADER HOOKS [unittest arguments]

HOOKS is a shared library that stands in for libjostle_program.so.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

JOSTLE, HEADER, HOOKS = (pathlib.Path(path).resolve() for path in sys.argv[1:4])
USAGE, INTERNAL = 2, 3
GCC = ["-fsanitize=thread", "-fno-omit-frame-pointer", *(
    "-fno-builtin-" + name for name in (
        "memcpy", "memset", "memmove", "memcmp", "strlen", "strnlen", "strcmp", "strncmp", "strcpy", "strncpy",
        "strcat", "strncat", "sprintf", "snprintf", "vsnprintf"))]
ONLY_GCC = ["-Wno-tsan", "-fno-ipa-icf"]
ONLY_CLANG = ["-mllvm", "-tsan-instrument-read-before-write=1",
              "-mllvm", "-capture-tracking-max-uses-to-explore=0"]


class Case(unittest.TestCase):
    prefix_of_folder = "jostle-compile-"

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix=self.prefix_of_folder)
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()
        self.install(library=True)

    def install(self, library):
        """Jostle as it is installed, with the stand-in for its library."""
        self.prefix = self.folder / ("prefix" if library else "bare")
        for name in ("bin", "lib", "include/jostle"):
            (self.prefix / name).mkdir(parents=True)
        self.jostle = shutil.copy(JOSTLE, self.prefix / "bin")
        self.header = shutil.copy(HEADER, self.prefix / "include/jostle")
        if library:
            shutil.copy(HOOKS, self.prefix / "lib/libjostle_program.so")

    def command(self, *words, code=0, **variables):
        environment = {k: v for k, v in os.environ.items()
                       if not k.startswith("JOSTLE_") and k not in ("CC", "CXX", "CFLAGS", "CXXFLAGS")}
        result = subprocess.run([str(word) for word in words], cwd=self.folder, text=True, timeout=120,
                                stdin=subprocess.DEVNULL, capture_output=True,
                                env=environment | variables)
        if code is not None:
            self.assertEqual(result.returncode, code, f"{words}\n{result.stdout}\n{result.stderr}")
        return result.stdout + result.stderr

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        return path


class Arguments(Case):
    prefix_of_folder = "jostle compile:"  # a blank and a colon on purpose

    def fake(self, name="fake-gcc", text=""):
        path = self.write(name, f"#!/bin/sh\n{text}\nprintf '%s\\0' \"$@\" >'{self.folder}/seen'\nexit 7\n")
        path.chmod(0o755)
        return str(path)

    def seen(self, *arguments, name="fake-gcc", verb="cc"):
        """What the real compiler is called with."""
        variable = "JOSTLE_CC" if verb == "cc" else "JOSTLE_CXX"
        self.command(self.jostle, verb, *arguments, code=7, **{variable: self.fake(name)})
        return (self.folder / "seen").read_bytes().decode().split("\0")[:-1]

    def link_flags(self):
        lib = self.prefix / "lib"
        return [f"-L{lib}", f"-Wl,-rpath,{lib}", "-Wl,--push-state,--no-as-needed", "-ljostle_program",
                "-Wl,--pop-state"]

    def compile_flags(self, sanitize=("-fsanitize=thread",), own=ONLY_GCC):
        return [*sanitize, *GCC[1:], *own, "-include", self.header]

    def test_questions_pass_untouched(self):
        for words in (["--version"], ["-v"], ["-V"], ["-qversion"], ["-dumpmachine"], ["-dumpversion"],
                      ["-print-search-dirs"], ["--print-multiarch"], ["-print-prog-name=ld"], ["--help"],
                      ["--help=target", "-Q"], ["-###", "a.c"], ["-Wl,--version"], ["-O2", "-dumpspecs"],
                      ["--version", "a.c"]):
            self.assertEqual(self.seen(*words), words)

    def test_compile(self):
        for stop in ("-c", "-S", "-fsyntax-only"):
            given = ["-O2", stop, "-o", "a.o", "a.c", "-DX= y"]
            self.assertEqual(self.seen(*given), ["-g", *given, *self.compile_flags()])
        self.assertEqual(self.seen("-c", "a.cc", verb="c++"), ["-g", "-c", "a.cc", *self.compile_flags()])
        self.assertEqual(self.seen("-c", "a.c", name="fake-clang-19"),
                         ["-g", "-c", "a.c", *self.compile_flags(own=ONLY_CLANG)])

    def test_only_preprocess(self):
        for words in (["-E", "a.c"], ["-M", "a.c"], ["-MM", "a.c"], ["-dM", "-E", "-"], ["-E", "-P", "-x", "c", "a.lds"]):
            self.assertEqual(self.seen(*words), [*words, "-fsanitize=thread"])
        # These come along with a compilation.
        given = ["-MD", "-MF", "a.d", "-MT", "a.o", "-c", "a.c"]
        self.assertEqual(self.seen(*given), ["-g", *given, *self.compile_flags()])

    def test_link(self):
        for given in (["a.o", "-o", "a"], ["a.o", "-lpthread"], ["-o", "a.c", "b.o"], ["libx.a", "y.so"],
                      ["-fsanitize=thread", "a.o"]):
            self.assertEqual(self.seen(*given), [*self.link_flags(), *given, "-fno-sanitize=thread"])

    def test_compile_and_link(self):
        given = ["a.c", "b.o", "-o", "a", "-lm"]
        self.assertEqual(self.seen(*given), [*self.link_flags(), "-g", *given,
                                             *self.compile_flags(["-Wp,-fsanitize=thread"])])
        self.assertEqual(self.seen(*given, name="fake-clang"),
                         [*self.link_flags(), "-g", *given,
                          *self.compile_flags(["-Xclang", "-fsanitize=thread"], ONLY_CLANG)])
        # The user's own flag would link libtsan.
        self.assertEqual(self.seen("a.c", "-fsanitize=thread", "-fsanitize=undefined,thread"),
                         [*self.link_flags(), "-g", "a.c", "-fsanitize=undefined",
                          *self.compile_flags(["-Wp,-fsanitize=thread"])])

    def test_shared_libraries(self):
        self.assertEqual(self.seen("-shared", "a.o"), ["-shared", "a.o", "-fno-sanitize=thread"])
        self.assertEqual(self.seen("-shared", "-fPIC", "a.c"),
                         ["-g", "-shared", "-fPIC", "a.c", *self.compile_flags(["-Wp,-fsanitize=thread"])])
        for words in (["-Wl,-z,defs"], ["-Wl,-z", "-Wl,defs"], ["-Wl,--no-undefined"], ["-z", "defs"],
                      ["-Xlinker", "-z", "-Xlinker", "defs"], ["-Wl,-O1,--no-undefined"]):
            self.assertEqual(self.seen("-shared", "a.o", *words),
                             [*self.link_flags(), "-shared", "a.o", *words, "-fno-sanitize=thread"])
        self.assertEqual(self.seen("-r", "a.o", "b.o"), ["-r", "a.o", "b.o"])

    def test_assembler(self):
        for words in (["-c", "a.s"], ["-c", "a.S"], ["-c", "-x", "assembler-with-cpp", "a.c"]):
            self.assertEqual(self.seen(*words), words)
        self.assertEqual(self.seen("-c", "a.c", "b.S"), ["-g", "-c", "a.c", "b.S", *self.compile_flags()[:-2]])

    def test_languages(self):
        for given in (["-xc", "-c", "a.txt"], ["-c", "-x", "c++", "-"], ["-x", "c++-header", "a.h"], ["a.hpp"],
                      ["-x", "c-header", "a", "-x", "none", "b.h"], ["-c", "a.i"]):
            self.assertEqual(self.seen(*given), ["-g", *given, *self.compile_flags()])
        self.assertEqual(self.seen("-c", "a.f90"), ["-c", "a.f90"])

    def test_values_of_options_are_no_files(self):
        given = ["-c", "a.s", "-include", "x.c", "-o", "y.c", "-I", "z.c", "-D", "A.c", "-MF", "b.c"]
        self.assertEqual(self.seen(*given), given)

    def test_left_out_on_request(self):
        for off in ("-fno-sanitize=thread", "-fno-sanitize=all"):
            self.assertEqual(self.seen("-c", "a.c", off), ["-c", "a.c", off])
        self.assertIn("-include", self.seen("-c", "a.c", "-fno-sanitize=thread", "-fsanitize=thread"))

    def test_after_two_dashes(self):
        self.assertEqual(self.seen("-c", "--", "-a.c"), ["-g", "-c", *self.compile_flags(), "--", "-a.c"])

    def test_response_files(self):
        self.write("all", "-c 'a b.c' \"-DX='y'\" -DZ=\\\"\n -o a.o")
        self.assertEqual(self.seen("@all"), ["-g", "@all", *self.compile_flags()])
        self.write("inner", "a.o\nb.o")
        self.write("outer", "@inner -o x")
        self.assertEqual(self.seen("@outer"), [*self.link_flags(), "@outer", "-fno-sanitize=thread"])
        self.assertEqual(self.seen("@missing"), [*self.link_flags(), "@missing", "-fno-sanitize=thread"])
        self.write("endless", "@endless -c a.c")
        self.assertEqual(self.seen("@endless"), ["-g", "@endless", *self.compile_flags()])

    def refused(self, *words):
        text = self.command(self.jostle, "cc", *words, code=USAGE, JOSTLE_CC=self.fake())
        self.assertRegex(text, r"^jostle: error: .*\n$")
        self.assertFalse((self.folder / "seen").exists())
        return text

    def test_refused(self):
        self.write("thread", "-fsanitize=thread a.c")
        for words, message in (
                (["-static", "a.o"], "link without -static"),
                (["-static-pie", "a.c"], "link without -static-pie"),
                (["-flto", "-c", "a.c"], "-flto: link-time optimisation removes"),
                (["-flto=auto", "a.o"], "-fno-lto"),
                (["-fsanitize=address", "-c", "a.c"], "-fsanitize=address brings a runtime"),
                (["-fsanitize=undefined,leak", "a.o"], "-fsanitize=leak brings a runtime"),
                (["-m32", "-c", "a.c"], "x86-64 only"),
                (["-save-temps", "a.c"], "in two calls"),
                (["a.i", "-o", "a"], "a.i: compile with -c"),
                (["@thread"], "in a response file")):
            self.assertIn(message, self.refused(*words), words)

    def test_not_refused(self):
        for words in (["-static", "-c", "a.c"], ["-flto", "-fno-lto", "a.c"], ["-m32", "-m64", "-c", "a.c"],
                      ["-static-libgcc", "a.o"], ["-flto", "-c", "a.s"], ["-fsanitize=undefined", "a.o"],
                      ["-fsanitize=address", "-fno-sanitize=address", "-c", "a.c"], ["-flto", "--version"],
                      ["-save-temps", "-c", "a.c"]):
            self.seen(*words)

    def test_which_compiler(self):
        # Words, as in CC; a name that tells nothing is asked.
        wrapper = self.write("wrapper", '#!/bin/sh\nexec "$@"\n')
        wrapper.chmod(0o755)
        fake = self.fake("unknown", 'if [ "$1" = --version ]; then echo clang version 19; exit 0; fi')
        link = pathlib.Path(tempfile.mkdtemp(prefix="jostle-bin-"))
        self.addCleanup(shutil.rmtree, link)
        (link / "unknown").symlink_to(fake)
        (link / "wrapper").symlink_to(wrapper)
        for value in (f" {link}/wrapper  {link}/unknown", "wrapper unknown", fake):
            self.command(self.jostle, "cc", "-c", "a.c", code=7, JOSTLE_CC=value,
                         PATH=f"{link}:{os.environ['PATH']}")
            self.assertIn("-tsan-instrument-read-before-write=1", (self.folder / "seen").read_text())
        text = self.command(self.jostle, "cc", "-c", "a.c", code=INTERNAL, JOSTLE_CC=str(wrapper))
        self.assertIn("is neither gcc nor clang: set JOSTLE_CC to your compiler", text)

    def test_compiler_is_missing(self):
        for verb, variable in (("cc", "JOSTLE_CC"), ("c++", "JOSTLE_CXX")):
            text = self.command(self.jostle, verb, "a.c", code=INTERNAL, **{variable: "no-such-compiler"})
            self.assertIn(f"cannot find the compiler 'no-such-compiler': set {variable}", text)
        text = self.command(self.jostle, "cc", "--version", code=INTERNAL, PATH=str(self.folder))
        self.assertIn("cannot find the compiler 'cc': set JOSTLE_CC to your compiler", text)
        text = self.command(self.jostle, "cc", "a.c", code=USAGE, JOSTLE_CC=self.jostle)
        self.assertIn("is this program again", text)

    def test_library_is_missing(self):
        self.install(library=False)
        text = self.command(self.jostle, "cc", "a.o", code=INTERNAL, JOSTLE_CC=self.fake())
        self.assertIn("libjostle_program.so is not in the lib folder", text)
        self.seen("-c", "a.c")
        self.seen("-shared", "a.o")


PROGRAM = """
#include <stdio.h>
#include <string.h>
static int counter;
int twice(int x);
int main(int argc, char** argv) {
  char text[100];
  counter += twice(argc);
  memcpy(text, argv[0], (size_t)argc);
  printf("counter %d\\n", counter);
  return text[0] == 0;
}
"""
TWICE = "int twice(int x) { return 2 * x; }\n"


class Real:
    """Builds small programs; the subclasses say with what."""

    def jostle_cc(self, *words, verb="cc", **options):
        return self.command(self.jostle, verb, *words, JOSTLE_CC=self.cc, JOSTLE_CXX=self.cxx, **options)

    def sources(self):
        self.write("main.c", PROGRAM)
        self.write("twice.c", TWICE)

    def check(self, program="prog"):
        text = self.command(self.folder / program)
        self.assertIn("counter 2\n", text)
        self.assertIn("hooks: accesses functions blocks\n", text)
        needed = [line.split("[")[1].rstrip("]") for line in
                  self.command("readelf", "-d", self.folder / program).splitlines() if "NEEDED" in line]
        self.assertNotIn("libtsan", " ".join(needed))
        self.assertEqual(needed[0], "libjostle_program.so")

    def test_compile_then_link(self):
        self.sources()
        self.jostle_cc("-Wall", "-Werror", "-O2", "-c", "main.c")
        self.jostle_cc("-Wall", "-Werror", "-O2", "-c", "twice.c", "-fsanitize=thread")
        self.jostle_cc("-Werror", "main.o", "twice.o", "-o", "prog", "-fsanitize=thread")
        self.check()

    def test_compile_and_link_in_one(self):
        self.sources()
        self.jostle_cc("-Wall", "-Werror", "-O2", "main.c", "twice.c", "-fsanitize=thread", "-o", "prog",
                       "-lpthread", "-lc")
        self.check()

    def test_cxx(self):
        self.write("main.cc", PROGRAM.replace("int twice", "extern \"C\" int twice"))
        self.write("twice.c", TWICE)
        self.jostle_cc("-c", "twice.c")
        self.jostle_cc("-Wall", "-Werror", "-std=c++20", "main.cc", "twice.o", "-o", "prog", verb="c++")
        self.check()

    def test_assembler_and_preprocessed(self):
        self.sources()
        self.write("data.S", "#define NAME constant\n.globl NAME\nNAME: .long 1\n"
                             ".section .note.GNU-stack,\"\",@progbits\n")
        self.jostle_cc("-Werror", "-c", "data.S")
        self.jostle_cc("-Werror", "-S", "twice.c")
        self.jostle_cc("-Werror", "-c", "twice.s", "-o", "twice.o")
        self.jostle_cc("-E", "main.c", "-o", "main.i")
        self.assertNotIn("tsan_memcpy", (self.folder / "main.i").read_text())
        self.jostle_cc("-Werror", "main.c", "data.S", "-c")
        self.jostle_cc("-Werror", "-c", "main.c")
        self.jostle_cc("main.o", "data.o", "twice.o", "-o", "prog")
        self.check()

    def test_shared_library(self):
        self.sources()
        self.jostle_cc("-shared", "-fPIC", "twice.c", "-o", "libtwice.so")
        self.jostle_cc("main.c", "-o", "prog", "-L.", "-ltwice", "-Wl,-rpath," + str(self.folder))
        self.check()
        self.jostle_cc("-shared", "-fPIC", "twice.c", "-o", "libtwice.so", "-Wl,-z,defs")
        self.check()

    def test_precompiled_header(self):
        self.write("all.h", "#include <stdio.h>\n#include <string.h>\n")
        self.write("main.c", PROGRAM.replace("#include", "//"))
        self.write("twice.c", TWICE)
        pch = "all.h.gch" if "clang" not in self.cc else "all.h.pch"
        self.jostle_cc("-x", "c-header", "all.h", "-o", pch)
        self.jostle_cc("-Werror", "-Winvalid-pch", "-include", "all.h", "-c", "main.c")
        self.jostle_cc("main.o", "twice.c", "-o", "prog")
        self.check()

    def test_errors_are_the_compilers(self):
        self.write("bad.c", "int main(void) { return x; }\n")
        self.assertIn("bad.c:1", self.jostle_cc("-c", "bad.c", code=1))
        self.assertIn("no_such_file.c", self.jostle_cc("-c", "no_such_file.c", code=1))

    def test_as_configure_scripts_ask(self):
        for question in (["--version"], ["-v"], ["-dumpmachine"], ["-print-prog-name=ld"], ["-print-search-dirs"]):
            self.jostle_cc(*question)
        self.jostle_cc("-V", code=None)
        self.write("conftest.c", "#include <stdlib.h>\nint main(void) { return 0; }\n")
        self.jostle_cc("-o", "conftest", "-g", "-O2", "conftest.c")
        self.command(self.folder / "conftest")
        self.jostle_cc("-E", "conftest.c")
        self.jostle_cc("-c", "conftest.c", "-o", "conftest2.o")
        self.write("conftest.c", "#include <no/such/header.h>\n")
        self.jostle_cc("-E", "conftest.c", code=1)
        self.write("conftest.c", "#ifndef __SANITIZE_THREAD__\n#ifndef __clang__\n#error no\n#endif\n#endif\n")
        self.jostle_cc("-E", "conftest.c")
        self.write("conftest.c", "char strlen();\nint main(void) { return strlen(); }\n")
        self.jostle_cc("-w", "-o", "conftest", "conftest.c")

    def test_make(self):
        self.sources()
        self.write("Makefile", "prog: main.o twice.o\n\t$(CC) $(LDFLAGS) -o $@ $^\n")
        self.command("make", f"CC={self.jostle} cc", "CFLAGS=-O1", JOSTLE_CC=self.cc)
        self.check()

    def test_cmake(self):
        self.sources()
        self.write("extra.cc", "extern \"C\" int twice(int x) { static int two = 2; return two * x; }\n")
        self.write("CMakeLists.txt", """
            cmake_minimum_required(VERSION 3.20)
            project(small C CXX)
            find_package(Threads REQUIRED)
            add_library(extra SHARED extra.cc)
            add_executable(prog main.c)
            set_target_properties(prog PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_SOURCE_DIR})
            target_link_libraries(prog extra Threads::Threads)
            include(CheckCXXCompilerFlag)
            check_cxx_compiler_flag(-flto HAS_LTO)
            if(HAS_LTO)
              message(FATAL_ERROR "link-time optimisation should seem unsupported")
            endif()
            """)
        environment = {"CC": f"{self.jostle} cc", "CXX": f"{self.jostle} c++", "JOSTLE_CC": self.cc,
                       "JOSTLE_CXX": self.cxx}
        text = self.command("cmake", "-S", ".", "-B", "build", "-DCMAKE_BUILD_TYPE=Release", **environment)
        self.assertIn("compiler identification is " + ("Clang" if "clang" in self.cc else "GNU"), text)
        self.command("cmake", "--build", "build", **environment)
        self.check()


def real(name, cc, cxx):
    if shutil.which(cc) and shutil.which(cxx):
        globals()[name] = type(name, (Real, Case), {"cc": cc, "cxx": cxx})


real("Gcc", "gcc", "g++")
real("Clang14", "clang-14", "clang++-14")
real("Clang19", "clang-19", "clang++-19")


@unittest.skipUnless((JOSTLE.parent.parent / "lib/libjostle_program.so").exists(), "no libjostle_program.so")
class Installed(Case):
    """With the library that belongs to the program."""

    def test_program_runs_by_itself(self):
        self.write("main.cc", """
            #include <atomic>
            #include <cstdio>
            #include <mutex>
            #include <thread>
            int main() {
              std::mutex mutex;
              std::atomic<int> a{0};
              int b = 0;
              auto work = [&] { ++a; std::lock_guard lock(mutex); ++b; };
              std::thread other(work);
              work();
              other.join();
              std::printf("%d %d\\n", a.load(), b);
            }
            """)
        self.command(JOSTLE, "c++", "-O2", "main.cc", "-o", "prog")
        self.assertEqual(self.command(self.folder / "prog"), "2 2\n")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
