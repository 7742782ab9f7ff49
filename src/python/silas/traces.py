"""Traces, what-ifs about them, and comparisons."""
import json
import os
import re
from builtins import open as _open_file
from functools import cached_property
from itertools import product

from silas.tables import Table, _silas, table_of_rows

# Hypotheses whose sections have no key `region`: a text names a key that is set to yes.
_WITHOUT_REGION = {"cpu", "remap", "network", "mapping", "collectives"}

# Keys of a section [scale]: a dictionary with one of them is a section, others have regions and factors.
_SCALE_KEYS = {"region", "callpath", "factor"}


def _path(path):
    path = os.fspath(path)
    if not path:
        raise _silas.Error("the path is empty: name a file or a folder")
    return path


def open(path, correct_clocks=False):
    """Loads a trace.

    path: the anchor file (traces.otf2) of an OTF2 archive, or its folder.
    correct_clocks: move time stamps until no message arrives before it is sent, like
    silas-analyze --correct-clocks.

    Raises silas.Error for an archive that is missing or damaged."""
    return Trace(_silas.open(_path(path), correct_clocks))


class Definitions:
    """What the events of a trace refer to: tables, each with one row per definition.

    regions         region, file, begin_line, end_line (0: unknown), mpi (1: an MPI call)
    call_paths      call_path, region, parent (row of the caller in this table), mpi
    communicators   communicator, size, parent (row in this table)
    locations       location, rank, thread, host, events: one row per thread
    properties      a dictionary: the properties of the archive
    ranks           number of ranks
    ticks_per_second, creator"""

    def __init__(self, handle, facts):
        self._handle = handle
        self.ranks = facts["ranks"]
        self.ticks_per_second = facts["ticks_per_second"]
        self.creator = facts["creator"]
        self.properties = facts["properties"]

    @cached_property
    def regions(self):
        """Table: region, file, begin_line, end_line, mpi."""
        return Table(self._handle.table("regions"), "Regions")

    @cached_property
    def call_paths(self):
        """Table: call_path, region, parent, mpi. Row i is call path i."""
        return Table(self._handle.table("call_paths"), "Call paths")

    @cached_property
    def communicators(self):
        """Table: communicator, size, parent."""
        return Table(self._handle.table("communicators"), "Communicators")

    @cached_property
    def locations(self):
        """Table: location, rank, thread, host, events."""
        return Table(self._handle.table("locations"), "Locations")

    def __repr__(self):
        return f"<Definitions: {self.ranks} ranks, {len(self.regions)} regions, {len(self.call_paths)} call paths>"


class Trace:
    """A trace in memory. silas.open(path) makes it.

    path, ranks, duration   the anchor file; number of ranks; T in seconds
    begin, end              first and last time stamp, in ticks of 1 / ticks_per_second seconds
    definitions             class Definitions
    events, messages, collectives, waits, profile, metrics, pop, iterations
                            tables (class Table), computed when they are first used
    what_if(...)            class WhatIf

    Tables keep the trace in memory."""

    def __init__(self, handle):
        self._handle = handle
        facts = handle.facts()
        self.path = facts["path"]
        self.ranks = facts["ranks"]
        self.begin = facts["begin"]
        self.end = facts["end"]
        self.ticks_per_second = facts["ticks_per_second"]
        self.duration = facts["duration"]
        self.definitions = Definitions(handle, facts)

    def __repr__(self):
        return f"<silas.Trace {self.path}: {self.ranks} ranks, {len(self.events)} events, {self.duration:.6g} s>"

    def _table(self, name):
        return Table(self._handle.table(name), name.capitalize())

    @cached_property
    def events(self):
        """The events, one row each: those of the ranks' master threads in rank order, then those of other
        threads. Within a thread they are in the order of time.

        time        uint64, ticks: (time - trace.begin) / trace.ticks_per_second are seconds
        kind        category: Enter, Leave, MpiSend, ...
        arg         Int32: of Enter the row of the call path in definitions.call_paths; of Leave the row,
                    within its thread, of the Enter; of messages and collective operations their number on
                    the rank
        rank        Int32: rank in MPI_COMM_WORLD; missing for a thread that belongs to no rank
        thread      int32: 0 is the master thread
        call_path   category: the innermost call path; of Enter and Leave the one that begins or ends

        time, kind and arg are the trace's own memory; the others are made when they are first used."""
        columns = self._handle.table("events")
        for name in ("rank", "thread", "call_path"):
            columns[name] = lambda name=name: self._handle.table("events." + name)[name]
        return Table(columns, "Events")

    @cached_property
    def messages(self):
        """The point-to-point messages, one row each, in the order of the sender and of its sends.

        sender, receiver           Int32: ranks; missing if that end is not in the trace and unknown
        bytes, tag, communicator
        send_begin, send_end       float64, seconds: the send is posted and completed
        receive_begin, receive_end float64, seconds: the same of the receive; NaN: not in the trace
        call_path                  category: where it is sent
        receive_call_path          category: where its receive is posted"""
        return self._table("messages")

    @cached_property
    def collectives(self):
        """The collective operations, one row per operation and rank.

        rank, operation, communicator
        instance        Int32: number of the operation on the communicator; rows with the same communicator
                        and instance belong together
        root            Int32: rank in MPI_COMM_WORLD; missing: the operation has no root
        begin, end      float64, seconds
        bytes_sent, bytes_received
        call_path       category"""
        return self._table("collectives")

    @cached_property
    def waits(self):
        """The waits of calls for other ranks, one row each: what silas-analyze finds, also in one-sided
        communication, in probes and in MPI_Finalize. The sums of each kind are those of its metric. A call
        that waits in several ways has several rows. Waits for other threads are in `metrics` (omp_...).

        kind        category, the metric's title in doc/metrics.md: Late Sender, Wait at N x N, Early Wait, ...
        victim      int32: the rank that waits
        culprit     Int32: the rank that it waits for: of several the last one; missing: unknown
        call_path   category: of the call that waits
        time        float64, seconds: the call begins
        seconds     float64: how long it waits"""
        return self._table("waits")

    @cached_property
    def profile(self):
        """The flat profile, one row per rank, thread and call path that is visited.

        rank, thread, call_path, region
        mpi         uint8: 1 for an MPI call
        visits      float64
        time_exc    float64, seconds: in the call path itself
        time_inc    float64, seconds: with everything that it calls
        waiting     float64, seconds: waiting for other ranks, part of time_exc. Waits for other threads are
                    in `metrics` (omp_..., pthread_join_wait)"""
        return self._table("profile")

    @cached_property
    def metrics(self):
        """All metrics of silas-analyze (doc/metrics.md), one row per value that is not 0.

        metric, unit ("sec", "occ", "bytes"), call_path, rank, thread, value"""
        return self._table("metrics")

    @cached_property
    def pop(self):
        """POP's efficiencies, as silas-pop computes them: one row for the run, then rows of its regions and
        of ten windows of time.

        part        category: run, region, window
        name        category: of a region; else empty
        first       uint64: number of the window
        begin, end  float64, seconds
        time, time_ideal, computation_mean, computation_max   float64, seconds
        parallel_efficiency, mpi_parallel_efficiency, load_balance, communication_efficiency, serialisation,
        transfer, thread_efficiency                           float64, 1 is ideal; NaN: unknown"""
        return self._table("pop")

    @cached_property
    def iterations(self):
        """The iterations of the program's loops, as silas-structure finds them, one row each.

        loop        int32: loops follow each other in time
        iteration   uint64: number in its loop, from 0
        call_path   category: that begins each iteration; missing: none
        begin, end, seconds   float64
        kind        int32: iterations of one kind do the same
        perturbed   uint8: 1 if its length is far from that of others of its kind"""
        return self._table("iterations")

    def what_if(self, config=None, **hypotheses):
        """Predicts by the model how long the program would run if it were changed, like silas-model.

        config: a text with sections of a configuration (doc/config.md), for example
        "[scale]\\nregion = solve\\nfactor = 0.5".

        Further arguments are kinds of hypotheses, each with the keys of its section:
            scale={"solve": 0.8, "assemble": 0.5}   computation time of regions, by a factor
            scale={"callpath": "main/solve", "factor": 0.8}
            balance="solve"                         the same computation on all ranks
            latency=0.5, latency="1us"              of the network: a factor, or a time with its unit
            bandwidth=2, bandwidth="10GB/s"
            cpu={"rank": 3, "speed": 2}, network="ideal", wait={"region": "MPI_Recv"}, ...
        A list stands for several hypotheses of a kind. Regions may be patterns, as in the configuration.

        Returns a WhatIf, whose T is that of silas-model to the last bit. Raises silas.Error if a hypothesis
        cannot be applied: an unknown region (the message has the nearest names), a negative factor."""
        return WhatIf(self, _sections(config, hypotheses))


def _value(value):
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple, range)):
        return ", ".join(_value(item) for item in value)
    text = repr(float(value)) if isinstance(value, float) else str(value)
    if "\n" in text or "\r" in text:
        raise ValueError(f"a value of a hypothesis has a line end: {text!r}")
    return text


def _scalings(value):
    """The sections of a dictionary: it is a section, or has regions and their factors."""
    if not _SCALE_KEYS & value.keys():
        return [{"region": region, "factor": factor} for region, factor in value.items()]
    if "factor" not in value:
        raise TypeError(f"scale={value!r}: \"factor\" is missing; write scale={ {**value, 'factor': 0.5}!r}")
    return [value]


def _hypotheses(kind, value):
    """The sections of one argument: a list of dictionaries."""
    if isinstance(value, (list, tuple)):
        return [section for item in value for section in _hypotheses(kind, item)]
    if isinstance(value, dict):
        return _scalings(value) if kind == "scale" else [value]
    if kind == "scale":
        what = value if isinstance(value, str) else "REGION"
        raise TypeError(f"scale={value!r}: expected regions with factors; write scale={ {what: 0.5}!r}")
    if kind in _WITHOUT_REGION and isinstance(value, str):
        return [{value: True}]
    if isinstance(value, str):
        return [{"region": value}]
    raise TypeError(f"{kind}: expected a text, a dictionary or a list of these, not {value!r}")


def _check_config(config):
    if config is not None and not isinstance(config, str):
        named = isinstance(config, dict) and all(isinstance(kind, str) for kind in config)
        arguments = ", ".join(f"{kind}={value!r}" for kind, value in config.items()) if named else "'[scale]...'"
        raise TypeError(f"config: expected a text with sections, not {config!r}; write what_if({arguments})")
    for number, line in enumerate((config or "").splitlines(), 1):
        given = re.match(r"\s*\[\s*(trace|replay)\b", line)
        if given:
            raise _silas.Error(f"what-if:{number}: leave section [{given[1]}] out: the trace is the one whose what_if "
                               "you call, and the model computes")


def _sections(config, arguments):
    _check_config(config)
    lines = [] if config is None else [config]
    network = {key: arguments.pop(key) for key in ("latency", "bandwidth") if arguments.get(key) is not None}
    arguments = {kind: value for kind, value in arguments.items() if value is not None}
    if network:
        more = arguments.pop("network", [])
        arguments["network"] = [network] + (list(more) if isinstance(more, (list, tuple)) else [more])
    for kind, value in arguments.items():
        for number, section in enumerate(_hypotheses(kind, value), 1):
            lines.append(f"[{_value(kind)} {number}]")
            lines.extend(f"{_value(key)} = {_value(item)}" for key, item in section.items())
    return "\n".join(lines) + "\n" if lines else ""


class WhatIf:
    """The prediction for a changed program. trace.what_if(...) makes it.

    time_before, time_after   T in seconds: the unchanged trace by the model, and the changed one
    saving                    the fraction of T that the change saves; below 0: it takes longer
    saving_seconds            the same in seconds
    config                    the sections of the configuration, for silas-replay or silas-model

    The following are computed when they are first used, which takes as long as silas-model does:
    report                    a dictionary: the report.json of silas-model (doc/report-json.md)
    pop_before, pop_after     dictionaries: POP's efficiencies
    profile_before, profile_after   tables like Trace.profile
    ranks                     a table with one row per rank: rank, computation_before, computation_after,
                              mpi_before, mpi_after, waiting_before, waiting_after, in seconds of the rank's
                              master thread: computation is all time outside MPI, waiting is for other ranks,
                              a part of mpi"""

    def __init__(self, trace, config):
        self._trace = trace
        self.config = config
        self.time_before, self.time_after = trace._handle.what_if(config, False)

    @property
    def saving(self):
        """The fraction of T that the change saves."""
        return self.saving_seconds / self.time_before if self.time_before > 0 else 0.0

    @property
    def saving_seconds(self):
        """The seconds that the change saves."""
        return self.time_before - self.time_after

    @cached_property
    def _details(self):
        report, before, after = self._trace._handle.what_if(self.config, True)
        return json.loads(report), Table(before, "Profile before"), Table(after, "Profile after")

    @property
    def report(self):
        """The report.json of silas-model, as a dictionary."""
        return self._details[0]

    @property
    def pop_before(self):
        """POP's efficiencies of the unchanged run."""
        return self.report["pop"]["before"]

    @property
    def pop_after(self):
        """POP's efficiencies of the changed run."""
        return self.report["pop"]["after"]

    @property
    def profile_before(self):
        """The profile of the unchanged run, a Table."""
        return self._details[1]

    @property
    def profile_after(self):
        """The profile of the changed run, a Table."""
        return self._details[2]

    @cached_property
    def ranks(self):
        """Times of each rank's master thread before and after, in seconds, a Table."""
        sums = {}
        for after, table in enumerate((self.profile_before, self.profile_after)):
            for rank, thread, mpi, time, waiting in table[["rank", "thread", "mpi", "time_exc", "waiting"]].itertuples():
                if thread == 0:
                    row = sums.setdefault(rank, [0.0] * 6)
                    row[2 * mpi + after] += time
                    row[4 + after] += waiting
        names = [f"{what}_{when}" for what in ("computation", "mpi", "waiting") for when in ("before", "after")]
        return table_of_rows(["rank"] + names, [[rank] + row for rank, row in sorted(sums.items())], "Ranks")

    def __repr__(self):
        return (f"<silas.WhatIf: T {self.time_before:.6g} s -> {self.time_after:.6g} s, "
                f"saving {100 * self.saving:.2f} %>")


def _check_alternatives(what_ifs, alternatives):
    if isinstance(what_ifs, (dict, str)):
        raise TypeError(f"what_ifs: expected a list of dictionaries; write [{what_ifs!r}]")
    for name, values in alternatives.items():
        if isinstance(values, (dict, str)) or not hasattr(values, "__iter__"):
            raise TypeError(f"{name}: expected a list of the values to try; write {name}=[{values!r}]")


def sweep(trace, what_ifs=None, errors="raise", **alternatives):
    """Many what-ifs of one trace: a Table with one row each, in the order given.

    what_ifs: an iterable of dictionaries, the arguments of Trace.what_if; or
    alternatives: for each argument of Trace.what_if the list of its values, of which all combinations are
    tried: sweep(trace, latency=[0.5, 1, 2], scale=[{"solve": f} for f in (0.5, 0.8, 1)]).
    errors: "raise", or "coerce": a what-if that cannot be computed has NaN and a message in column `error`.

    Columns: one per argument, then time_before, time_after (seconds), saving (a fraction of T)."""
    if errors not in ("raise", "coerce"):
        raise ValueError(f"errors={errors!r}: expected 'raise' or 'coerce'")
    if not isinstance(trace, Trace):
        raise TypeError(f"sweep: expected a Trace, not {trace!r}" +
                        (f"; write silas.sweep(silas.open({trace!r}), ...)" if isinstance(trace, (str, os.PathLike)) else ""))
    _check_alternatives(what_ifs, alternatives)
    if what_ifs is None:
        what_ifs = [dict(zip(alternatives, values)) for values in product(*alternatives.values())]
    elif alternatives:
        raise TypeError("expected a list of what-ifs, or alternatives, not both")
    what_ifs = list(what_ifs)
    for arguments in what_ifs:
        if not hasattr(arguments, "keys"):
            raise TypeError(f"what_ifs: expected dictionaries, the arguments of what_if, not {arguments!r}")
    names = list(dict.fromkeys(name for arguments in what_ifs for name in arguments))
    rows = []
    for arguments in what_ifs:
        message, before, after = "", float("nan"), float("nan")
        try:
            result = trace.what_if(**arguments)
            before, after = result.time_before, result.time_after
        except _silas.Error as error:
            if errors == "raise":
                raise
            message = str(error)
        saving = (before - after) / before if before > 0 else float("nan")
        rows.append([arguments.get(name) for name in names] + [before, after, saving] +
                    ([message] if errors == "coerce" else []))
    return table_of_rows(names + ["time_before", "time_after", "saving"] +
                         (["error"] if errors == "coerce" else []), rows, "What-ifs")


class Comparison:
    """Two runs side by side. silas.diff and silas.replay_result make it.

    time_before, time_after   T in seconds
    saving                    (time_before - time_after) / time_before
    metrics                   Table: metric, unit, call_path, rank, thread, before, after, difference
    report                    a dictionary: report.json (doc/report-json.md), with intervals, trustworthiness
                              and the hypotheses; None: the comparison is not of a replay"""

    def __init__(self, compared, report=None):
        self.time_before, self.time_after, columns = compared
        self.metrics = Table(columns, "Metrics")
        self.report = report

    @property
    def saving(self):
        """The fraction of T that `after` saves."""
        return (self.time_before - self.time_after) / self.time_before if self.time_before > 0 else float("nan")

    def __repr__(self):
        return (f"<silas.Comparison: T {self.time_before:.6g} s -> {self.time_after:.6g} s, "
                f"saving {100 * self.saving:.2f} %>")


def _operand(result):
    return result._handle if isinstance(result, Trace) else _path(result)


def diff(before, after):
    """Compares two runs, like silas-diff: each is a Trace (as it is in memory, with its corrected clocks), or the
    path of a trace, of the output directory of silas-replay or silas-model, or of a severity file. Returns a
    Comparison."""
    return Comparison(_silas.compare(_operand(before), _operand(after)))


def replay_result(path):
    """The output directory of silas-replay or silas-model (with the format json), as a Comparison of the
    program before and after the change; also its report.json. Raises silas.Error if there is none."""
    path = os.fsdecode(_path(path))
    report = path if os.path.basename(path) == "report.json" else os.path.join(path, "report.json")
    if os.path.isdir(path) and not os.path.isfile(report):
        raise _silas.Error(f"{path} has no report.json: name the output directory of silas-replay or silas-model, "
                           "and let \"formats\" in [output] contain json")
    compared = _silas.compare(None, path)
    with _open_file(report, encoding="utf-8") as file:
        return Comparison(compared, json.load(file))
