#!/usr/bin/env python3
"""Tests of the memo on a PostgreSQL server.

usage: postgresql_test.py JOSTLE UNIT_TESTS PROGRAM [unittest arguments]

The server is started in a temporary folder, reached by a socket in there and by nothing else, and is
gone at the end. It refuses to be root: then it runs as the user postgres.
"""

import contextlib
import json
import os
import pathlib
import pwd
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.parse

JOSTLE, UNIT_TESTS, PROGRAM = (os.path.abspath(path) for path in sys.argv[1:4])
OK, FINDING, USAGE, INTERNAL = range(4)
PATIENCE = 120  # seconds; only what hangs takes so long


def installed(name):
    """Debian keeps a server's programs away from PATH."""
    folders = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return shutil.which(name, path=os.pathsep.join([*map(str, folders), os.environ["PATH"]]))


class Server:
    """A cluster; databases test0 ... test9 and memo; roles jostle and, with a password, ann."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="jostle-pg-"))
        self.process = None
        self.user = ["setpriv", "--pdeathsig", "KILL"]  # whoever kills this kills the server
        if os.getuid() == 0:
            account = pwd.getpwnam("postgres")
            os.chown(self.folder, account.pw_uid, account.pw_gid)
            self.user += ["--reuid=postgres", "--regid=postgres", "--clear-groups"]
        self.data = self.folder / "data"

    def begin(self):
        self.run("initdb", "-D", self.data, "-U", "jostle", "-A", "trust", "-E", "UTF8",
                 "--locale=C", "--no-sync", "--no-instructions")
        (self.data / "pg_hba.conf").write_text("local all ann scram-sha-256\nlocal all all trust\n")
        self.start()
        self.sql("postgres", "CREATE ROLE ann LOGIN PASSWORD 'secret'; CREATE ROLE bob LOGIN")
        for name in ["memo", *(f"test{n}" for n in range(10))]:
            self.sql("postgres", f"CREATE DATABASE {name}")

    def end(self):
        self.stop()
        shutil.rmtree(self.folder)

    def run(self, name, *words):
        result = subprocess.run([*self.user, installed(name), *map(str, words)], text=True,
                                cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if result.returncode:
            raise RuntimeError(f"{name}: {result.stdout}")
        return result.stdout

    def start(self):
        with open(self.folder / "log", "a", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                [*self.user, installed("postgres"), "-D", self.data, "-k", self.folder,
                 "-c", "listen_addresses=", "-c", "fsync=off", "-c", "max_connections=40"],
                cwd=self.folder, stdout=log, stderr=log)
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline and self.process.poll() is None:
            with contextlib.suppress(RuntimeError):
                self.sql("postgres", "SELECT 1")
                return
            time.sleep(0.05)
        raise RuntimeError((self.folder / "log").read_text())

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self.process.send_signal(signal.SIGQUIT)
                self.process.wait()

    def sql(self, database, commands):
        return self.run("psql", "-h", self.folder, "-U", "jostle", "-X", "-q", "-A", "-t",
                        "-v", "ON_ERROR_STOP=1", "-c", commands, database)

    def url(self, database, user="jostle"):
        host = urllib.parse.quote(str(self.folder), safe="")
        return f"postgresql://{user}@{host}/{database}"


class PostgreSQL(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.server = Server()
        cls.addClassCleanup(cls.server.end)
        cls.server.begin()

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="jostle-memo-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.server.sql("memo", "DROP SCHEMA IF EXISTS jostle CASCADE")
        self.url = self.server.url("memo")

    def start(self, *words, **env):
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("JOSTLE_", "PG"))}
        return subprocess.Popen(words, cwd=self.folder, env=clean | {"HOME": str(self.folder)} | env,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True)

    def jostle(self, code, *words, **env):
        process = self.start(JOSTLE, *words, **env)
        text = process.communicate(timeout=PATIENCE)[0]
        self.assertEqual(process.returncode, code, f"{words}\n{text}")
        return text

    def cover(self, code=OK, memo=None, *options, kind="correct"):
        text = self.jostle(code, "cover", "-i", "2000", "--json", "result.json",
                           "--memo", memo or self.url, *options, "--", PROGRAM, kind)
        [run] = json.loads((self.folder / "result.json").read_text())["runs"]
        self.coverage = run["coverage"]
        return text

    def exposed(self, member="exposed"):
        return {i["id"] for i in self.coverage["items"] if i[member]}

    def export(self, memo):
        return self.jostle(OK, "db", "export", "--memo", memo)

    def test_unit_tests(self):
        """Those of the database, as on SQLite."""
        process = self.start(UNIT_TESTS, "--gtest_filter=*PostgreSQL*",
                             JOSTLE_TEST_POSTGRES=self.server.url(""))
        text = process.communicate(timeout=PATIENCE)[0]
        self.assertEqual(process.returncode, 0, text)
        self.assertNotIn("SKIPPED", text)
        self.assertRegex(text, r"PASSED  \] 1\d tests")

    def test_cover(self):
        """What is remembered is the same as in a file, and is not sought again."""
        self.cover()
        first = self.exposed()
        self.assertFalse((self.folder / ".jostle" / "memo.db").exists())
        text = self.cover()
        self.assertEqual(self.exposed("known"), first)
        self.assertEqual(self.coverage["attempted"], 0)
        self.assertIn("new since the last run", text)
        self.cover(OK, "file.db")
        self.assertEqual(self.exposed(), first)

    def test_every_command(self):
        self.cover()
        memo = ("--memo", self.url)
        self.assertRegex(self.jostle(OK, "db", "show", *memo), r"findings +1 ")
        self.assertEqual(len(self.jostle(OK, "db", "history", *memo).splitlines()), 1)
        items = self.jostle(OK, "db", "items", "--state", "exposed", *memo).splitlines()
        self.assertEqual(len(items), len(self.exposed()))
        # There and back.
        self.jostle(OK, "db", "merge", "--memo", "file.db", self.url)
        self.assertEqual(self.export("file.db"), self.export(self.url))
        self.assertIn("1 run forgotten", self.jostle(OK, "db", "prune", "--program", "findings", *memo))
        self.assertEqual(self.export(self.url), "")
        self.jostle(OK, "db", "merge", *memo, "file.db")
        self.jostle(OK, "db", "merge", *memo, "file.db")
        self.assertEqual(self.export("file.db"), self.export(self.url))
        self.jostle(OK, "db", "merge", "--memo", self.server.url("test9"), self.url)
        self.assertEqual(self.export(self.server.url("test9")), self.export(self.url))

    def test_against(self):
        self.cover()
        self.cover(OK, "file.db", "--against", self.url)
        self.assertEqual(self.coverage["against"], {"new": 0, "both": len(self.exposed()), "lacking": []})

    def test_at_once(self):
        """Several processes, while the schema is made, too."""
        words = [JOSTLE, "cover", "-i", "500", "--memo", self.url, "--", PROGRAM, "correct"]
        running = [self.start(*words) for _ in range(4)]
        for process in running:
            text = process.communicate(timeout=PATIENCE)[0]
            self.assertEqual(process.returncode, OK, text)
        self.assertEqual(len(self.jostle(OK, "db", "history", "--memo", self.url).splitlines()), 4)

    def test_server_goes_away(self):
        """What was learned is kept here, and can be handed in later."""
        begun = self.folder / "begun"
        process = self.start(JOSTLE, "cover", "--budget", "3", "--memo", self.url,
                             "--prepare", f"touch {begun}", "--profile-runs", "1000000",
                             "--", PROGRAM, "correct")
        # Before the first execution, the memo has been read.
        while not begun.exists():
            self.assertIsNone(process.poll(), "it ended before it had begun")
            time.sleep(0.01)
        self.server.stop()
        try:
            text = process.communicate(timeout=PATIENCE)[0]
        finally:
            self.server.start()
        self.assertEqual(process.returncode, INTERNAL, text)
        self.assertIn("check that the server runs", text)
        command = re.search(r"; kept in \.jostle/memo\.db: (jostle db merge .*)", text)[1]
        subprocess.run(["sh", "-c", command.replace("jostle", JOSTLE, 1)], cwd=self.folder, check=True,
                       timeout=PATIENCE)
        self.assertEqual(self.export(self.url), self.export(".jostle/memo.db"))
        self.assertNotEqual(self.export(self.url), "")

    def refused(self, url, *words, **env):
        """By every command, with exit code 2; the password is never shown."""
        for command in (("db", "show", "--memo", url), ("db", "merge", "--memo", "file.db", url),
                        ("cover", "--memo", url, "--", PROGRAM, "correct"),
                        ("cover", "--memo", "none", "--against", url, "--", PROGRAM, "correct")):
            text = self.jostle(USAGE, *command, **env)
            for word in ("jostle: error: ", *words):
                self.assertIn(word, text)
            self.assertNotIn("wrong", text)

    def test_wrong_password(self):
        ann = self.server.url("memo", "ann")
        self.refused(ann, "the server wants a password: put it into ~/.pgpass or PGPASSWORD")
        self.refused(ann, "password authentication failed", "check the user's name", PGPASSWORD="wrong")
        self.refused(self.server.url("memo", "ann:wrong"), "ann:***@", "check the user's name")
        self.server.sql("memo", "GRANT CREATE ON DATABASE memo TO ann")
        self.jostle(OK, "cover", "-i", "100", "--memo", ann, "--", PROGRAM, "correct", PGPASSWORD="secret")

    def test_not_there(self):
        self.refused(f"postgresql://x@{urllib.parse.quote(str(self.folder), safe='')}/memo",
                     "check that the server runs")
        self.refused(self.server.url("nobase"), 'database "nobase" does not exist', "createdb")
        self.refused(self.server.url("memo", "nobody"), 'role "nobody" does not exist', "createuser")
        self.refused("postgresql://[", "a URL looks like this")
        self.refused("mysql://host/base", "a memo database is a file or postgresql://")

    def test_no_memo_in_it(self):
        self.assertIn("jostle cover makes one", self.jostle(USAGE, "db", "show", "--memo", self.url))
        self.assertEqual(self.server.sql("memo", "SELECT to_regnamespace('jostle') IS NULL"), "t\n")

    def test_later_version(self):
        self.cover()
        self.server.sql("memo", "UPDATE jostle.version SET version = 3")
        self.refused(self.url, "was made by a later Jostle (its schema is version 3")

    def test_rights(self):
        """Who may not make a schema can use one, and who may only read can read."""
        bob = self.server.url("memo", "bob")
        text = self.jostle(USAGE, "cover", "--memo", bob, "--", PROGRAM, "correct")
        self.assertIn("permission denied for database memo; the user may not write there", text)
        self.cover()
        self.server.sql("memo", "GRANT USAGE ON SCHEMA jostle TO bob;"
                                "GRANT SELECT ON ALL TABLES IN SCHEMA jostle TO bob")
        self.assertIn("findings", self.jostle(OK, "db", "show", "--memo", bob))
        self.assertIn("may not write", self.jostle(INTERNAL, "db", "prune", "--program", "x", "--memo", bob))

    def test_library_missing(self):
        """libpq is looked for where it is needed, and nowhere else."""
        hidden = self.folder / "libpq.so.5"
        hidden.write_text("not a library")
        self.refused(self.url, "needs libpq.so.5", "Debian: libpq5", LD_LIBRARY_PATH=str(self.folder))
        self.jostle(OK, "cover", "-i", "100", "--", PROGRAM, "correct", LD_LIBRARY_PATH=str(self.folder))


if __name__ == "__main__":
    if not installed("initdb"):
        sys.exit("postgresql_test: there is no server: the package postgresql has one")
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
