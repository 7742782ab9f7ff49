"""Tables of a trace against the output of silas-export and silas-analyze: tables.py TRACE"""
import csv
import io
import json
import math
import subprocess
import sys
import warnings

import silas
from tap import end, equal, ok

warnings.simplefilter("ignore", silas.Warning)
path = sys.argv[1]
trace = silas.open(path)


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout


def text(value, digits=9):
    """A time as silas-export writes it; both may be cut off or rounded in the last place."""
    return None if value is None or math.isnan(value) else round(value * 10**digits)


def near(a, b):
    return (a is None and b is None) or (a is not None and b is not None and abs(a - b) <= 1)


def same(got, expected, times, description):
    """Rows equal in any order, but for times, which may differ by a nanosecond."""
    def split(row):
        return (tuple(value for i, value in enumerate(row) if i not in times), tuple(row[i] for i in sorted(times)))

    def in_time(at):
        return [-1 if time is None else time for time in at]

    left = {}
    for what, at in map(split, expected):
        left.setdefault(what, []).append(at)
    for rest in left.values():
        rest.sort(key=in_time)
    for what, at in sorted(map(split, got), key=lambda row: in_time(row[1])):
        rest = left.get(what, [])
        found = next((i for i, other in enumerate(rest) if all(map(near, at, other))), None)
        if found is None:
            return ok(False, description, f"{what} {at}\nexpected: {rest[:3]}")
        del rest[found]
    return equal(sum(map(len, left.values())), 0, description)


rows = list(csv.DictReader(io.StringIO(run("silas-export", "--format", "csv", "-o", "-", path).decode())))
whole = lambda value: int(value) if value else None
seconds = lambda value: text(float(value)) if value else None

# Visits
leaves = {}
events = trace.events
for rank, thread, kind, arg, call_path, time in events[
        ["rank", "thread", "kind", "arg", "call_path", "time"]].itertuples():
    leaves.setdefault((rank, thread, kind in ("Enter", "ProgramBegin"), kind in ("Leave", "ProgramEnd")), []).append(
        (call_path, text((time - trace.begin) / trace.ticks_per_second)))
entered = sorted((rank, thread) + visit for (rank, thread, opens, _), visits in leaves.items() if opens for visit in visits)
left = sorted((rank, thread) + visit for (rank, thread, _, closes), visits in leaves.items() if closes for visit in visits)
visits = [row for row in rows if row["kind"] in ("region", "call")]
where = lambda row: (whole(row["rank"]), whole(row["thread"]), row["call_path"])
same(entered, [where(row) + (seconds(row["enter_s"]),) for row in visits], {3}, "visits begin as in silas-export")
same(left, [where(row) + (seconds(row["leave_s"]),) for row in visits if row["leave_s"]], {3}, "... and end")

# Messages
messages = list(trace.messages.itertuples())
sends = [(m[0], m[1], m[2], m[3], m[4], m[9], text(m[5]), text(m[6])) for m in messages if not math.isnan(m[5])]
same(sends, [(whole(r["rank"]), whole(r["partner"]), whole(r["bytes_sent"]), whole(r["tag"]), r["communicator"] or None,
              r["call_path"], seconds(r["enter_s"]), seconds(r["leave_s"])) for r in rows if r["kind"] == "send"],
     {6, 7}, "messages are sent as in silas-export")
receives = [(m[1], m[0], m[2], m[10], text(m[7]), text(m[8])) for m in messages if not math.isnan(m[7])]
same(receives, [(whole(r["rank"]), whole(r["partner"]), whole(r["bytes_received"]), r["call_path"],
                 seconds(r["enter_s"]), seconds(r["leave_s"])) for r in rows if r["kind"] == "receive"],
     {4, 5}, "... and received")

# Collective operations
same([(c[0], c[2], c[4], text(c[5]), text(c[6]), c[7], c[8], c[9]) for c in trace.collectives.itertuples()],
     [(whole(r["rank"]), r["communicator"], whole(r["partner"]), seconds(r["enter_s"]), seconds(r["leave_s"]),
       whole(r["bytes_sent"]), whole(r["bytes_received"]), r["call_path"]) for r in rows if r["kind"] == "collective"],
     {3, 4}, "collective operations are those of silas-export")

# Waits. A call can wait more than once; exports have its longest wait.
WAITS = ["mpi_latesender", "mpi_probe_wait", "mpi_latereceiver", "mpi_barrier_wait", "mpi_wait_nxn", "mpi_latebroadcast",
         "mpi_earlyreduce", "mpi_earlyscan", "mpi_finalize_wait", "mpi_rma_wait_at_create", "mpi_rma_wait_at_free",
         "mpi_rma_wait_at_fence", "mpi_rma_sync_late_post", "mpi_rma_comm_late_post", "mpi_rma_early_wait",
         "mpi_rma_sync_lock_competition", "mpi_rma_comm_lock_competition", "mpi_rma_sync_wait_for_progress",
         "mpi_rma_comm_wait_for_progress"]
longest = {}
for kind, victim, culprit, callee, time, length in trace.waits.itertuples():
    call = (victim, callee, time)
    if call not in longest or length > longest[call][0]:
        longest[call] = (length, victim, culprit, kind, callee)
same([(victim, culprit, kind, path, text(length)) for length, victim, culprit, kind, path in longest.values()],
     [(whole(r["rank"]), whole(r["waits_for"]), r["wait_state"], r["call_path"], seconds(r["wait_s"]))
      for r in rows if r["wait_s"]], {4}, "waits are those of silas-export")

# Severities: numbers of JSON have twelve digits.
digits = lambda value: float("%.12g" % value)
report = json.loads(run("silas-analyze", path, "-f", "json"))
paths = {}
for number, node in enumerate(report["call_paths"]):
    name = node["region"].replace("\\", "\\\\").replace("/", "\\/")
    paths[number] = name if node["caller"] is None else paths[node["caller"]] + "/" + name
numbers = {(place["rank"], place["thread"]): i for i, place in enumerate(report["locations"])}
expected = {(metric["name"], paths[row["call_path"]], location): digits(value) for metric in report["metrics"]
            for row in metric["rows"] for location, value in enumerate(row["values"]) if value}
got = {(metric, path, numbers[rank, thread]): digits(value)
       for metric, _, path, rank, thread, value in trace.metrics.itertuples()}
equal({key: (got.get(key), expected.get(key)) for key in set(got) | set(expected) if got.get(key) != expected.get(key)},
      {}, "metrics are those of silas-analyze")
titles = {metric["title"]: metric["name"] for metric in report["metrics"]}
sums = dict.fromkeys((key for key in expected if key[0] in WAITS), 0.0)
for kind, victim, _, waiting, _, length in trace.waits.itertuples():
    key = titles[kind], waiting, numbers[victim, 0]
    sums[key] = sums.get(key, 0.0) + length
equal({key: (value, expected.get(key)) for key, value in sums.items() if abs(value - expected.get(key, 0)) > 1e-9 * value},
      {}, "waits have the sums of silas-analyze")
profile = {(path, numbers[rank, thread]): digits(time)
           for path, rank, thread, time in trace.profile[["call_path", "rank", "thread", "time_exc"]].itertuples()}
equal({key: value for key, value in profile.items() if value},
      {key[1:]: value for key, value in expected.items() if key[0] == "time"}, "times of the profile are those of silas-analyze")
equal(digits(trace.duration), digits(report["total_seconds"]), "T")

# POP
pop = json.loads(run("silas-pop", path, "-f", "json"))["recordings"][0]["pop"]
row = dict(zip(trace.pop.columns, next(trace.pop.itertuples())))
names = {"parallel_efficiency": "parallel_efficiency", "load_balance": "load_balance", "transfer": "transfer",
         "communication_efficiency": "communication_efficiency", "time": "time_s", "time_ideal": "ideal_s"}
equal({ours: None if math.isnan(row[ours]) else digits(row[ours]) for ours in names},
      {ours: None if pop[theirs] is None else digits(pop[theirs]) for ours, theirs in names.items()}, "efficiencies are those of silas-pop")

# Definitions
definitions = trace.definitions
equal(list(definitions.call_paths["call_path"]), [paths[i] for i in range(len(paths))], "call paths are those of silas-analyze")
equal(sum(definitions.locations["events"]), len(events), "all events are in the table")
ok(all(definitions.regions["region"][code] for code in memoryview(definitions.call_paths["region"])),
   "call paths have regions")
end()
