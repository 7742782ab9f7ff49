"""Tables of columns."""
from html import escape
from itertools import islice

try:
    from silas import _silas
except ImportError as error:
    raise ImportError(f"this SILAS cannot analyse traces in Python: {error}. It was built without Python's "
                      "headers (python3-dev), or for another system") from error

SHOWN = 10  # rows of a table that is printed


class Table:
    """Columns of equal length, read-only.

    len(table)            number of rows
    table.columns         names of the columns
    table.shape           (rows, columns)
    table["time"]         a Column
    table[["rank", "time"]], table[10:20], table.head(n), table.tail(n)
                          tables over the same memory
    table.to_pandas()     a pandas.DataFrame
    table.to_dict()       {name: list of values}
    table.itertuples()    the rows, as tuples
    polars.DataFrame(table), pyarrow.table(table), duckdb.sql("select ... from table")
                          take it by the Arrow PyCapsule interface, without a copy of the values

    Some columns are computed when they are first used."""

    def __init__(self, columns, title="Table"):
        self._columns = dict(columns)  # name: column, or a function that returns it
        self._title = title

    @property
    def columns(self):
        """The names of the columns, a tuple."""
        return tuple(self._columns)

    @property
    def dtypes(self):
        """{name: type of the values}: "category", or numpy's name of the type."""
        names = {"b": "int8", "B": "uint8", "i": "int32", "Q": "uint64", "d": "float64"}
        return {name: "category" if self[name].categories is not None else names[self[name].format]
                for name in self._columns}

    @property
    def shape(self):
        """(number of rows, number of columns)"""
        return len(self), len(self._columns)

    def __len__(self):
        for column in self._columns.values():
            if not callable(column):
                return len(column)
        return len(self[next(iter(self._columns))]) if self._columns else 0

    def __iter__(self):
        return iter(self._columns)

    def __contains__(self, name):
        return name in self._columns

    def __getitem__(self, key):
        if isinstance(key, str):
            if key not in self._columns:
                raise KeyError(f"{self._title} has no column {key!r}; it has {', '.join(self._columns)}")
            column = self._columns[key]
            if callable(column):
                column = self._columns[key] = column()
            return column
        if isinstance(key, slice):
            return Table({name: self[name][key] for name in self._columns}, self._title)
        if isinstance(key, (list, tuple)):
            return Table({name: self[name] for name in key}, self._title)
        raise TypeError("expected the name of a column, a list of names, or consecutive rows")

    def head(self, n=5):
        """The first n rows."""
        return self[:n]

    def tail(self, n=5):
        """The last n rows."""
        return self[max(len(self) - n, 0):]

    def itertuples(self):
        """The rows as tuples, with texts where a column has them, and None for missing values."""
        return zip(*(self[name] for name in self._columns))

    def to_dict(self):
        """{name: list of values}"""
        return {name: list(self[name]) for name in self._columns}

    def to_pandas(self):
        """A pandas.DataFrame. Numbers are not copied, texts become categories, and columns of ranks, tags and
        rows that may lack a value become Int32."""
        import numpy
        import pandas

        frame = {}
        for name in self._columns:
            column = self[name]
            values = numpy.asarray(column)
            if column.categories is not None:
                values = pandas.Categorical.from_codes(values, categories=list(column.categories))
            elif column.nullable:
                values = pandas.arrays.IntegerArray(values, values == -1)
            frame[name] = pandas.Series(values, copy=False)
        return pandas.DataFrame(frame, copy=False)

    def _arrow(self, function):
        return function(tuple(self._columns), tuple(self[name] for name in self._columns))

    def __arrow_c_schema__(self):
        return self._arrow(_silas.arrow_schema)

    def __arrow_c_array__(self, requested_schema=None):
        return self._arrow(_silas.arrow_schema), self._arrow(_silas.arrow_array)

    def __arrow_c_stream__(self, requested_schema=None):
        return self._arrow(_silas.arrow_stream)

    def _texts(self):
        rows = [list(self._columns)]
        for row in islice(self[:SHOWN].itertuples(), SHOWN):
            rows.append(["" if value is None else f"{value:.9g}" if isinstance(value, float) else str(value)
                         for value in row])
        more = len(self) - (len(rows) - 1)
        return rows, f"{self._title}: {len(self)} rows" + (f", {more} more" if more > 0 else "")

    def __repr__(self):
        rows, summary = self._texts()
        widths = [max(len(row[i]) for row in rows) for i in range(len(self._columns))]
        lines = ["  ".join(text.rjust(width) for text, width in zip(row, widths)) for row in rows]
        return "\n".join(lines + [summary])

    def _repr_html_(self):
        rows, summary = self._texts()
        cells = ["".join(f"<{tag}>{escape(text)}</{tag}>" for text in row)
                 for tag, row in zip(["th"] + ["td"] * len(rows), rows)]
        return (f"<table><thead><tr>{cells[0]}</tr></thead><tbody>"
                + "".join(f"<tr>{cell}</tr>" for cell in cells[1:])
                + f"</tbody></table><p>{escape(summary)}</p>")


def table_of_rows(names, rows, title):
    """A table of values that Python has computed: numbers, or texts (None: no text)."""
    from array import array

    columns = {}
    for i, name in enumerate(names):
        values = [row[i] for row in rows]
        if all(isinstance(value, int) and not isinstance(value, bool) for value in values):
            columns[name] = _silas.column("i", array("i", values).tobytes(), None)
        elif all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values):
            columns[name] = _silas.column("g", array("d", values).tobytes(), None)
        else:
            texts = {}
            codes = [texts.setdefault("" if value is None else str(value), len(texts)) for value in values]
            columns[name] = _silas.column("i", array("i", codes).tobytes(), tuple(texts))
    return Table(columns, title)
