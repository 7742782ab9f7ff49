"""Waits in one-sided communication and in MPI_Finalize, with the ranks that are waited for: one_sided.py TRACE"""
import sys
import warnings

import silas
from tap import end, equal

warnings.simplefilter("ignore", silas.Warning)
trace = silas.open(sys.argv[1])
rows = {}
for kind, victim, culprit, path, time, seconds in trace.waits.itertuples():
    rows.setdefault(kind, []).append((victim, culprit, path, round(1e9 * time), round(1e9 * seconds)))
equal(rows, {
    "Wait at Window Create": [(1, 0, "main/MPI_Win_create", 40, 60), (2, 0, "main/MPI_Win_create", 90, 10)],
    "Wait at Fence": [(1, 0, "main/MPI_Win_fence", 170, 30), (2, 0, "main/MPI_Win_fence", 190, 10)],
    "Late Post (Synchronisation)": [(0, 1, "main/MPI_Win_start", 230, 70)],
    "Early Wait": [(1, 0, "main/MPI_Win_wait", 350, 50)],
    "Lock Contention (Synchronisation)": [(2, 1, "main/MPI_Win_lock", 520, 180)],
    "Wait for Progress (Synchronisation)": [(2, 0, "main/MPI_Win_unlock", 730, 170)],
    "Wait at Finalize": [(0, 2, "main/MPI_Finalize", 900, 20), (1, 2, "main/MPI_Finalize", 800, 120)],
}, "waits of all kinds, with victim, culprit, call path and times")
end()
