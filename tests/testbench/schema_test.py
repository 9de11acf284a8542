#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What t3sim reads and writes, held against the schemas that it prints.

Method: every kind of result is written by the real program, and every preset shown as a scenario; an
independent validator checks each with its schema, made strict first: no member may be there that the
schema does not describe. Then the schema itself is tried: a member left out, of another type, or out
of range must be refused, and a scenario that the schema refuses is refused by the program too.

  schema_test.py T3SIM SOURCE_DIRECTORY
"""
import copy
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from jsonschema import Draft202012Validator

T3SIM, SOURCE = sys.argv[1], Path(sys.argv[2])
NAMES = ("scenario", "graph", "run", "workload", "sweep", "validate", "reproduce", "diff", "hbm")
GRAPH = {"outputs": [{"name": "x", "rows": 512, "columns": 512, "depth": 128}],
         "nodes": [{"name": "gemm", "gemm": "x"},
                   {"name": "sum", "collective": "all-reduce", "of": "x", "after": ["gemm"]},
                   {"name": "host", "delay_us": 2.5, "after": "gemm"}]}


def t3sim(*words):
    return subprocess.run([T3SIM, *map(str, words)], capture_output=True, text=True)


def printed(*words):
    done = t3sim(*words)
    assert done.returncode == 0, f"{words}: {done.stderr}"
    return json.loads(done.stdout)


def strict(schema):
    """Without members that are not described."""
    if isinstance(schema, list):
        return [strict(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    schema = {key: strict(part) for key, part in schema.items()}
    if "properties" in schema and schema.get("type") == "object":
        schema["additionalProperties"] = False
    return schema


class Schema(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.schemas = {name: printed("schema", name) for name in NAMES}
        cls.directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.directory.cleanup)

    def written(self, *words):
        path = Path(self.directory.name) / "result.json"
        done = t3sim(*words, "--json", path, "--quiet")
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return json.loads(path.read_text())

    def valid(self, name, value):
        errors = list(Draft202012Validator(strict(self.schemas[name])).iter_errors(value))
        self.assertEqual([f"{error.json_path}: {error.message[:200]}" for error in errors], [])

    def refused(self, name, value):
        self.assertFalse(Draft202012Validator(self.schemas[name]).is_valid(value))

    def test_schemas_are_schemas_and_the_shipped_files_are_them(self):
        for name, schema in self.schemas.items():
            Draft202012Validator.check_schema(schema)
            shipped = SOURCE / "docs" / "schema" / f"{name}.schema.json"
            self.assertEqual(json.loads(shipped.read_text()), schema,
                             f"t3sim schema {name} > docs/schema/{shipped.name}")

    def test_every_preset_is_a_scenario(self):
        presets = printed("presets", "--json")["presets"]
        self.assertGreater(len(presets), 20)
        for preset in presets:
            self.valid("scenario", printed("presets", "--show", preset["name"]))

    def test_a_scenario_with_settings_of_one_gpu_is_one(self):
        run = self.written("run", "--preset", "tiny-tp4", "--mode", "t3", "--tracker", "model",
                           "--set", "gpu3.launch_delay_us=1")
        self.assertEqual(run["scenario"]["gpu3"], {"launch_delay_us": 1.0})
        self.valid("scenario", run["scenario"])
        self.valid("run", run)

    def test_what_the_scenario_schema_refuses_the_program_refuses(self):
        path = Path(self.directory.name) / "scenario.json"
        for wrong in ({"gpus": 1}, {"gpus": 1025}, {"gpus": "8"}, {"gpu": {"clock_mhz": 0}},
                      {"data": "some"}, {"hbm": {"chanels": 8}}, {"gpu3": {"color": 1}},
                      {"no_such": 1}, {"hbm": {"near_memory": 1}}):
            self.refused("scenario", wrong)
            path.write_text(json.dumps(wrong))
            done = t3sim("run", "--config", path, "--mode", "t3")
            self.assertEqual(done.returncode, 2, wrong)

    def test_numbers_may_have_units(self):
        path = Path(self.directory.name) / "units.json"
        for text, legal in (("1us", True), ("0.5 us", True), ("2.5e3ns", True), ("us", False),
                            ("1GB", False), ("1 us ", False), ("1", False)):
            scenario = {**printed("presets", "--show", "tiny-tp4"), "data": "elided",
                        "link": {"latency_ns": text}}
            path.write_text(json.dumps(scenario))
            valid = Draft202012Validator(self.schemas["scenario"]).is_valid(scenario)
            done = t3sim("run", "--config", path, "--mode", "sequential", "--json", "-")
            self.assertEqual((valid, done.returncode), (legal, 0 if legal else 2), text)
            if legal:
                self.valid("scenario", json.loads(done.stdout)["scenario"])

    def test_a_scenario_may_name_its_schema(self):
        scenario = printed("presets", "--show", "tiny-tp4")
        scenario["$schema"] = "scenario.schema.json"
        self.valid("scenario", scenario)
        path = Path(self.directory.name) / "named.json"
        path.write_text(json.dumps(scenario))
        done = t3sim("run", "--config", path, "--mode", "t3", "--tracker", "model", "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_graphs_of_all_modes_and_the_one_in_the_docs_are_graphs(self):
        modes = {"sequential": (), "t3": (), "t3-mca": (), "t3-ag": ("workload.between=norm",),
                 "cu-split:3": (), "ag-split:2": ("workload.consumer.columns=256",),
                 "nvls": ("fabric.topology=switch", "switch.merge=model")}
        for mode, settings in modes.items():
            words = [word for setting in settings for word in ("--set", setting)]
            self.valid("graph", printed("graph", "--preset", "tiny-tp4", "--mode", mode, *words))
        pages = (SOURCE / "docs" / "graphs.md").read_text().split("```json\n")[1:]
        self.assertTrue(pages)
        for page in pages:
            self.valid("graph", json.loads(page.split("```")[0]))
        self.valid("graph", {"$schema": "graph.schema.json", **GRAPH})
        self.assertEqual(self.run_of({"$schema": "graph.schema.json", **GRAPH}).returncode, 0)

    def run_of(self, graph):
        path = Path(self.directory.name) / "graph.json"
        path.write_text(json.dumps(graph))
        return t3sim("run", "--preset", "tiny-tp4", "--mode", "t3", "--tracker", "model", "--quiet",
                     "--graph", path)

    def test_what_the_graph_schema_refuses_the_program_refuses(self):
        for place, change in (
                (0, {"depth": 0}), (0, {"depth": "128"}), (0, {"given": True}), (0, {"colour": 1}),
                (0, {"rows": 1.5}), (0, {"name": ""}), (0, {"operand": "y"}), (1, {"after": 1}),
                (1, {"of": "x"}), (1, {"by": "kernels"}), (1, {"units": 4}), (1, {"delay_us": 1}),
                (1, {"gemm": None}), (2, {"by": "hand"}), (2, {"collective": "broadcast"}),
                (2, {"of": None}), (2, {"units": 0}), (2, {"by": "tracker", "units": 4}),
                (2, {"by": "tracker", "collective": "all-reduce"}), (3, {"delay_us": -1}),
                (3, {"delay_us": "1us"}), (3, {"norm": "x"})):
            graph = copy.deepcopy(GRAPH)
            entry = [graph["outputs"][0], *graph["nodes"]][place]
            for key, value in change.items():
                if value is None:
                    entry.pop(key)
                else:
                    entry[key] = value
            self.refused("graph", graph)
            done = self.run_of(graph)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), (change, done.stderr))
        for graph in ({**GRAPH, "nodes": []}, {"nodes": GRAPH["nodes"]}, {**GRAPH, "edges": []}, []):
            self.refused("graph", graph)
            self.assertEqual(self.run_of(graph).returncode, 2, graph)

    def test_results_of_a_graph_have_its_nodes(self):
        path = Path(self.directory.name) / "graph.json"
        path.write_text(json.dumps(GRAPH))
        result = self.written("run", "--preset", "tiny-tp4", "--mode", "t3", "--tracker", "model",
                              "--graph", path)
        self.assertEqual([node["name"] for node in result["runs"][0]["nodes"]],
                         [node["name"] for node in GRAPH["nodes"]])
        self.valid("run", result)

    def test_results_of_run_and_compare(self):
        self.valid("run", self.written("compare", "--preset", "tiny-tp4", "--tracker", "model"))
        self.valid("run", self.written("run", "--preset", "tiny-tp4", "--mode", "t3-ag", "--set",
                                       "workload.repeat=2", "--set", "data=checked"))
        failed = self.written("run", "--preset", "tiny-tp4", "--mode", "t3", "--tracker", "model",
                              "--set", "link.lose_write=1")
        self.assertEqual(failed["runs"][0]["status"], "failed")
        self.valid("run", failed)

    def test_result_of_a_collective(self):
        result = self.written("run", "--collective", SOURCE / "data" / "collectives" /
                              "ring-all-reduce-4.xml", "--mode", "t3", "--tracker", "model")
        self.assertIn("collective", result["runs"][0])
        self.valid("run", result)

    def test_results_of_workloads(self):
        for words in (("run", "--mode", "t3"), ("compare", "--modes", "sequential,t3-mca")):
            result = self.written(*words, "--workload", SOURCE / "data" / "workloads" /
                                  "tiny-transformer-sp-tp4.0.et", "--preset", "tiny-tp4",
                                  "--data", "elided", "--tracker", "model")
            self.assertEqual({part["kind"] for part in result["parts"]},
                             {"pair", "gemm", "collective"})
            self.valid("workload", result)
            self.valid("scenario", result["scenario"])
        failed = self.written("run", "--mode", "t3", "--workload", SOURCE / "data" / "workloads" /
                              "tiny-transformer-tp4.0.et", "--preset", "tiny-tp4", "--tracker",
                              "model", "--set", "link.lose_write=1", "--set", "watchdog_us=50")
        self.assertEqual(failed["runs"][0]["status"], "failed")
        self.valid("workload", failed)

    def test_results_of_sweep(self):
        self.valid("sweep", self.written("sweep", "--preset", "tiny-tp4", "--tracker", "model",
                                         "--sweep", "link.latency_ns=100,500"))

    def test_results_of_validate(self):
        for more in ((), ("--set", "link.lose_write=1", "--set", "watchdog_us=50")):
            path = Path(self.directory.name) / "validate.json"
            t3sim("validate", "--most", "64KiB", "--only", "ag_ring_ll_1_1,ag_allpair_ll_x_1", *more,
                  "--json", path, "--quiet")
            result = json.loads(path.read_text())
            self.assertEqual([point["gave_settings"] for point in result["points"]], [False, True])
            self.assertEqual({point["status"] for point in result["points"]},
                             {"failed" if more else "ok"})
            self.valid("validate", result)
            self.valid("scenario", result["scenario"])

    def test_results_of_reproduce(self):
        out = Path(self.directory.name) / "evaluation"
        done = t3sim("reproduce", "--quick", "--only", "traffic", "--tracker", "model", "--out", out,
                     "--quiet")
        self.assertIn(done.returncode, (0, 1), done.stderr)
        self.valid("reproduce", json.loads((out / "reproduce.json").read_text()))

    def test_results_of_hbm_and_of_diff(self):
        trace = Path(self.directory.name) / "trace.txt"
        trace.write_text("".join(f"0x{64 * i:x} READ {i}\n" for i in range(100)))
        results = []
        for channels in (1, 4):
            result = self.written("hbm", "--trace", trace, "--set", f"hbm.channels={channels}")
            self.valid("hbm", result)
            results.append(Path(self.directory.name) / f"{channels}.json")
            results[-1].write_text(json.dumps(result))
        difference = self.written("diff", *results, "--details")
        self.assertEqual(len(difference["changed"]), 1)
        self.valid("diff", difference)

    def test_a_result_that_lacks_a_member_or_has_another_type_is_refused(self):
        result = self.written("run", "--preset", "tiny-tp4", "--mode", "t3", "--tracker", "model")
        for change in (lambda run: run.pop("time_ns"), lambda run: run.update(time_ns="1"),
                       lambda run: run.update(time_ps=-1), lambda run: run.update(status="good"),
                       lambda run: run["per_gpu"][0].pop("gpu"), lambda run: run.update(phases={})):
            wrong = copy.deepcopy(result)
            change(wrong["runs"][0])
            self.refused("run", wrong)
        self.refused("run", {**result, "schema": "t3sim/2"})
        # A later version may add members.
        later = copy.deepcopy(result)
        later["runs"][0]["joules"] = 1
        self.assertTrue(Draft202012Validator(self.schemas["run"]).is_valid(later))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
