"""Comparisons of traces in memory, which need not be those of their archives: clocks.py TRACE (a relative path)"""
import os
import sys
import warnings

import silas
from tap import end, equal, ok

warnings.simplefilter("ignore", silas.Warning)
path = sys.argv[1]
recorded, corrected = silas.open(path), silas.open(path, correct_clocks=True)
ok(corrected.duration > recorded.duration, "correcting the clocks makes T longer", (recorded, corrected))
compared = silas.diff(recorded, corrected)
equal((compared.time_before, compared.time_after), (recorded.duration, corrected.duration), "diff compares the traces in memory")
equal(silas.diff(path, corrected).time_before, recorded.duration, "... also with a path")
violations = [row for row in silas.diff(corrected, recorded).metrics.itertuples() if row[0] == "clock_violations"]
equal([(row[5], row[6]) for row in violations], [(0, 1)], "... with all their metrics")
os.chdir("/")
itself = silas.diff(corrected, corrected)
ok(len(itself.metrics) > 0 and not any(itself.metrics["difference"]), "a trace by a relative path, after a change of directory")
end()
