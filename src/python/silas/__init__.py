"""SILAS: what a change of an MPI program would gain, asked from Python.

    import silas

    trace = silas.open("before")                     # an OTF2 archive, of any tool
    trace.waits.to_pandas().groupby("kind").seconds.sum()
    trace.what_if(scale={"solve": 0.5}).saving       # a fraction of T
    silas.sweep(trace, latency=[0.5, 1, 2])          # a table of what-ifs

Functions
    open(path)             loads a trace: class Trace
    sweep(trace, ...)      many what-ifs of one trace: a Table
    diff(before, after)    compares two traces, results or reports: class Comparison
    replay_result(path)    what silas-replay or silas-model has written: class Comparison
    region(name)           marks a region of this program, for silas-trace

Tables (class Table) have columns of equal length. numpy.asarray(table["time"]) does not copy;
pandas.DataFrame is table.to_pandas(); polars.DataFrame(table), pyarrow.table(table) and DuckDB take
tables as they are, by the Arrow PyCapsule interface. Times are seconds since the first event of the
trace, unless a table says something else; bytes are bytes; ranks are those in MPI_COMM_WORLD.

Errors are silas.Error with the message of the command; warnings are silas.Warning. Other threads of
Python run while SILAS computes, and Ctrl-C ends it. Nothing here starts MPI: every process of an
MPI program can use it for itself."""
from silas.regions import region

__all__ = ["open", "sweep", "diff", "replay_result", "region", "Trace", "Definitions", "WhatIf",
           "Comparison", "Table", "Column", "Error", "Warning"]

_PLACES = {"Table": "silas.tables"}
_PLACES.update(dict.fromkeys(["Column", "Error", "Warning", "__version__"], "silas._silas"))
_PLACES.update(dict.fromkeys(
    ["open", "sweep", "diff", "replay_result", "Trace", "Definitions", "WhatIf", "Comparison"], "silas.traces"))


def __getattr__(name):
    # A program that only marks its regions does not load what analyses traces.
    if name not in _PLACES:
        raise AttributeError(f"module 'silas' has no attribute {name!r}")
    import importlib

    value = getattr(importlib.import_module(_PLACES[name]), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted(set(globals()) | set(_PLACES))
