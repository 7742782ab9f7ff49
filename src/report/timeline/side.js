/* What is beside and below the canvas: statistics of the visible window, what repeats, the domino path, legend
 * and notes. Names from the trace are set as text, never as HTML. */
const STATISTICS_ROWS = 14, LEGEND_REGIONS = 14;

function element(name, text, parent, class_name) {
  const made = document.createElement(name);
  made.textContent = text;
  if (class_name)
    made.className = class_name;
  parent?.append(made);
  return made;
}

/* Calls a function soon, but not for every picture of a movement. */
function later(chart, what) {
  clearTimeout(chart.timer);
  chart.timer = setTimeout(() => what(chart), 120);
}

/* --- statistics ------------------------------------------------------------------------------- */

/* Seconds of all visible ranks in the visible window: of computation, MPI and waiting, by kind and by function. */
function add_up(chart, run) {
  const {view} = chart, from = view.begin + run.shift, until = view.end + run.shift;
  const result = {shares: [0, 0, 0], kinds: new Map(), regions: new Map(), rows: 0, merged: false};
  const kinds = new Float64Array(run.kinds.length), regions = new Float64Array(run.regions.length);
  const last = Math.min(run.rows.length, Math.ceil((view.top + view.height) / view.row_height));
  for (let r = Math.floor(view.top / view.row_height); r < last; r++) {
    result.rows++;
    for (let i = piece_at(run, run.rows[r], from); i < run.rows[r].end && run.begin[i] < until; i++) {
      const length = (Math.min(until, run.end[i]) - Math.max(from, run.begin[i])) / SHARES;
      const waits = length * run.shares[3 * i + 2], in_region = length * (run.shares[3 * i] + run.shares[3 * i + 1]);
      result.shares[0] += length * run.shares[3 * i];
      result.shares[1] += length * run.shares[3 * i + 1];
      result.shares[2] += waits;
      kinds[run.kind[i]] += waits;
      regions[run.paths.region[run.path[i]]] += in_region;
      result.merged ||= (run.what[i] & MIXED) > 0;
    }
  }
  run.kinds.forEach((name, k) => kinds[k] > 0 && result.kinds.set(name === "waiting" ? "in merged pieces" : name, kinds[k]));
  run.regions.forEach((region, k) => regions[k] > 0 && result.regions.set(region.name, (result.regions.get(region.name) || 0) + regions[k]));
  return result;
}

function difference_cell(row, values) {
  const difference = difference_of(...values);
  const cell = element("td", difference === 0 ? "0" : (difference > 0 ? "+" : "\u2212") + time_text(Math.abs(difference), 3), row);
  cell.className = difference > 0 ? "tl-more" : difference < 0 ? "tl-less" : "";
}

function statistics_row(chart, body, name, values, span, class_name) {
  const row = element("tr", "", body, class_name), head = element("th", name, row);
  head.scope = "row";
  head.title = name;
  for (const value of values)
    element("td", time_text(value, 3), row).title = (100 * value / span).toFixed(1) + " % of the window";
  if (values.length > 1)
    difference_cell(row, values);
  else
    element("td", (100 * value_or_zero(values[0]) / span).toFixed(1) + "\u202f%", row);
}

const value_or_zero = value => value || 0;

function show_statistics(chart) {
  const {parts, view, runs} = chart, sums = runs.map(run => add_up(chart, run)), span = view.end - view.begin;
  const means = pick => sums.map(sum => sum.rows > 0 ? value_or_zero(pick(sum)) / sum.rows : 0);
  const names = pick => [...new Set(sums.flatMap(sum => [...pick(sum).keys()]))]
    .sort((a, b) => Math.max(...means(sum => pick(sum).get(b))) - Math.max(...means(sum => pick(sum).get(a))));
  const head = element("tr", ""), body = document.createElement("tbody");
  element("th", "mean per " + rows_text(runs[0], 1).slice(2), head);
  for (const run of runs)
    element("th", run.name || "time", head);
  element("th", runs.length > 1 ? "change" : "share", head);
  ["computation", "MPI", "waiting"].forEach((name, k) =>
    statistics_row(chart, body, name, means(sum => sum.shares[k]), span, "tl-sum"));
  for (const name of names(sum => sum.kinds))
    statistics_row(chart, body, name, means(sum => sum.kinds.get(name)), span, "tl-kind");
  for (const name of names(sum => sum.regions).slice(0, STATISTICS_ROWS))
    statistics_row(chart, body, name, means(sum => sum.regions.get(name)), span);
  const table = element("table", "", null, runs.length > 1 ? "tl-narrow" : "");
  table.append(element("thead", ""), body);
  table.tHead.append(head);
  parts.statistics.replaceChildren(table);
  parts.window.textContent = time_text(span) + " from " + time_text(Math.max(0, view.begin), 6) + " on, " +
    rows_text(runs[0], sums[0].rows) + (sums.some(sum => sum.merged)
    ? "; merged pieces count for the function that has most of them" : "");
}

/* --- the domino path -------------------------------------------------------------------------- */

function wait_text(run, wait) {
  const cause = wait.other_callpath >= 0 ? ", " + path_text(run, wait.other_callpath) : "";
  return "wait " + wait.number + " of the domino path\nrank " + wait.rank + ", event " + wait.event + ", " +
    path_text(run, wait.callpath) + "\nwaits " + time_text(wait.wait) + " for rank " + wait.other_rank + cause +
    "\nremoving it alone gains " + gain_text(run, wait.alone);
}

function select_wait(chart, index) {
  const buttons = [...chart.parts.waits.querySelectorAll("button")];
  buttons.forEach((button, i) => button.setAttribute("aria-current", i === index));
  buttons[index].scrollIntoView({block: "nearest"});
  view_wait(chart, chart.runs[0], index);
}

function make_path(chart) {
  const run = chart.runs[0], {path} = run.data, {parts} = chart;
  parts.path.hidden = !path;
  if (!path)
    return;
  const all = path.total === 1, tiny = path.total > 0 && run.waits.length === 0;
  parts.gain.textContent = path.total === 0 ? "There is none: removing a wait does not shorten T."
    : tiny ? "It is not shown: without its waits, T is smaller by " + gain_text(run, path.without_path) + " only."
    : path.total + (all ? " wait" : " waits") + ", last first. T is smaller by " + gain_text(run, path.without_path) +
      " without " + (all ? "it" : "them") + ", by " + gain_text(run, path.without_longest) + " without the " +
      path.longest + " longest " + (path.longest === 1 ? "wait." : "waits.");
  run.waits.forEach((wait, i) => {
    const button = element("button", "", element("li", "", parts.waits));
    button.type = "button";
    button.title = wait_text(run, wait);
    element("span", wait.number, button, "tl-number");
    element("span", "rank " + wait.rank + " waits " + time_text(wait.wait), button, "tl-where");
    element("span", gain_text(run, wait.alone), button);
    element("span", path_text(run, wait.callpath, 2) + ", for rank " + wait.other_rank, button, "tl-faint");
    button.addEventListener("click", () => select_wait(chart, i));
  });
}

/* --- what repeats ----------------------------------------------------------------------------- */

/* The stretches that repeat, and those that are perturbed; those inside an iteration are indented. */
function make_stretches(chart) {
  const {parts, runs} = chart, run = runs[0];
  for (const stretch of run.bands.stretches) {
    if (!stretch.iterations && !stretch.flushing)
      continue;
    const button = element("button", "", element("li", "", parts.stretches));
    button.type = "button";
    button.style.paddingLeft = 12 * stretch.level + "px";
    element("span", stretch.iterations ? stretch.iterations + " \u00d7 " + time_text(stretch.period) : "perturbed", button);
    element("span", time_text(stretch.end - stretch.begin), button, "tl-right");
    element("span", stretch.iterations ? stretch_name(run, stretch, 40) : "buffers flushed or cores lost", button, "tl-faint");
    button.addEventListener("click", () => show_stretch(chart, run, stretch));
  }
  if (run.data.bands && parts.stretches.children.length === 0)
    element("li", "Nothing repeats regularly on all ranks.", parts.stretches, "tl-none");
  parts.structure.hidden = !run.data.bands;
  parts.bands_switch.hidden = runs.every(each => each.bands.levels === 0);
}

/* --- legend and notes ------------------------------------------------------------------------- */

function legend_entry(chart, text, fill) {
  const entry = element("span", "", chart.parts.legend);
  const swatch = element("canvas", "", entry), brush = swatch.getContext("2d");
  swatch.width = 22;
  swatch.height = 12;
  fill(brush);
  element("b", text, entry).title = text;
}

function filled(color) {
  return brush => {
    brush.fillStyle = color;
    brush.fillRect(0, 0, 22, 12);
  };
}

/* The functions with the most computation have one colour each. */
function make_legend(chart) {
  const {colors, runs} = chart;
  chart.parts.legend.replaceChildren();
  legend_entry(chart, "MPI", filled(colors.mpi));
  legend_entry(chart, chart.runs.some(run => run.threads.size > 0) ? "waiting" : "waiting in MPI", filled(chart.hatch));
  if (runs.some(run => run.waits.length > 0))
    legend_entry(chart, "domino path", brush => {
      filled(colors.casing)(brush);
      brush.fillStyle = colors.path;
      brush.fillRect(0, 4, 22, 4);
    });
  make_band_legend(chart);
  for (const name of chart.names.slice(0, LEGEND_REGIONS)) {
    const region = runs.flatMap(run => run.regions).find(each => each.name === name);
    legend_entry(chart, name, filled(region_color(chart, region)));
  }
}

function make_band_legend(chart) {
  const {colors} = chart, has = test => chart.runs.some(run => run.bands.stretches.some(test));
  if (has(stretch => stretch.iterations))
    for (const [text, line] of [["iterations", 0], ["representative iteration", 3]])
      legend_entry(chart, text, brush => {
        filled(colors.band_a)(brush);
        brush.fillStyle = colors.band_b;
        brush.fillRect(11, 0, 11, 12);
        brush.fillStyle = colors.text;
        brush.fillRect(0, 12 - line, 11, line);
      });
  if (has(stretch => stretch.cut_count > 0))
    legend_entry(chart, "cut out", filled(colors.cut));
  if (has(stretch => stretch.flushing))
    legend_entry(chart, "perturbed", filled(chart.perturbed));
}

function make_notes(chart) {
  const {notes} = chart.parts, note = text => element("div", text, notes);
  const said = new Set(), once = text => said.has(text) || (said.add(text), note(text));
  for (const run of chart.runs) {
    const {data} = run, of = chart.runs.length > 1 ? run.name + ": " : "";
    if (data.threshold > 0)
      once(of + "Pieces shorter than " + time_text(run.threshold, 3) + " are merged; each keeps its shares of computation, MPI and waiting.");
    if (data.messages.stride > 1)
      once(of + "One in " + data.messages.stride + " of the " + data.messages.total + " messages is shown.");
    if (run.row_of_rank.size < data.ranks)
      once(of + run.row_of_rank.size + " of " + data.ranks + " ranks are shown.");
    if (data.path && run.waits.length < data.path.total)
      once(of + "The " + run.waits.length + " longest of the path's " + data.path.total + " waits are shown.");
    once("Waits are those that the pattern search finds in the times shown, as in all reports" +
      (data.path ? "; those of the domino path are as long as the model computes them." : "."));
  }
  chart.parts.too_many = note("Too many messages for arrows: zoom in, or select a rank to see its messages.");
}
