/* Prepares the data that json.c has written for drawing. Times are ticks since the first event. */
const data = JSON.parse(document.getElementById("data").textContent);
const trace = {
  length: Math.max(1, data.length),
  rows: [],                /* {rank, begin, end, callpath, flags, visited} */
  row_of_rank: new Map(),
  callpaths: new Map(),    /* number -> {parent, region} */
  waits: data.path.waits,
  messages: data.messages, /* five numbers each: sender, when, receiver, how long, bytes */
};
const WAITS = 1, MIXED = 2; /* flags of a piece */
const MESSAGE_NUMBERS = 5;

for (let i = 0; i < data.callpaths.length; i += 3)
  trace.callpaths.set(data.callpaths[i], {parent: data.callpaths[i + 1], region: data.callpaths[i + 2]});

for (const [rank, numbers] of data.rows) {
  const count = numbers.length / 3;
  const row = {
    rank, begin: new Float64Array(count), end: new Float64Array(count),
    callpath: new Uint32Array(count), flags: new Uint8Array(count), visited: false,
  };
  let time = 0;
  for (let i = 0; i < count; i++) {
    row.begin[i] = time + numbers[3 * i];
    row.end[i] = time = row.begin[i] + numbers[3 * i + 1];
    row.callpath[i] = Math.floor(numbers[3 * i + 2] / 4);
    row.flags[i] = numbers[3 * i + 2] % 4;
  }
  trace.row_of_rank.set(rank, trace.rows.length);
  trace.rows.push(row);
}
data.rows = null;
for (const wait of trace.waits) {
  wait.row = trace.row_of_rank.get(wait.rank);
  wait.other_row = trace.row_of_rank.get(wait.other_rank);
  trace.rows[wait.row].visited = trace.rows[wait.other_row].visited = true;
}

/* The first piece of a row that ends after `time`. */
function piece_at(row, time) {
  let low = 0, high = row.end.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (row.end[middle] <= time)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

function region_of(callpath) {
  return data.regions[trace.callpaths.get(callpath).region];
}

/* "app/main/MPI_Recv", or only its last `most` calls. */
function callpath_text(callpath, most) {
  const names = [];
  for (let at = callpath; at >= 0 && names.length < most; at = trace.callpaths.get(at).parent)
    names.unshift(region_of(at)[0]);
  return names.join("/");
}

/* "1.234 ms" */
function time_text(ticks, digits = 4) {
  const seconds = ticks / data.ticks_per_second, size = Math.abs(seconds);
  if (size === 0)
    return "0";
  const [unit, scale] = size >= 1 ? ["s", 1] : size >= 1e-3 ? ["ms", 1e3]
    : size >= 1e-6 ? ["\u00b5s", 1e6] : ["ns", 1e9];
  return Number((seconds * scale).toPrecision(digits)) + "\u202f" + unit;
}

/* By how much T is smaller: "12.34 %". */
function gain_text(last_time) {
  const before = data.path.last_time;
  return (before > 0 ? 100 * (before - last_time) / before : 0).toFixed(2) + "\u202f%";
}
