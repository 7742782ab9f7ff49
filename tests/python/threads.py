"""What the tables say of a rank with worker threads: threads.py TRACE"""
import sys
import warnings

import silas
from tap import end, equal, ok

warnings.simplefilter("ignore", silas.Warning)
trace = silas.open(sys.argv[1])
run = dict(zip(trace.pop.columns, next(trace.pop.itertuples())))
region = next(row for row in map(lambda values: dict(zip(trace.pop.columns, values)), trace.pop.itertuples())
              if row["part"] == "region" and row["name"] == "main")
for factor in ("parallel_efficiency", "mpi_parallel_efficiency", "thread_efficiency"):
    ok(abs(region[factor] - run[factor]) < 1e-9, f"{factor} of the region that is the run", (region, run))

profile = list(trace.profile[["thread", "mpi", "time_exc", "waiting"]].itertuples())
ok(any(thread > 0 for thread, *_ in profile), "the profile has the workers")
equal([row for row in profile if row[3] > 0 and not row[1]], [], "waiting is for other ranks, in MPI")
ok(any(metric.startswith("omp_") and metric.endswith("_wait") for metric in trace.metrics["metric"]), "... not for threads")
ranks = trace.what_if(latency=2).ranks.to_dict()
equal(ranks["rank"], list(range(trace.ranks)), "a row per rank")
T = trace.duration * (1 + 1e-9)
ok(all(computation + mpi <= T for computation, mpi in zip(ranks["computation_before"], ranks["mpi_before"])),
   "... whose times are within T", ranks)
ok(all(waiting <= mpi for waiting, mpi in zip(ranks["waiting_before"], ranks["mpi_before"])), "... and whose waits are part of MPI", ranks)
ok(max(ranks["waiting_before"]) > 0, "... if there are any", ranks)
end()
