"""Marks regions of a Python program by hand, for tracing with silas-trace:

    import silas

    with silas.region("assemble"):
        ...

    @silas.region("solve")
    def solve():
        ...

All uses of a name mean the same region. Without the tracer they do nothing."""
import ctypes
import functools
import sys

try:
    _process = ctypes.PyDLL(None)  # the names that the tracer brought into this process
    _begin = _process.silas_region_begin_at
    _end = _process.silas_region_end_at
except (AttributeError, OSError):
    _begin = _end = None

_regions = {}  # by name: the name for C, and the tracer's memory of it


class region:
    """A context manager, and a decorator of plain functions."""

    def __init__(self, name):
        known = _regions.get(name)
        if known is None:
            caller = sys._getframe(1)
            known = _regions[name] = (
                ctypes.byref(ctypes.c_uint()),
                name.encode(),
                caller.f_code.co_filename.encode(),
                caller.f_lineno,
            )
        self._cache, self._name, self._file, self._line = known

    def __enter__(self):
        if _begin:
            _begin(self._cache, self._name, self._file, self._line)
        return self

    def __exit__(self, *exception):
        if _end:
            _end(self._cache, self._name)
        return False

    def __call__(self, function):
        @functools.wraps(function)
        def marked(*arguments, **keywords):
            with self:
                return function(*arguments, **keywords)

        return marked
