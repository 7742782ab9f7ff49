/* Unpacks a run, as json.c has written it. Times are seconds since the trace's first event. Pieces are in
 * columns, row by row; a call path is an index into `paths`. */
const WAITS = 1, MIXED = 2; /* what a piece is */
const COMPUTES = 0, IN_MPI = 1, WAITING = 2, SHARES = 255; /* shares of a piece, in 255ths */

/* Numbers as packing.h describes them; calls take(i, number) for `count` of them. */
async function unpack(text, count, take) {
  const bytes = await unpack_text(text);
  let at = 0;
  for (let i = 0; i < count; i++) {
    let value = 0, unit = 1, byte;
    do {
      byte = bytes[at++];
      value += (byte & 127) * unit;
      unit *= 128;
    } while (byte >= 128);
    take(i, value);
  }
}

const signed = value => value % 2 ? -(value + 1) / 2 : value / 2;

/* Call paths in the order of the data: callers first. */
function make_paths(data) {
  const count = data.callpaths.length / 3, paths = {
    parent: new Int32Array(count), region: new Uint32Array(count), depth: new Uint16Array(count),
    index: new Map(), deepest: 0,
  };
  for (let i = 0; i < count; i++) {
    const [number, parent, region] = data.callpaths.slice(3 * i, 3 * i + 3);
    paths.index.set(number, i);
    paths.parent[i] = parent < 0 ? -1 : paths.index.get(parent);
    paths.region[i] = region;
    paths.depth[i] = parent < 0 ? 0 : paths.depth[paths.parent[i]] + 1;
    paths.deepest = Math.max(paths.deepest, paths.depth[i] + 1);
  }
  return paths;
}

const LEAST_PATH = 0.001; /* a domino path that saves a smaller part of T says nothing: it is not shown */

/* What is known before anything is unpacked. */
function make_run(data) {
  const run = {
    data, name: data.name, ranks: data.ranks, kinds: data.wait_kinds, shift: 0,
    tick: 1 / data.ticks_per_second, length: Math.max(1, data.length) / data.ticks_per_second,
    threshold: data.threshold / data.ticks_per_second,
    regions: data.regions.map(([name, mpi]) => ({name, mpi: mpi === 1, place: 0, total: 0})),
    paths: make_paths(data), all_rows: [], rows: [], row_of_rank: new Map(), threads: new Set(), waits: [],
  };
  let first = 0;
  for (let i = 0; i < data.rows.length; i += 3) {
    const [rank, thread, count] = data.rows.slice(i, i + 3);
    run.all_rows.push({rank, thread, first, end: first += count});
    if (thread > 0)
      run.threads.add(rank);
  }
  for (const wait of data.path && gain_without(data.path, data.path.without_path) >= LEAST_PATH ? data.path.waits : []) {
    for (const time of ["enter", "until", "leave", "wait", "from", "departure"])
      wait[time] *= run.tick;
    for (const path of ["callpath", "other_callpath"])
      wait[path] = wait[path] < 0 ? -1 : run.paths.index.get(wait[path]);
    run.waits.push(wait);
  }
  make_bands(run);
  choose_rows(run, new Set());
  return run;
}

/* The visible rows: all ranks, and the threads of those in `unfolded`. */
function choose_rows(run, unfolded) {
  run.rows = run.all_rows.filter(row => row.thread === 0 || unfolded.has(row.rank));
  run.row_of_rank.clear();
  run.rows.forEach((row, r) => row.thread === 0 && run.row_of_rank.set(row.rank, r));
  for (const wait of run.waits) {
    wait.row = run.row_of_rank.get(wait.rank);
    wait.other_row = run.row_of_rank.get(wait.other_rank);
  }
}

function row_name(row) {
  return "rank " + row.rank + (row.thread > 0 ? ", thread " + row.thread : "");
}

/* "3 ranks"; with threads among the visible rows, "12 threads": a rank is one, too. */
function rows_text(run, count) {
  const what = run.rows.some(row => row.thread > 0) ? "thread" : "rank";
  return count + " " + what + (count === 1 ? "" : "s");
}

async function unpack_pieces(run) {
  const {pieces} = run.data, n = pieces.count, what = new Uint8Array(n);
  Object.assign(run, {
    begin: new Float64Array(n), end: new Float64Array(n), path: new Uint32Array(n), what,
    kept: new Uint16Array(n), calls: new Float64Array(n), kind: new Uint8Array(n),
    other: new Int32Array(n).fill(-1), shares: new Uint8Array(3 * n),
  });
  await unpack(pieces.gap, n, (i, value) => { run.begin[i] = value; });
  await unpack(pieces.length, n, (i, value) => { run.end[i] = value; });
  await unpack(pieces.callpath, n, (i, value) => { run.path[i] = run.paths.index.get(value); });
  await unpack(pieces.what, n, (i, value) => { what[i] = value; });
  await unpack(pieces.kept, n, (i, value) => { run.kept[i] = value; });
  await unpack(pieces.calls, n, (i, value) => { run.calls[i] = value; });
  const waiting = [], mixed = [];
  for (let i = 0; i < n; i++) {
    if (what[i] & WAITS)
      waiting.push(i);
    if (what[i] & MIXED)
      mixed.push(i);
    else
      run.shares[3 * i + (what[i] & WAITS ? WAITING : run.regions[run.paths.region[run.path[i]]].mpi ? IN_MPI : COMPUTES)] = SHARES;
  }
  await unpack(pieces.kind, waiting.length, (i, value) => { run.kind[waiting[i]] = value; });
  await unpack(pieces.other, waiting.length, (i, value) => { run.other[waiting[i]] = value - 1; });
  await unpack(pieces.computes, mixed.length, (i, value) => { run.shares[3 * mixed[i]] = value; });
  await unpack(pieces.mpi, mixed.length, (i, value) => { run.shares[3 * mixed[i] + 1] = value; });
  await unpack(pieces.waits, mixed.length, (i, value) => { run.shares[3 * mixed[i] + 2] = value; });
}

/* Gaps and lengths become times, calls are counted through; each region's computation is added up. */
function finish_pieces(run) {
  for (const row of run.all_rows) {
    let time = 0, calls = 0;
    for (let i = row.first; i < row.end; i++) {
      const begin = time + run.begin[i];
      time = begin + run.end[i];
      run.begin[i] = begin * run.tick;
      run.end[i] = time * run.tick;
      run.calls[i] = calls += run.calls[i];
      run.regions[run.paths.region[run.path[i]]].total += (run.end[i] - run.begin[i]) * run.shares[3 * i] / SHARES;
    }
  }
}

async function unpack_messages(run) {
  const {messages} = run.data, n = messages.count;
  const from = new Uint32Array(n), to = new Uint32Array(n), sent = new Float64Array(n);
  const received = new Float64Array(n), bytes = new Float64Array(n);
  let rank = 0, time = 0;
  await unpack(messages.from, n, (i, value) => { from[i] = rank += value; });
  await unpack(messages.sent, n, (i, value) => {
    time = (i > 0 && from[i] === from[i - 1] ? time : 0) + signed(value);
    sent[i] = time * run.tick;
  });
  await unpack(messages.to, n, (i, value) => { to[i] = value; });
  await unpack(messages.takes, n, (i, value) => { received[i] = sent[i] + signed(value) * run.tick; });
  await unpack(messages.bytes, n, (i, value) => { bytes[i] = value; });
  run.messages = {count: n, from, to, sent, received, bytes};
}

async function unpack_run(run) {
  await unpack_pieces(run);
  finish_pieces(run);
  await unpack_messages(run);
  run.data.pieces = run.data.messages.from = run.data.messages.sent = null; /* free the texts */
  run.unpacked = true;
}

/* --- questions -------------------------------------------------------------------------------- */

/* The first piece of a row that ends after `time`; row.end if there is none. */
function piece_at(run, row, time) {
  let low = row.first, high = row.end;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (run.end[middle] <= time)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

function region_of(run, path) {
  return run.regions[run.paths.region[path]];
}

/* The caller of a call path at a depth, or the path itself. */
function path_at_depth(run, path, depth) {
  while (run.paths.depth[path] > depth)
    path = run.paths.parent[path];
  return path;
}

/* "app/main/MPI_Recv", as in reports, or only its last `most` calls. */
function path_text(run, path, most = Infinity) {
  const names = [];
  for (let at = path; at >= 0 && names.length < most; at = run.paths.parent[at])
    names.unshift(region_of(run, at).name.replaceAll("/", "\\/"));
  return names.join("/");
}

/* "1.234 ms" */
function time_text(seconds, digits = 4) {
  const size = Math.abs(seconds);
  if (size === 0)
    return "0";
  const [unit, scale] = size >= 1 ? ["s", 1] : size >= 1e-3 ? ["ms", 1e3]
    : size >= 1e-6 ? ["\u00b5s", 1e6] : ["ns", 1e9];
  return Number((seconds * scale).toPrecision(digits)) + "\u202f" + unit;
}

/* By how much T is smaller: "12.34 %". */
/* The part of the time by which a run ends earlier. */
function gain_without(path, last_time) {
  return path.last_time > 0 ? (path.last_time - last_time) / path.last_time : 0;
}

function gain_text(run, last_time) {
  return (100 * gain_without(run.data.path, last_time)).toFixed(2) + "\u202f%";
}
