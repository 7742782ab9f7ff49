"""What-ifs against silas-model, to the last bit that JSON has; errors; results of replays: what_ifs.py TRACE"""
import json
import os
import random
import subprocess
import sys
import warnings

import silas
from silas.traces import _sections as sections
from tap import end, equal, ok, raises

warnings.simplefilter("ignore", silas.Warning)
path = sys.argv[1]
trace = silas.open(path)
digits = lambda value: float("%.12g" % value)  # as JSON
random.seed(1)
regions = [region for region, mpi in trace.definitions.regions[["region", "mpi"]].itertuples() if not mpi]
regions = [region for region in regions if any(region == entered for entered in set(trace.profile["region"]))]
MADE = {
    "scale": lambda: {"scale": {random.choice(regions): random.choice([0, 0.3, 0.8, 1.7, random.random()])}},
    "two": lambda: {"scale": {region: random.random() for region in random.sample(regions, 2)}},
    "balance": lambda: {"balance": random.sample(regions, random.choice([1, 2]))},
    "latency": lambda: {"latency": random.choice([0, 0.5, 3, "10us"])},
    "network": lambda: {"latency": 0.5, "bandwidth": 2},
    "ideal": lambda: {"network": "ideal"},
    "cpu": lambda: {"cpu": {"rank": random.randrange(trace.ranks), "speed": random.uniform(0.5, 3)}},
    "resize": lambda: {"resize": {"all": True, "factor": random.choice([0.1, 4])}},
    "cut": lambda: {"cut": {"size": f">={random.choice([100, 4000, 20000])}"}},
    "wait": lambda: {"wait": {"region": "MPI_Recv"}},
    "text": lambda: {"config": f"[scale a]\nregion = {regions[0]}\nfactor = {random.random()}\n"},
}


def model(config):
    with open("question.ini", "w") as file:
        file.write(f"[trace]\npath = {path}\n[output]\ndirectory = answer\nformats = json\noverwrite = yes\n{config}")
    done = subprocess.run(["silas-model", "question.ini"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode:
        return done.stderr.decode().strip().splitlines()[-1]
    with open("answer/report.json") as file:
        report = json.load(file)
    return report["baseline"]["time_s"]["median"], report["predicted"]["time_s"]["median"]


kinds = list(MADE)
wrong, failed = [], 0
for i in range(50):
    arguments = MADE[kinds[i % len(kinds)]]()
    try:
        result = trace.what_if(**arguments)
    except silas.Error as error:
        failed += 1
        answer = model(sections(arguments.get("config"), {k: v for k, v in arguments.items() if k != "config"}))
        if str(error).split(": ", 1)[1] not in str(answer):
            wrong.append((arguments, str(error), answer))
        continue
    answer = model(result.config)
    if answer != (digits(result.time_before), digits(result.time_after)):
        wrong.append((arguments, result, answer))
equal(wrong, [], "50 what-ifs have the times of silas-model")
ok(failed < 20, "most of them can be applied", failed)

region = regions[0]
result = trace.what_if(scale={region: 0.5})
model(result.config)
with open("answer/report.json") as file:
    report = json.load(file)
same = ["predicted", "saving", "pop", "efficiency", "metrics", "ranks", "hypotheses"]
equal({key: result.report[key] for key in same}, {key: report[key] for key in same}, "the report is that of silas-model")
ranks = result.ranks.to_dict()
equal(ranks["rank"], list(range(trace.ranks)), "a row per rank")
ok(sum(ranks["computation_after"]) < sum(ranks["computation_before"]), "... with less computation")
ok(abs(sum(ranks["mpi_before"]) + sum(ranks["computation_before"]) -
       sum(trace.profile["time_exc"])) < 1e-6 * sum(trace.profile["time_exc"]), "... whose sums are the profile's")
compared = silas.replay_result("answer")
equal((digits(compared.time_before), digits(compared.time_after)), (digits(result.time_before), digits(result.time_after)),
      "replay_result reads what silas-model has written")
equal(compared.report, report, "... with its report")
equal(silas.replay_result("answer/report.json").report, report, "... also by the name of the file")
times = lambda column: sum(value for metric, value in compared.metrics[["metric", column]].itertuples() if metric == "time")
ok(abs(times("before") - sum(trace.profile["time_exc"])) < 1e-6, "... and metrics of both runs", times("before"))
itself = silas.diff(trace, path)
ok(len(itself.metrics) > 0 and not any(itself.metrics["difference"]) and itself.saving == 0, "a trace does not differ from itself")

table = silas.sweep(trace, scale=[{region: factor} for factor in (0.25, 0.5)], latency=[1, 0])
equal(len(table), 4, "a sweep tries all combinations")
equal(table["time_after"][2], trace.what_if(scale={region: 0.5}, latency=1).time_after, "... with the times of what_if")
table = silas.sweep(trace, [{"scale": {region: 0.5}}, {"scale": {"nothing": 1}}], errors="coerce")
ok(table["error"][0] == "" and 'no region "nothing"' in table["error"][1], "a what-if that fails")

error = silas.Error
raises(error, f'no region "{region}x" was called; the nearest names are "{region}"', lambda: trace.what_if(scale={region + "x": 1}),
       "an unknown region: the nearest names")
raises(error, "expected a number from 0", lambda: trace.what_if(scale={region: -1}), "a factor below 0")
raises(error, "unknown section [scael]; did you mean [scale LABEL]?", lambda: trace.what_if(scael={"region": region}), "an unknown kind")
for section in ("trace", "replay"):
    raises(error, f"what-if:2: leave section [{section}] out", lambda: trace.what_if(f"# a configuration\n[{section}]\npath = /nope"),
           f"[{section}] in the text: the trace is given")
raises(ValueError, "line end", lambda: trace.what_if(scale={"a\nb": 1}), "a line end in a name")
raises(TypeError, "expected a text", lambda: trace.what_if(balance=0.5), "a number without a region")
raises(TypeError, "write scale={'REGION': 0.5}", lambda: trace.what_if(scale=0.5), "a factor without a region: what to write")
raises(TypeError, f"write scale={ {region: 0.5}!r}", lambda: trace.what_if(scale=region), "a region without a factor")
raises(TypeError, f"write scale={ {'callpath': region, 'factor': 0.5}!r}", lambda: trace.what_if(scale={"callpath": region}),
       "a call path without a factor")
raises(TypeError, f"write what_if(scale={ {region: 0.5}!r})", lambda: trace.what_if({"scale": {region: 0.5}}),
       "a dictionary instead of arguments")
raises(TypeError, "expected a text with sections, not 7", lambda: trace.what_if(7), "a number instead of a text")
raises(TypeError, f"scale: expected a list of the values to try; write scale=[{ {region: 0.5}!r}]",
       lambda: silas.sweep(trace, scale={region: 0.5}), "a sweep over a dictionary")
raises(TypeError, "write latency=[0.5]", lambda: silas.sweep(trace, latency=0.5), "... over a number")
raises(TypeError, "write latency=['1us']", lambda: silas.sweep(trace, latency="1us"), "... over a text")
raises(TypeError, "write [{'latency': 1}]", lambda: silas.sweep(trace, {"latency": 1}), "... of a dictionary")
raises(TypeError, "expected dictionaries", lambda: silas.sweep(trace, [0.5]), "... of numbers")
raises(TypeError, f"write silas.sweep(silas.open({path!r}), ...)", lambda: silas.sweep(path, latency=[1]), "... of a path")
equal(len(silas.sweep(trace, latency=(factor for factor in (0.5, 1)))), 2, "... over a generator")
raises(error, "No such file", lambda: silas.open("no-such-trace"), "no trace")
for name, work in {"open": silas.open, "replay_result": silas.replay_result, "diff": lambda empty: silas.diff(path, empty)}.items():
    raises(error, "the path is empty: name a", lambda: work(""), f"{name} with an empty path")
raises(error, "no-such-result/report.json", lambda: silas.replay_result("no-such-result/report.json"), "no report.json of that name")
raises(error, "has no report.json: name the output directory", lambda: silas.replay_result(path), "a trace is not a replay's result")
os.rename("answer/report.json", "answer/kept.json")
raises(error, 'let "formats" in [output] contain json', lambda: silas.replay_result("answer"), "a result without report.json: what to do")
os.rename("answer/kept.json", "answer/report.json")
raises(error, "is not the output directory", lambda: silas.replay_result(os.path.join(path, "traces.otf2")), "the file of a trace is not a replay's result")
raises(error, "no-such-result", lambda: silas.diff(path, "no-such-result"), "nothing to compare with")
raises(TypeError, "", lambda: silas.open(7), "a number is no path")

# Damaged archives
import shutil
for number, (name, change) in enumerate({
        "traces.otf2": lambda data: data[:20], "traces.def": lambda data: data[:len(data) // 2],
        os.path.join("traces", "0.evt"): lambda data: data[:len(data) // 2] + bytes(40)}.items()):
    shutil.copytree(path, f"damaged-{number}")
    with open(os.path.join(f"damaged-{number}", name), "r+b") as file:
        data = file.read()
        file.seek(0)
        file.truncate()
        file.write(change(data))
    raises(error, f"damaged-{number}", lambda: silas.open(f"damaged-{number}"), f"{name} is damaged")
end()
