/* What html.c has written, and the severities of one or two runs. Values of ranks are unpacked
 * metric by metric; sums over the ranks are there from the beginning. */
const report = JSON.parse(document.getElementById("report").textContent);
const store = report.severity; /* null: no severities */
const has_ranks = typeof DecompressionStream !== "undefined";

/* --- call paths, metrics, locations ----------------------------------------------------------- */

const paths = []; /* {name, parent, mpi, children, text} */
const metrics = []; /* of the file, with children, sums and rows for each run */
const locations = []; /* {rank, thread, host, name} */
const path_of_text = new Map();
let run_count = 1;
const VISIBLE = 0.0005; /* smaller parts of T are not shown, as in text reports (src/report/text/tables.c) */

function make_paths() {
  store.paths.forEach(([name, parent, mpi], i) => {
    const part = store.names[name].replace(/[\\/]/g, "\\$&");
    const text = parent < 0 ? part : paths[parent].text + "/" + part;
    paths.push({name: store.names[name], parent, mpi, children: [], text});
    if (parent >= 0)
      paths[parent].children.push(i);
    path_of_text.set(text, i);
  });
}

function has_threads() {
  return store !== null && store.locations.thread.some(thread => thread > 0);
}

/* What values are summed over and means are of: ranks, or with threads all locations. As text_location_word (src/report/text/run.c). */
function location_words() {
  return has_threads() ? "locations" : "ranks";
}

function make_locations() {
  const threads = has_threads();
  store.locations.rank.forEach((rank, i) => {
    const thread = store.locations.thread[i];
    locations.push({rank, thread, host: store.names[store.locations.host[i]],
                    name: threads ? `rank ${rank}, thread ${thread}` : `rank ${rank}`});
  });
}

/* What tells these call paths apart: the last calls of each, as few as differ from those of the others. */
function labels_of_paths(numbers) {
  const ends = numbers.map(number => {
    const names = [];
    for (let path = number; path >= 0; path = paths[path].parent)
      names.push(paths[path].name);
    return names;
  });
  const end = (names, count) => names.slice(0, count).reverse().join("/");
  return ends.map((names, i) => {
    let count = 1;
    while (count < names.length && ends.some((other, k) => k !== i && end(other, count) === end(names, count)))
      count++;
    return end(names, count);
  });
}

/* A metric's rows have, for each call path with values: sum, lowest and highest value, how the
 * ranks' values are kept. */
const KEPT_EQUAL = 0, KEPT_STEPS = 1; /* 2: left out */

function make_rows(metric, run, doubles, whole, codes, at, count) {
  const rows = {at: new Int32Array(paths.length).fill(-1), low: doubles.subarray(at + count, at + 2 * count),
                high: doubles.subarray(at + 2 * count, at + 3 * count), code: codes.subarray(at / 3, at / 3 + count),
                place: new Int32Array(count), kept: null};
  const sums = new Float64Array(paths.length);
  let kept = 0;
  for (let i = 0; i < count; i++) {
    const path = whole[at / 3 + i];
    rows.at[path] = i;
    rows.place[i] = kept;
    kept += rows.code[i] === KEPT_STEPS;
    sums[path] = doubles[at + i];
  }
  metric.rows[run] = rows;
  metric.own[run] = sums;
  metric.inclusive[run] = paths_inclusive(metric, sums);
  metric.total[run] = paths.reduce((total, path, i) =>
    path.parent < 0 ? merge(metric, total, metric.inclusive[run][i]) : total, 0);
}

/* 0 is "no value" for a minimum or maximum. */
function merge(metric, a, b) {
  return metric.merge === "sum" ? a + b : a === 0 ? b : b === 0 ? a
    : metric.merge === "min" ? Math.min(a, b) : Math.max(a, b);
}

function paths_inclusive(metric, own) {
  const all = Float64Array.from(own);
  for (let i = paths.length - 1; i > 0; i--)
    if (paths[i].parent >= 0)
      all[paths[i].parent] = merge(metric, all[paths[i].parent], all[i]);
  return all;
}

function make_store() {
  make_paths();
  make_locations();
  run_count = store.runs;
  const buffer = bytes_of_text(document.getElementById("rows").textContent).buffer; /* not packed: sums are there for any browser */
  const total = store.metrics.reduce((sum, metric) => sum + metric.rows[0] + (metric.rows[1] || 0), 0);
  const doubles = new Float64Array(buffer, 0, 3 * total);
  const whole = new Uint32Array(buffer, 24 * total, total);
  const codes = new Uint8Array(buffer, 28 * total, total);
  let at = 0;
  store.metrics.forEach((info, number) => {
    const metric = {...info, number, children: [], rows: [], own: [], inclusive: [], total: []};
    metrics.push(metric);
    if (info.parent >= 0)
      metrics[info.parent].children.push(number);
    for (let run = 0; run < run_count; run++) {
      make_rows(metric, run, doubles, whole, codes, at, info.rows[run]);
      at += 3 * info.rows[run];
    }
  });
}

/* --- values of ranks -------------------------------------------------------------------------- */

const loading = new Map(); /* metric -> promise */

/* Resolves when the ranks' values of a metric (and of its parts) are there. */
function load_metric(number) {
  if (!loading.has(number))
    loading.set(number, (async () => {
      for (let run = 0; run < run_count; run++) {
        const id = `ranks-${number}-${run}`;
        const script = document.getElementById(id), {buffer} = script ? await unpack_text(script.textContent) : new Uint8Array();
        const kept = store.bytes === 4 ? new Float32Array(buffer) : store.bytes === 2 ? new Uint16Array(buffer) : new Uint8Array(buffer);
        metrics[number].rows[run].kept = kept;
      }
    })());
  return loading.get(number);
}

function is_loaded(number) {
  return metrics[number].rows.every(rows => rows.kept);
}

/* Adds a row's values to `values`; false if the ranks' values of that row were left out. */
function add_row(metric, run, path, factor, values) {
  const rows = metric.rows[run], i = rows.at[path];
  if (i < 0)
    return true;
  const low = rows.low[i], code = rows.code[i], count = values.length;
  if (code === KEPT_EQUAL) {
    for (let k = 0; k < count; k++)
      values[k] = merge_in(metric, values[k], factor * low);
    return true;
  }
  if (code !== KEPT_STEPS) {
    const mean = metric.own[run][path] / count;
    for (let k = 0; k < count; k++)
      values[k] = merge_in(metric, values[k], factor * mean);
    return false;
  }
  const step = (rows.high[i] - low) / (store.bytes === 4 ? 1 : store.steps);
  const first = rows.place[i] * count, kept = rows.kept;
  if (metric.merge === "sum")
    for (let k = 0; k < count; k++)
      values[k] += factor * (low + step * kept[first + k]);
  else
    for (let k = 0; k < count; k++)
      values[k] = merge(metric, values[k], low + step * kept[first + k]);
  return true;
}

function merge_in(metric, a, b) {
  return metric.merge === "sum" ? a + b : merge(metric, a, b);
}

function below(path, found = []) {
  found.push(path);
  for (const child of paths[path].children)
    below(child, found);
  return found;
}

/* A metric alone is the metric less its parts. */
function terms_of(number, whole) {
  const metric = metrics[number];
  return whole || metric.merge !== "sum" ? [[metric, 1]]
    : [[metric, 1], ...metric.children.filter(child => metrics[child].merge === "sum").map(child => [metrics[child], -1])];
}

/* Values of all locations: {values, complete}. `path` < 0: all call paths. */
function rank_values(number, path, run, inclusive, whole) {
  const values = new Float64Array(locations.length);
  const chosen = path < 0 ? paths.keys() : inclusive ? below(path) : [path];
  let complete = true;
  const terms = terms_of(number, whole);
  for (const one of chosen)
    for (const [metric, factor] of terms)
      complete = add_row(metric, run, one, factor, values) && complete;
  return {values, complete};
}

/* Sums over the ranks, of all call paths. */
function path_values(number, run, inclusive, whole) {
  const terms = terms_of(number, whole), kind = inclusive ? "inclusive" : "own";
  if (terms.length === 1)
    return metrics[number][kind][run];
  const values = new Float64Array(paths.length);
  for (const [metric, factor] of terms)
    metric[kind][run].forEach((value, i) => { values[i] += factor * value; });
  return values;
}

function metric_value(number, run, whole) {
  return terms_of(number, whole).reduce((sum, [metric, factor]) => sum + factor * metric.total[run], 0);
}

function root_of(number) {
  while (metrics[number].parent >= 0)
    number = metrics[number].parent;
  return number;
}
