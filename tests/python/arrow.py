"""Columns without any library: buffers, numpy's description of arrays, Arrow's structures as published:
arrow.py TRACE"""
import ctypes
import gc
import sys

import silas
from tap import end, equal, ok, raises, skip


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


class Stream(ctypes.Structure):
    pass


release = lambda structure: ctypes.CFUNCTYPE(None, ctypes.POINTER(structure))
Schema._fields_ = [("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", ctypes.c_char_p),
                   ("flags", ctypes.c_int64), ("n_children", ctypes.c_int64),
                   ("children", ctypes.POINTER(ctypes.POINTER(Schema))), ("dictionary", ctypes.POINTER(Schema)),
                   ("release", release(Schema)), ("private_data", ctypes.c_void_p)]
Array._fields_ = [("length", ctypes.c_int64), ("null_count", ctypes.c_int64), ("offset", ctypes.c_int64),
                  ("n_buffers", ctypes.c_int64), ("n_children", ctypes.c_int64),
                  ("buffers", ctypes.POINTER(ctypes.c_void_p)), ("children", ctypes.POINTER(ctypes.POINTER(Array))),
                  ("dictionary", ctypes.POINTER(Array)), ("release", release(Array)), ("private_data", ctypes.c_void_p)]
Stream._fields_ = [
    ("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Schema))),
    ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Array))),
    ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.POINTER(Stream))),
    ("release", release(Stream)), ("private_data", ctypes.c_void_p)]
pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
TYPES = {b"c": ctypes.c_int8, b"C": ctypes.c_uint8, b"i": ctypes.c_int32, b"L": ctypes.c_uint64, b"g": ctypes.c_double}


def content(capsule, name, structure):
    return structure.from_address(pointer_of(capsule, name))


def values_of(schema, array):
    """The values of an array, as Python's."""
    assert array.offset == 0 and array.n_buffers == 2
    numbers = (TYPES[schema.format] * array.length).from_address(array.buffers[1]) if array.length else []
    values = list(numbers)
    if array.buffers[0]:
        bits = (ctypes.c_uint8 * (array.length // 8 + 1)).from_address(array.buffers[0])
        values = [value if bits[i // 8] >> i % 8 & 1 else None for i, value in enumerate(values)]
        assert values.count(None) == array.null_count
    if schema.dictionary:
        words = array.dictionary.contents
        assert schema.dictionary.contents.format == b"u" and words.n_buffers == 3
        offsets = (ctypes.c_int32 * (words.length + 1)).from_address(words.buffers[1])
        text = ctypes.string_at(words.buffers[2], offsets[words.length])
        words = [text[offsets[i]:offsets[i + 1]].decode() for i in range(words.length)]
        values = [None if value is None else words[value] for value in values]
    return values


trace = silas.open(sys.argv[1])
tables = {name: getattr(trace, name) for name in
          ("events", "messages", "collectives", "waits", "profile", "metrics", "pop", "iterations")}
tables["locations"] = trace.definitions.locations
tables["no rows"] = trace.messages[:0]

for name, table in tables.items():
    capsule = table.__arrow_c_stream__()
    stream = content(capsule, b"arrow_array_stream", Stream)
    schema, array = Schema(), Array()
    assert stream.get_schema(stream, schema) == 0 and stream.get_next(stream, array) == 0
    assert schema.format == b"+s" and array.n_buffers == 1 and array.length == len(table)
    got = {schema.children[i].contents.name.decode():
           values_of(schema.children[i].contents, array.children[i].contents) for i in range(schema.n_children)}
    same = str(got) == str(table.to_dict())  # texts, because NaN differs from itself
    after = Array()
    assert stream.get_next(stream, after) == 0
    ok(same and not after.release, f"{name} as a stream of Arrow")
    array.release(array)
    schema.release(schema)
    del stream, capsule  # not released: the capsule does it
gc.collect()

events = trace.events
column = events["time"]
view = memoryview(column)
equal((view.format, view.itemsize, view.shape, view.readonly), ("Q", 8, (len(events),), True), "the buffer of times")
address = column.__array_interface__["data"][0]
equal(column.__array_interface__["typestr"], "<u8" if sys.byteorder == "little" else ">u8", "numpy's description")
equal(ctypes.c_uint64.from_address(address + 8).value, view[1], "... is of the same memory")
capsules = column.__arrow_c_array__()
schema, array = content(capsules[0], b"arrow_schema", Schema), content(capsules[1], b"arrow_array", Array)
equal((schema.format, array.buffers[1], array.length), (b"L", address, len(events)), "... and so is the column in Arrow")
equal(memoryview(trace.events["time"])[5], view[5], "a second time, the column is the same")
part = events[100:200]
equal(part["time"].__array_interface__["data"][0], address + 800, "rows are a part of the same memory")
equal(list(part["time"]), view[100:200].tolist(), "... with these values")
raises((BufferError, TypeError), "", lambda: (ctypes.c_char * 8).from_buffer(column), "a column cannot be written")
raises(TypeError, "read-only", lambda: memoryview(column).__setitem__(0, 1), "... nor to its memory")
raises(IndexError, "range", lambda: column[len(events)], "no row behind the last")
equal((column[-1], column[len(events) - 1]), (view[-1], view[-1]), "the last row")
raises(ValueError, "step 1", lambda: column[::2], "no slices with steps")
raises(KeyError, "has no column 'tiem'; it has time, kind", lambda: events["tiem"], "a column that is not there")
ok("__iter__" in dir(type(column)) and list(iter(part["time"])) == view[100:200].tolist(), "columns are iterable")
equal(events["kind"].categories[memoryview(events["kind"])[0]], events["kind"][0], "categories")
ok(all(None is value or isinstance(value, str) for value in events["call_path"]), "values of a column of names are texts")

# The columns outlive the trace.
first = column[0]
del trace, events, part, tables, table, view, schema, array, capsules
gc.collect()
equal(column[0], first, "a column keeps its trace in memory")

trace = silas.open(sys.argv[1])
ok("rows, " in repr(trace.events) and "more" in repr(trace.events), "a table prints its first rows")
ok("<table>" in trace.waits._repr_html_() and "<td>" in trace.profile._repr_html_(), "... in notebooks, too")
try:
    import numpy
except ImportError:
    skip("numpy", "there is no numpy")
else:
    times = numpy.asarray(trace.events["time"])
    ok(times.dtype == numpy.uint64 and times.__array_interface__["data"][0] ==
       trace.events["time"].__array_interface__["data"][0], "numpy does not copy")
try:
    import pandas
except ImportError:
    skip("pandas", "there is no pandas")
else:
    frame = trace.messages.to_pandas()
    ok(frame.shape == trace.messages.shape and frame.bytes.sum() == sum(trace.messages["bytes"]) and
       list(frame.call_path[:9]) == list(trace.messages["call_path"][:9]), "pandas has the same messages")
    frame = trace.events[["time", "kind", "arg"]].to_pandas()
    ok(numpy.shares_memory(frame["time"].to_numpy(), numpy.asarray(trace.events["time"])), "pandas does not copy times")
    ok(frame["arg"].isna().sum() == list(trace.events["arg"]).count(None), "values that are missing")
try:
    import pyarrow
except ImportError:
    skip("pyarrow", "there is no pyarrow")
else:
    table = pyarrow.table(trace.events)
    equal(table.column("time").to_pylist(), list(trace.events["time"]), "pyarrow has the same events")
try:
    duckdb = ctypes.CDLL("libduckdb.so")  # its C interface takes the stream without any Python package
except OSError:
    skip("DuckDB", "libduckdb.so is not installed")
else:
    base, connection, result = ctypes.c_void_p(), ctypes.c_void_p(), (ctypes.c_char * 256)()
    duckdb.duckdb_arrow_scan.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    duckdb.duckdb_query.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    duckdb.duckdb_value_varchar.argtypes = [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint64]
    duckdb.duckdb_value_varchar.restype = ctypes.c_char_p
    ok(duckdb.duckdb_open(None, ctypes.byref(base)) == 0 and duckdb.duckdb_connect(base, ctypes.byref(connection)) == 0, "DuckDB")

    def query(text):
        assert duckdb.duckdb_query(connection, text.encode(), result) == 0, text
        return duckdb.duckdb_value_varchar(result, 0, 0)

    for name in ("events", "messages", "waits", "profile"):
        table = getattr(trace, name)
        capsule = table.__arrow_c_stream__()
        duckdb.duckdb_arrow_scan(connection, name.encode(), pointer_of(capsule, b"arrow_array_stream"))
        query(f"create table of_{name} as select * from {name}")
        for column in table.columns:
            values = [value for value in table[column] if value is not None]
            count = int(query(f'select count("{column}") from of_{name}'))
            if values and isinstance(values[0], str):
                same = int(query(f'select sum(length("{column}")) from of_{name}')) == sum(map(len, values))
            else:
                total = float(query(f'select coalesce(sum("{column}"::double), 0) from of_{name}') or 0)
                same = abs(total - sum(values)) <= 1e-9 * abs(sum(values))
            ok(same and count == len(values), f"DuckDB has the same {name}, {column}")
end()
