"""Threads, interrupts, memory, MPI: work.py TRACE"""
import gc
import os
import signal
import sys
import threading
import time
import warnings

import silas
from tap import end, equal, ok, raises

warnings.simplefilter("ignore", silas.Warning)
path = sys.argv[1]
trace = silas.open(path)
region = next(name for name, mpi in trace.definitions.regions[["region", "mpi"]].itertuples() if not mpi)

# Another thread runs while the model does.
counted, ended = [0], threading.Event()


def count():
    while not ended.is_set():
        counted[0] += 1
        time.sleep(0.0005)


thread = threading.Thread(target=count)
thread.start()
most = 0
for attempt in range(10):
    before = counted[0]
    trace.what_if(scale={region: 0.5}).report
    most = max(most, counted[0] - before)
ended.set()
thread.join()
ok(most > 2, "another thread runs while the model computes", most)

results = []
threads = [threading.Thread(target=lambda: results.append(trace.what_if(scale={region: 0.5}).time_after)) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
equal(results, [trace.what_if(scale={region: 0.5}).time_after] * 4, "four threads ask at once")


# Ctrl-C ends what runs.
class Ended(Exception):
    pass


def interrupted(work, after):
    signal.setitimer(signal.ITIMER_REAL, after)
    begun = time.monotonic()
    try:
        while time.monotonic() - begun < 60:
            work()
    except KeyboardInterrupt:
        return time.monotonic() - begun
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return None


def press(number, frame):
    os.kill(os.getpid(), signal.SIGINT)


signal.signal(signal.SIGALRM, press)
for name, work in {"loading": lambda: silas.open(path), "a what-if": lambda: trace.what_if(scale={region: 0.7}),
                   "a report": lambda: trace.what_if(scale={region: 0.7}).report,
                   "a sweep": lambda: silas.sweep(trace, scale=[{region: i / 1000} for i in range(1000)])}.items():
    took = interrupted(work, 0.1)
    ok(took is not None and took < 30, f"Ctrl-C interrupts {name}", took)
    equal(trace.what_if(scale={region: 0.5}).time_after, results[0], "... and the trace is as before")
signal.signal(signal.SIGINT, signal.default_int_handler)


def other(number, frame):
    raise Ended("by its handler")


signal.signal(signal.SIGALRM, other)
signal.setitimer(signal.ITIMER_REAL, 0.05)
raises(Ended, "by its handler", lambda: [silas.open(path) for _ in range(1000)], "other handlers may end it, too")
signal.setitimer(signal.ITIMER_REAL, 0)


# Memory
def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def everything():
    loaded = silas.open(path)
    for name in ("events", "messages", "collectives", "waits", "profile"):
        table = getattr(loaded, name)
        table.__arrow_c_stream__()
        [table[column] for column in table.columns]
    loaded.what_if(scale={region: 0.5})
    try:
        loaded.what_if(scale={"none": 0.5})
    except silas.Error:
        pass


sizes = []
for i in range(25):
    everything()
    gc.collect()
    sizes.append(resident())
ok(max(sizes[20:]) < 1.15 * max(sizes[4:10]), "memory does not grow", sizes)

with open("/proc/self/maps") as file:
    maps = file.read()
ok("_silas.abi3" in maps, "the module is loaded")
equal(threading.active_count(), 1, "no thread is left")
end()
