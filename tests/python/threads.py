"""What the tables say of a rank with worker threads: threads.py TRACE"""
import sys
import warnings

import silas
from tap import end, ok

warnings.simplefilter("ignore", silas.Warning)
trace = silas.open(sys.argv[1])
run = dict(zip(trace.pop.columns, next(trace.pop.itertuples())))
region = next(row for row in map(lambda values: dict(zip(trace.pop.columns, values)), trace.pop.itertuples())
              if row["part"] == "region" and row["name"] == "main")
for factor in ("parallel_efficiency", "mpi_parallel_efficiency", "thread_efficiency"):
    ok(abs(region[factor] - run[factor]) < 1e-9, f"{factor} of the region that is the run", (region, run))
end()
