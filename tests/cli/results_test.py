#!/usr/bin/env python3
"""Tests of the files for machines: JSON, JUnit XML, SARIF, trace events.

usage: results_test.py SCHEMA TARGET EXAMPLES [unittest arguments]
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree

SCHEMA, TARGET, EXAMPLES = (pathlib.Path(path).resolve() for path in sys.argv[1:4])
FORMATS = ("json", "junit", "sarif", "perfetto")


def violations(value, schema, root, where="$"):
    """What of `value` is not as the JSON Schema says; knows the words that our schema uses."""
    if "$ref" in schema:
        part = root
        for word in schema["$ref"].removeprefix("#/").split("/"):
            part = part[word]
        return violations(value, part, root, where)
    types = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int,
             "number": (int, float)}
    found = []
    if "const" in schema and value != schema["const"]:
        found.append(f"{where}: {value!r}")
    if "enum" in schema and value not in schema["enum"]:
        found.append(f"{where}: {value!r}")
    if "type" in schema:
        right = isinstance(value, types[schema["type"]])
        if not right or (isinstance(value, bool) and schema["type"] != "boolean"):
            return found + [f"{where}: {value!r} is no {schema['type']}"]
    if "minimum" in schema and value < schema["minimum"]:
        found.append(f"{where}: {value!r}")
    for name in schema.get("required", ()):
        if name not in value:
            found.append(f"{where}: no {name}")
    if isinstance(value, dict):
        for name, part in value.items():
            if name not in schema.get("properties", {}):
                found.append(f"{where}.{name} is not in the schema")
            else:
                found += violations(part, schema["properties"][name], root, f"{where}.{name}")
    if isinstance(value, list):
        for i, part in enumerate(value):
            found += violations(part, schema["items"], root, f"{where}[{i}]")
    return found


class Results(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="jostle results:")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()
        self.schema = json.loads(SCHEMA.read_text())

    def run_with(self, program, *arguments, formats=FORMATS, cwd=None, **variables):
        files = {f"JOSTLE_{f.upper()}": str(self.folder / "new" / f) for f in formats}
        environment = {k: v for k, v in os.environ.items() if not k.startswith("JOSTLE_")}
        environment |= {"JOSTLE_OUTPUT": str(self.folder / "out")} | files | variables
        return subprocess.run([program, *arguments], env=environment, cwd=cwd or self.folder,
                              capture_output=True, text=True, errors="replace", timeout=60)

    def json(self):
        value = json.loads((self.folder / "new/json").read_text())
        self.assertEqual(violations(value, self.schema, self.schema), [])
        return value

    def junit(self):
        return xml.etree.ElementTree.parse(self.folder / "new/junit").getroot()

    def sarif(self):
        return json.loads((self.folder / "new/sarif").read_text())["runs"][0]

    def perfetto(self):
        return json.loads((self.folder / "new/perfetto").read_text())["traceEvents"]

    # --- what the shipped example says ------------------------------------------------------------

    def test_bank(self):
        root = SCHEMA.parent.parent
        result = self.run_with(EXAMPLES / "bank_test", cwd=root)
        self.assertEqual(result.returncode, 1)

        value = self.json()
        self.assertEqual(value["verdict"], "finding")
        self.assertGreater(value["executions_total"], value["executions"])
        [finding] = value["findings"]
        self.assertEqual(finding["kind"], "assertion")
        self.assertEqual(finding["file"], str(root / "examples/bank_test.cc"))
        self.assertTrue(finding["confirmed"])
        self.assertTrue(pathlib.Path(finding["schedule"]).exists())
        self.assertIn("What matters:", finding["report"])
        self.assertNotIn("\x1b", finding["report"])
        orders = [step["order"] for step in finding["steps"]]
        self.assertEqual(orders, sorted(set(orders)))
        self.assertEqual(sum(step.get("interrupts", False) for step in finding["steps"]), 1)
        self.assertTrue(finding["steps"][-1]["marked"])
        for step in finding["steps"]:
            self.assertRegex(finding["report"], rf"(?m)^ *{step['order']} ")

        suite = self.junit().find("testsuite")
        self.assertEqual((suite.get("tests"), suite.get("failures")), ("1", "1"))
        case = suite.find("testcase")
        self.assertEqual((case.get("classname"), case.get("name")), ("Account", "IsNeverOverdrawn"))
        self.assertEqual(case.find("failure").text, finding["report"])

        sarif = self.sarif()
        [result] = sarif["results"]
        rules = sarif["tool"]["driver"]["rules"]
        self.assertEqual(rules[result["ruleIndex"]]["id"], result["ruleId"])
        place = result["locations"][0]["physicalLocation"]
        self.assertEqual(place["region"]["startLine"], finding["line"])
        if (root / ".git").exists():
            self.assertEqual(place["artifactLocation"],
                             {"uri": "examples/bank_test.cc", "uriBaseId": "SRCROOT"})
        flows = result["codeFlows"][0]["threadFlows"]
        self.assertEqual([flow["id"] for flow in flows], ["T0", "T1"])
        together = [step["executionOrder"] for flow in flows for step in flow["locations"]]
        self.assertEqual(sorted(together), orders)
        for flow in flows:
            own = [step["executionOrder"] for step in flow["locations"]]
            self.assertEqual(own, sorted(own))

        events = self.perfetto()
        tracks = [e["args"]["name"] for e in events if e["name"] == "thread_name"]
        self.assertEqual(tracks, ["T0 (main)", "T1"])
        slices = [e["name"] for e in events if e["ph"] == "X" and e["cat"] != "stretch"]
        self.assertEqual(slices, [step["text"] for step in finding["steps"]])
        starts, ends = ([e["id"] for e in events if e["ph"] == ph] for ph in "sf")
        self.assertEqual(starts, ends)
        self.assertEqual(len(starts), 2)

    def test_nothing_found(self):
        self.assertEqual(self.run_with(EXAMPLES / "bank_fixed_test").returncode, 0)
        value = self.json()
        self.assertEqual((value["verdict"], value["findings"]), ("ok", []))
        self.assertGreater(value["executions_per_second"], 0)
        self.assertEqual(self.junit().get("failures"), "0")
        self.assertEqual(self.sarif()["results"], [])
        self.assertEqual(self.perfetto(), [])

    def test_guarantee(self):
        self.assertEqual(self.run_with(EXAMPLES / "every_schedule").returncode, 0)
        value = self.json()
        self.assertTrue(value["complete"])
        self.assertIn("none failed", value["guarantee"])
        self.run_with(EXAMPLES / "every_schedule", JOSTLE_EXECUTIONS="2")
        value = self.json()
        self.assertEqual((value["verdict"], value["complete"]), ("incomplete", False))
        self.assertEqual(self.junit().get("skipped"), "1")

    # --- several runs, and none -------------------------------------------------------------------

    def test_all_runs_of_a_process(self):
        self.run_with(TARGET, "counter", "1", "3")
        value = self.json()
        self.assertEqual([run["name"] for run in value["runs"]], ["counter", "counter#2", "counter#3"])
        self.assertEqual([f["run"] for f in value["findings"]], ["counter", "counter#2", "counter#3"])
        self.assertEqual(value["executions"], sum(run["executions"] for run in value["runs"]))
        self.assertEqual(len(self.junit().findall("testsuite/testcase")), 3)
        self.assertEqual(len(self.sarif()["results"]), 3)
        self.assertEqual(len({e["pid"] for e in self.perfetto()}), 3)
        self.assertEqual({p.name for p in (self.folder / "new").iterdir()}, set(FORMATS))

    def test_replay(self):
        self.run_with(TARGET)
        [schedule] = (self.folder / "out").glob("*.schedule")
        self.run_with(TARGET, "counter", "1", "2", JOSTLE_REPLAY=str(schedule))
        value = self.json()
        self.assertEqual((value["verdict"], value["executions_total"]), ("finding", 1))
        self.assertEqual([run.get("skipped", False) for run in value["runs"]], [False, True])
        self.assertGreater(len(value["findings"][0]["steps"]), 3)
        self.assertEqual(self.junit().get("skipped"), "1")

    def test_error(self):
        self.run_with(TARGET, JOSTLE_STRATEGY="xyzzy")
        value = self.json()
        self.assertEqual(value["verdict"], "error")
        self.assertIn("xyzzy", value["error"])
        self.assertIn("xyzzy", self.junit().find("testsuite/testcase/error").get("message"))
        self.assertFalse(self.sarif()["invocations"][0]["executionSuccessful"])

    def test_a_process_that_dies(self):
        self.run_with(TARGET, "killed")
        for _ in range(100):  # another process has to notice first
            if (self.folder / "new/perfetto").exists():
                break
            time.sleep(0.1)
        value = self.json()
        self.assertEqual([f["kind"] for f in value["findings"]], ["crash"])

    def test_any_bytes(self):
        nasty = b"<&\"\\\x01\x1b\xff\xe2\x86]]>\xc3\xa9"
        self.run_with(TARGET, nasty)
        self.assertEqual(self.json()["runs"][0]["name"], "<&\"\\\x01\x1b\ufffd\ufffd\ufffd]]>é")
        name = self.junit().find("testsuite/testcase").get("name")
        self.assertEqual(name, "<&\"\\\ufffd\ufffd\ufffd\ufffd\ufffd]]>é")
        self.assertEqual(len(self.sarif()["results"]), 1)
        self.assertGreater(len(self.perfetto()), 3)

    def test_unwritable(self):
        (self.folder / "file").write_text("")
        for path in ("/proc/nowhere/x", str(self.folder), str(self.folder / "file/x")):
            result = self.run_with(TARGET, formats=("junit",), JOSTLE_JSON=path)
            self.assertEqual(result.returncode, 1, path)
            self.assertIn("To replay it:", result.stderr)
            self.assertRegex(result.stderr, r"(?m)^jostle: error: cannot .*'")
            self.assertEqual(self.junit().get("failures"), "1", "the other files are written")
        self.assertEqual(list(self.folder.glob("*.tmp*")), [])

    def test_baseline_of_a_test_program(self):
        baseline = self.folder / "known"
        options = "baseline=" + str(baseline).replace(":", "\\:") + ":update-baseline"
        result = self.run_with(EXAMPLES / "bank_test", JOSTLE_OPTIONS=options)
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertIn(f"1 finding added to the baseline '{baseline}'", result.stderr)
        self.assertIn("To replay it:", result.stderr)
        self.assertEqual([f["baseline"] for f in self.json()["findings"]], ["added"])

        result = self.run_with(EXAMPLES / "bank_test", JOSTLE_BASELINE=str(baseline))
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertIn("jostle: known: assertion in Account_IsNeverOverdrawn_JostleBody at bank_test.cc:",
                      result.stderr)
        value = self.json()
        self.assertEqual((value["verdict"], value["runs"][0]["accepted"]), ("ok", 1))
        self.assertGreater(value["executions"], 100, "the search goes on past it")
        self.assertEqual(self.junit().get("failures"), "0")
        [result] = self.sarif()["results"]
        self.assertEqual(result["baselineState"], "unchanged")

    def test_schema_is_checked(self):
        self.assertTrue(violations({"schema": 2}, self.schema, self.schema))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
