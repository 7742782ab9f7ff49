/* Draws the canvas: pixels of rows (raster.js), then names, stacks, axes, and what overlay.js adds. */
const NAMED = 34; /* pixels: narrower pieces have no name */

function put_name(chart, text, from, to, y, height, dark) {
  const {paint} = chart;
  paint.save();
  paint.beginPath();
  paint.rect(from, y, to - from - 3, height);
  paint.clip();
  paint.font = "11px system-ui, sans-serif";
  paint.textAlign = "left";
  paint.textBaseline = "middle";
  paint.lineWidth = 2.5;
  paint.lineJoin = "round";
  paint.strokeStyle = dark ? "rgba(255,255,255,0.75)" : "rgba(0,0,0,0.5)";
  paint.fillStyle = dark ? "#201500" : "#fff";
  paint.strokeText(text, from + 4, y + height / 2);
  paint.fillText(text, from + 4, y + height / 2);
  paint.restore();
}

/* The pieces of a row in the view that are at least `width` pixels wide: take(piece, from, to). */
function wide_pieces(chart, run, row, width, take) {
  const {view} = chart, least = width / view.width * (view.end - view.begin);
  for (let i = piece_at(run, row, view.begin + run.shift); i < row.end && run.begin[i] < view.end + run.shift; i++)
    if (run.end[i] - run.begin[i] >= least)
      take(i, Math.max(LABELS, x_of(chart, run, run.begin[i])), Math.min(LABELS + view.width, x_of(chart, run, run.end[i])));
}

/* Functions, and kinds of waits. */
function draw_names(chart, run, row, y, height) {
  wide_pieces(chart, run, row, NAMED, (i, from, to) => {
    const waits = run.what[i] & WAITS;
    if (!(run.what[i] & MIXED) && to - from >= NAMED)
      put_name(chart, waits ? run.kinds[run.kind[i]] : region_of(run, run.path[i]).name, from, to, y, height, waits);
  });
}

/* --- stacks ----------------------------------------------------------------------------------- */

/* The calls of a row, outermost first: take(depth, path, begin, end, piece). A call goes on while pieces keep
 * it. Of merged pieces only what they share with their neighbours is known. */
function walk_stack(chart, run, row, take) {
  const {view} = chart, {depth, parent} = run.paths, open = []; /* {path, begin} */
  const from = view.begin + run.shift, until = view.end + run.shift;
  let last = -1;
  const close = (to, time) => {
    while (open.length > to) {
      const call = open.pop();
      take(open.length, call.path, call.begin, time, call.piece);
    }
  };
  for (let i = piece_at(run, row, from); i < row.end && run.begin[i] < until; i++) {
    const path = run.path[i], top = depth[path] + 1;
    let kept = last < 0 ? 0 : Math.min(run.kept[i], open.length, top);
    const chain = [];
    for (let at = path; at >= 0; at = parent[at])
      chain.push(at);
    chain.reverse();
    while (kept > 0 && open[kept - 1].path !== chain[kept - 1])
      kept--;
    close(kept, last < 0 ? run.begin[i] : run.end[last]);
    for (let d = kept; d < top; d++)
      open.push({path: chain[d], begin: run.begin[i], piece: i});
    last = i;
  }
  if (last >= 0)
    close(0, run.end[last]);
}

/* Of calls that share a column of pixels, the longest is drawn. */
function draw_stack(chart, run, row, y, layer) {
  const {paint, view} = chart, lines = [];
  walk_stack(chart, run, row, (depth, path, begin, end) => {
    const from = Math.max(LABELS, x_of(chart, run, begin)), to = Math.min(LABELS + view.width, x_of(chart, run, end));
    const line = lines[depth] ||= {column: -1, length: 0}, top = y + depth * layer, region = region_of(run, path);
    const width = to - from, column = Math.floor(from);
    if (width < 1 && column === line.column && end - begin <= line.length)
      return;
    line.column = width < 1 ? column : -1;
    line.length = end - begin;
    paint.globalAlpha = run.focus && !run.focus[path] ? 0.2 : 1;
    paint.fillStyle = region_color(chart, region);
    paint.fillRect(width < 1 ? column : from, top, Math.max(1, width - (width > 4 ? 0.7 : 0)), layer - 1);
    if (width >= NAMED && layer >= 11)
      put_name(chart, region.name, from, to, top, layer - 1, false);
    paint.globalAlpha = 1;
  });
}

/* --- rows ------------------------------------------------------------------------------------- */

/* The stacks, or the names of the pieces, which come last: nothing covers them. */
function draw_rows(chart, run, names) {
  const {view} = chart, lane = lane_height(chart), layer = stack_layer(chart);
  const gap = view.row_height >= 6 ? Math.min(3, Math.max(1, view.row_height / 8)) : 0;
  if (view.row_height < 13)
    return;
  for (let r = Math.max(0, Math.floor(view.top / view.row_height)); r < run.rows.length; r++) {
    const y = y_of(chart, run, r);
    if (y > run.rows_top + view.height)
      break;
    if (names)
      draw_names(chart, run, run.rows[r], y + gap / 2, lane - gap);
    else if (layer > 0)
      draw_stack(chart, run, run.rows[r], y + lane + 2, layer);
  }
}

/* --- axes and labels -------------------------------------------------------------------------- */

function draw_time_axis(chart) {
  const {paint, colors, view} = chart, span = view.end - view.begin, least = 95 / view.width * span;
  const power = Math.pow(10, Math.floor(Math.log10(least)));
  const step = [1, 2, 5, 10].map(m => m * power).find(s => s >= least) || 10 * power;
  const largest = Math.max(Math.abs(view.begin), view.end), bottom = chart.canvas.clientHeight;
  const [unit, scale] = largest >= 1 ? ["s", 1] : largest >= 1e-3 ? ["ms", 1e3]
    : largest >= 1e-6 ? ["\u00b5s", 1e6] : ["ns", 1e9];
  const decimals = Math.max(0, Math.ceil(-Math.log10(step * scale) - 1e-9));
  paint.font = "11px system-ui, sans-serif";
  paint.textBaseline = "middle";
  paint.textAlign = "center";
  paint.lineWidth = 1;
  for (let n = Math.ceil(view.begin / step); n * step <= view.end; n++) {
    const x = x_of(chart, chart.runs[0], n * step);
    paint.strokeStyle = colors.line;
    paint.beginPath();
    paint.moveTo(x, AXIS - 3);
    paint.lineTo(x, bottom);
    paint.stroke();
    paint.fillStyle = colors.muted;
    if (x > LABELS + 20 && x < LABELS + view.width - 20)
      paint.fillText((n * step * scale).toFixed(decimals) + " " + unit, x, AXIS - 10);
  }
}

const POSITION = 22; /* pixels */

/* The first run as a whole: the mean of its ranks in each column, as colours from below: computation, MPI, waiting. */
function make_overview(chart, width, height, shift) {
  const run = chart.runs[0], {all_rows, begin, end, shares} = run, [first, last] = whole_span(chart), unit = width / (last - first);
  const sums = [0, 1, 2].map(() => new Float32Array(width)), [computes, mpi, waits] = sums, ranks = all_rows.filter(row => row.thread === 0);
  for (const row of ranks)
    for (let i = row.first; i < row.end; i++) {
      const from = Math.max(0, (begin[i] - shift - first) * unit), to = Math.min(width - 0.001, (end[i] - shift - first) * unit);
      for (let column = Math.floor(from); column <= to; column++) {
        const part = Math.min(to, column + 1) - Math.max(from, column);
        computes[column] += shares[3 * i] * part;
        mpi[column] += shares[3 * i + 1] * part;
        waits[column] += shares[3 * i + 2] * part;
      }
    }
  const canvas = Object.assign(document.createElement("canvas"), {width, height}), paint = canvas.getContext("2d");
  const paints = [chart.colors.band_a, chart.colors.mpi, chart.colors.wait], scale = height / SHARES / Math.max(1, ranks.length);
  for (let x = 0; x < width; x++)
    for (let k = 0, y = height; k < 3; k++) {
      paint.fillStyle = paints[k];
      paint.fillRect(x, y - sums[k][x] * scale, 1, sums[k][x] * scale);
      y -= sums[k][x] * scale;
    }
  return canvas;
}

function overview_of(chart) {
  const width = Math.max(1, Math.round(chart.view.width)), {shift} = chart.runs[0], key = [width, shift, ...whole_span(chart), chart.colors.wait, chart.colors.band_a].join();
  if (!chart.overview || chart.overview.key !== key)
    chart.overview = {key, canvas: make_overview(chart, width, POSITION, shift)};
  return chart.overview.canvas;
}

/* The times that are dragged over with Shift. */
function draw_marked(chart) {
  const {paint, colors, marked, canvas} = chart;
  if (!marked)
    return;
  paint.globalAlpha = 0.25;
  paint.fillStyle = colors.accent;
  paint.fillRect(Math.min(...marked), AXIS, Math.abs(marked[1] - marked[0]), canvas.clientHeight - AXIS);
  paint.globalAlpha = 1;
}

/* The whole run, and where the view lies in it; a click or a drag moves it there. */
function draw_position(chart) {
  const {paint, colors, view} = chart, [first, last] = whole_span(chart), whole = view.width / (last - first);
  const from = LABELS + Math.max(0, view.begin - first) * whole;
  const to = LABELS + Math.min(last - first, view.end - first) * whole;
  paint.drawImage(overview_of(chart), LABELS, 0, view.width, POSITION);
  paint.globalAlpha = 0.7;
  paint.fillStyle = colors.back;
  paint.fillRect(LABELS, 0, from - LABELS, POSITION);
  paint.fillRect(to, 0, LABELS + view.width - to, POSITION);
  paint.globalAlpha = 1;
  paint.strokeStyle = colors.text;
  paint.strokeRect(from + 0.5, 0.5, Math.max(3, to - from) - 1, POSITION - 1);
}

function run_title(chart, run) {
  return (run.name || "run") + " \u00b7 T " + time_text(run.length, 5) + (run.shift
    ? " \u00b7 shifted by " + (run.shift > 0 ? "\u2212" : "+") + time_text(Math.abs(run.shift)) : "");
}

function draw_heading(chart, run) {
  const {paint, colors} = chart;
  paint.textBaseline = "middle";
  paint.fillStyle = colors.text;
  if (chart.runs.length > 1) {
    paint.font = "600 12px system-ui, sans-serif";
    paint.textAlign = "left";
    paint.fillText(run_title(chart, run), LABELS, run.panel_top + HEADING / 2);
  }
  if (chart.view.summary) {
    paint.font = "11px system-ui, sans-serif";
    paint.textAlign = "right";
    const visible = Math.min(run.rows.length, Math.ceil(chart.view.height / chart.view.row_height));
    const what = rows_text(run, 2).slice(2);
    paint.fillText((visible < run.rows.length ? "these " : "all ") + what, LABELS - 8, run.summary_top + SUMMARY / 2);
  }
}

function draw_ranks(chart, run) {
  const {paint, colors, view} = chart;
  const every = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024].find(n => n * view.row_height >= 15) || 2048;
  paint.save();
  paint.beginPath();
  paint.rect(0, run.rows_top, LABELS, view.height);
  paint.clip();
  paint.font = "11px system-ui, sans-serif";
  paint.textAlign = "right";
  paint.textBaseline = "middle";
  for (let r = Math.max(0, Math.floor(view.top / view.row_height)); r < run.rows.length; r++) {
    const y = view.row_height >= 15 ? middle_of(chart, run, r) : y_of(chart, run, r) + view.row_height / 2;
    if (y > run.rows_top + view.height)
      break;
    const {rank, thread} = run.rows[r], found = rank === chart.found_rank && thread === 0;
    if (r % every !== 0 && !found)
      continue;
    paint.fillStyle = found ? colors.accent : colors.text;
    paint.font = (found ? "700 " : "") + "11px system-ui, sans-serif";
    const sign = run.threads.has(rank) ? (chart.unfolded.has(rank) ? "\u25be " : "\u25b8 ") : "";
    const name = thread > 0 ? (view.row_height >= 10 ? "thread " + thread : "") : sign + (view.row_height >= 10 ? "rank " : "") + rank;
    paint.fillText(name, LABELS - 8, Math.max(y, run.rows_top + 6));
  }
  paint.restore();
}

/* --- all of it -------------------------------------------------------------------------------- */

function draw_run(chart, run, scale) {
  const {paint, view} = chart;
  draw_bands(chart, run);
  paint.save();
  paint.beginPath();
  paint.rect(LABELS, run.panel_top, view.width, run.panel_height);
  paint.clip();
  paint.globalAlpha = view.only_path ? 0.22 : 1;
  draw_raster(chart, run, scale);
  draw_summary(chart, run, scale);
  paint.beginPath();
  paint.rect(LABELS, run.rows_top, view.width, view.height);
  paint.clip();
  draw_rows(chart, run, false);
  const too_many = view.messages && draw_messages(chart, run);
  paint.globalAlpha = 1;
  draw_path(chart, run);
  paint.globalAlpha = view.only_path ? 0.22 : 1;
  draw_rows(chart, run, true);
  paint.globalAlpha = 1;
  draw_path_numbers(chart, run);
  draw_selection(chart, run);
  paint.restore();
  draw_heading(chart, run);
  draw_ranks(chart, run);
  return too_many;
}

function draw(chart) {
  const {canvas, paint} = chart, scale = window.devicePixelRatio || 1;
  const width = canvas.clientWidth, height = canvas.clientHeight, began = performance.now();
  chart.pending = false;
  if (width === 0 || !chart.ready)
    return;
  if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
  }
  paint.setTransform(scale, 0, 0, scale, 0, 0);
  paint.clearRect(0, 0, width, height);
  draw_time_axis(chart);
  draw_position(chart);
  const too_many = chart.runs.map(run => draw_run(chart, run, scale)).some(many => many);
  draw_anchor(chart);
  draw_marked(chart);
  chart.parts.too_many.hidden = !too_many;
  chart.frame = performance.now() - began; /* milliseconds, for whoever measures */
  later(chart, show_statistics);
}

function redraw(chart) {
  if (!chart.pending)
    requestAnimationFrame(() => draw(chart));
  chart.pending = true;
}
