"""Two runs with known values and hostile names, as severity files: html_runs.py BEFORE AFTER"""
import json
import sys

EVIL = "</script><script>window.hacked=1</script><!--"
PATHS = [("main", None, False), (EVIL, 0, False), ("\"'\\&amp;/slash", 0, False), ("MPI_Recv", 2, True), ("caf\u00e9", 0, False),
         ("MPI_Barrier", 4, True), ("never called", None, False)] # the last one is not shown
BEFORE = {"time": {0: [0.5] * 4, 1: [1, 2, 3, 4], 3: [3, 2, 1, 0], 4: [0.25, 0.25, 0.5, 0.5], 5: [0.1] * 4},
          "mpi_latesender": {3: [2.5, 1.5, 0.5, 0]}, "mpi_barrier_wait": {5: [0.05, 0, 0, 0.05]},
          "visits": {1: [10] * 4, 3: [10, 20, 30, 40]}}
AFTER = {"time": {0: [0.5] * 4, 1: [2.5, 2.5, 2.5, 2], 3: [0.1, 0.2, 0.3, 0.4], 4: [0.5] * 4, 5: [0.1] * 4},
         "mpi_latesender": {3: [0, 0.1, 0.2, 0.3]}, "mpi_barrier_wait": {5: [0.05, 0, 0, 0.05]},
         "visits": {1: [10] * 4, 3: [10, 20, 30, 40]}}
METRICS = [("time", "sec", "Time", None), ("mpi_latesender", "sec", "Late Sender", 0), ("mpi_barrier_wait", "sec", "Wait at Barrier", 0),
           ("visits", "occ", "Visits", None)]


def run(values, seconds):
    return {"format": "silas-severity", "version": 1, "total_seconds": seconds,
            "call_paths": [{"region": name, "caller": caller, "mpi": mpi} for name, caller, mpi in PATHS],
            "locations": [{"host": "node<b>", "rank": rank, "thread": 0} for rank in range(4)],
            "metrics": [{"name": name, "unit": unit, "title": title, "description": "<i>" + title, "parent": parent, "merge": "sum",
                         "rows": [{"call_path": path, "values": row} for path, row in values[name].items()]}
                        for name, unit, title, parent in METRICS]}


if __name__ == "__main__":
    for name, values, seconds in (sys.argv[1], BEFORE, 5.0), (sys.argv[2], AFTER, 4.0):
        with open(name, "w", encoding="utf-8") as file:
            json.dump(run(values, seconds), file)
