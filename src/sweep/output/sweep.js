/* A sweep's table as a page (html.c): the verdict, the ranked runs, the gain over each setting, and what went wrong. Links lead to
 * files of the sweep's folder, where result.html lies. */
const data = JSON.parse(byid("data").textContent), {runs, keys} = data;
const ranked = runs.filter(run => run.objective.gain !== null); /* with figures, best first */
const is_computed = run => run.engine === "model";
const other_goal = data.objective.name !== "T";
const varying = keys.filter(key => key.varies), replayed = data.replayed > 0;
const FIRST_ROWS = 40, COLUMNS = 6; /* rows that are visible at once; settings that have a column each */
const gain_name = other_goal ? `gain, % of ${data.objective.name}` : "saving, % of T";

const points = fraction => Math.abs(fraction) < 5e-5 ? 0 : 100 * fraction;
const percent = (fraction, signed) => (signed && points(fraction) > 0 ? "+" : "") + points(fraction).toFixed(2).replace("-", "\u2212");
const range = (estimate, signed) => `${percent(estimate.low, signed)} .. ${percent(estimate.high, signed)}`;
const class_of = (run, better) => (better ? "less" : "more") + (run.significant ? "" : " unsure");

function settings_of(run) {
  return varying.filter(key => run.settings[key.name] !== undefined).map(key => `${key.label} = ${run.settings[key.name]}`).join(", ") || "-";
}

function link(path, text) {
  return element("a", {href: path.split("/").map(encodeURIComponent).join("/")}, text);
}

function run_link(name) {
  return link(`runs/${name}/config.ini`, name);
}

function interval_text(run) {
  const gain = run.objective.gain;
  return is_computed(run) ? "computed" : gain.level > 0 ? range(gain) : "too few rounds";
}

/* "001: 12.30 % (12.10 .. 12.55); factor = 0.5" */
function tip_of(run, gain = run.objective.gain) {
  return `${run.name}: ${percent(gain.median)} %${!is_computed(run) && gain.level > 0 ? ` (${range(gain)})` : ""}; ${settings_of(run)}`;
}

/* --- verdict and facts */

function draw_verdict() {
  const box = byid("verdict"), best = ranked.find(run => run.significant && run.objective.gain.median > 0);
  if (best) {
    const gain = best.objective.gain, interval = is_computed(best) ? ", computed by the model" : gain.level > 0 ? ` (${range(gain)})` : "";
    append_to(box, `Run ${best.name} ${other_goal ? `makes ${data.objective.name} better by ${percent(gain.median)} %` : `saves ${percent(gain.median)} % of T`}${interval}`,
      other_goal ? ` and saves ${percent(best.saving.median)} % of T` : "", ": ", element("b", {}, settings_of(best)), ".",
      data.gains > 1 ? ` It is the best of ${data.gains} runs with a ${is_computed(best) ? "" : "significant "}gain.` : "",
      best.trustworthy ? null : element("strong", {class: "warning"}, " It is not trustworthy; see below."));
  } else
    box.append(ranked.length === 0 ? "No run is finished." : `No run makes ${data.objective.name} ${replayed ? "significantly " : ""}better.`);
  if (data.rounds_wanted)
    box.append(` ${data.rounds} rounds were replayed; about ${data.rounds_wanted} ([sweep] repeat = ${data.rounds_wanted}) would be needed to find a gain.`);
}

function draw_facts() {
  const common = runs.length > 1 ? keys.filter(key => !key.varies).map(key => `${key.name} = ${runs[0].settings[key.name]}`) : [];
  const total = data.done + data.failed + data.open;
  byid("verdict").after(element("p", {class: "note"}, `${plural(total, "run")}: ${data.done} done`,
    ...(data.failed > 0 ? [", ", element("a", {href: "#failed"}, `${data.failed} failed`)] : []), data.open > 0 ? `, ${data.open} open` : "",
    ` \u00b7 mode ${data.mode} \u00b7 engine ${data.engine} \u00b7 objective ${data.objective.name}`, replayed ? ` \u00b7 ${plural(data.rounds, "round")} of replays` : ""),
    ...(common.length > 0 ? [element("p", {class: "note"}, "The same in all runs: " + common.join(", "))] : []));
}

/* --- the table */

/* All gains with their intervals, in per cent, and 0. */
function gain_scale() {
  const gains = ranked.map(run => run.objective.gain);
  const low = Math.min(0, d3.min(gains, gain => points(Math.min(gain.low, gain.median)))), high = Math.max(low + 0.01, d3.max(gains, gain => points(Math.max(gain.high, gain.median))));
  const room = 0.04 * (high - low);
  return d3.scaleLinear().domain([low < 0 ? low - room : 0, Math.max(0, high) + room]);
}

/* A row's gain: a bar from 0, and the interval. */
function row_picture(run) {
  const gain = run.objective.gain, x = gain_scale().range([3, 187]), median = x(points(gain.median));
  const svg = d3.create("svg").attr("class", "row").attr("viewBox", "0 0 190 18").attr("aria-hidden", "true");
  svg.append("rect").attr("class", "bar " + class_of(run, gain.median >= 0)).attr("x", Math.min(x(0), median)).attr("width", Math.abs(median - x(0))).attr("y", 3).attr("height", 12);
  svg.append("path").attr("class", "zero").attr("d", `M${x(0)},0V18`);
  if (!is_computed(run) && gain.high > gain.low)
    interval(svg, [x(points(gain.low)), x(points(gain.high))], [9, 9], gain.level > 0);
  svg.append("circle").attr("cx", median).attr("cy", 9).attr("r", 2.5);
  return svg.node();
}

function table_of_runs() {
  const models = ranked.some(run => !is_computed(run) && run.model_saving !== null), columns = varying.length > 0 && varying.length <= COLUMNS;
  const marks = run => [run.significant && !is_computed(run) ? element("span", {title: "significant"}, "*") : null,
    run.trustworthy ? null : element("span", {class: "warning", title: "not trustworthy: " + run.reason}, "!")];
  const titles = ["rank", "run", number_cell(other_goal ? "gain, %" : "saving, %"), replayed ? "interval, %" : null, "", other_goal ? number_cell("of T, %") : null,
    models ? number_cell("model, %") : null, number_cell("regions"), ...(columns ? varying.map(key => [{title: key.name}, key.label]) : ["settings"]), "report"];
  const row = run => table_row([number_cell(run.rank), run_link(run.name), number_cell(element("b", {}, percent(run.objective.gain.median)), ...marks(run)),
    replayed ? [{class: "interval"}, interval_text(run)] : null, row_picture(run), other_goal ? number_cell(percent(run.saving.median)) : null,
    models ? number_cell(!is_computed(run) && run.model_saving !== null ? percent(run.model_saving) : "") : null, number_cell(run.regions),
    ...(columns ? varying.map(key => [{class: "name"}, run.settings[key.name]]) : [[{class: "name"}, settings_of(run)]]),
    run.report ? link(data.folder && run.report.startsWith(data.folder + "/") ? run.report.slice(data.folder.length + 1) : run.report, "report") : ""],
  run.on_front ? {class: "front"} : {});
  return section("Runs, best first", ...table_of_many(titles, ranked.map(row), FIRST_ROWS),
    data.done > ranked.length ? element("p", {}, `${data.done - ranked.length} further runs are in result.csv and result.json.`) : null,
    element("p", {class: "note"}, "The name of a run is a link to the configuration that repeats it. ", !replayed ? null
      : `Runs are ordered by the lower ends of their intervals. * significant: with 95 % confidence in all of the ${data.replayed} replayed runs together, not by chance. `,
    "Bars: the median, from zero. Coloured rank: no other run saves as much with fewer changed regions."));
}

/* --- the gain over each setting */

const UNITS = {"": 1, k: 1024, K: 1024, M: 1048576, G: 1073741824, ns: 1e-9, us: 1e-6, ms: 1e-3, s: 1, m: 60, h: 3600};
const MOST_MARKS = 2000, MOST_LINES = 400, STRIPS = 24, STRIP = 24, NAME_LETTERS = 26;

/* Reads "0.5", "64k", "20 us"; NaN if the text is something else. */
function number_of(text) {
  const [, number, unit] = /^\s*([-+]?[\d.]+(?:e[-+]?\d+)?) *([a-zA-Z]*)$/.exec(text || "") || [null, NaN, ""];
  return unit in UNITS ? Number(number) * UNITS[unit] : NaN;
}

function draw_mark(drawn, run, x, y, gain = run.objective.gain) {
  return drawn.svg.append("circle").attr("class", "mark " + class_of(run, gain.median >= 0)).attr("cx", x).attr("cy", y).attr("r", 4);
}

/* A line for each set of runs that differ in this setting only. */
function draw_lines(drawn, key, marks, x, y) {
  const others = run => JSON.stringify(keys.map(other => other === key ? null : run.settings[other.name] || null));
  for (const {values} of d3.nest().key(mark => others(mark.run)).entries(marks))
    drawn.svg.append("path").attr("class", "line").attr("d", d3.line().x(mark => x(mark.number)).y(mark => y(points(mark.run.objective.gain.median)))(values));
}

/* The values as they were written, as far as there is room for them. */
function ticks_of(marks, x) {
  const shown = new Map();
  let end = -Infinity;
  for (const {number, text} of marks) {
    const half = 4 * text.length + 4;
    if (x(number) - half >= end) {
      end = x(number) + half;
      shown.set(number, text);
    }
  }
  return {ticks: [...shown.keys()], format: number => shown.get(number)};
}

/* Points over a number. Values such as 1k, 8k, 64k, which are far apart at the upper end, have a logarithmic axis. */
function number_plot(key, marks) {
  const drawn = plot(`${gain_name} over ${key.name}`, {height: 310, left: 58, right: 20, bottom: 44}), [low, high] = d3.extent(marks, mark => mark.number);
  const second = d3.max(marks.filter(mark => mark.number < high), mark => mark.number), logarithmic = low > 0 && high >= 32 * low && second < 0.7 * high;
  const x = (logarithmic ? d3.scaleLog() : d3.scaleLinear()).domain([low, high]).range([drawn.left + 14, drawn.right - 14]);
  const y = gain_scale().range([drawn.bottom, drawn.top]);
  axis_left(drawn, y, {grid: true, name: gain_name});
  axis_below(drawn, x, {...ticks_of(marks, x), name: key.label + (logarithmic ? " (logarithmic)" : "")});
  if (marks.length <= MOST_LINES)
    draw_lines(drawn, key, marks, x, y);
  for (const {run, number} of marks)
    if (!is_computed(run))
      interval(drawn.svg, [x(number), x(number)], [y(points(run.objective.gain.low)), y(points(run.objective.gain.high))], run.objective.gain.level > 0);
  for (const {run, number} of marks)
    draw_mark(drawn, run, x(number), y(points(run.objective.gain.median))).append("title").text(tip_of(run));
  return drawn.svg.node();
}

/* A strip for each value, that with the best run first. */
function strip_plot(key, marks) {
  const values = [...new Set(marks.map(mark => mark.text))], shown = values.slice(0, STRIPS);
  const drawn = plot(`${gain_name} over ${key.name}`, {height: shown.length * STRIP + 58, left: 198, right: 20, bottom: 44});
  const x = gain_scale().range([drawn.left, drawn.right]), y = value => drawn.top + (shown.indexOf(value) + 0.5) * STRIP;
  axis_below(drawn, x, {grid: true, name: gain_name + (values.length > STRIPS ? `; the best ${STRIPS} values` : "")});
  for (const value of shown) {
    const name = value === undefined ? "none" : value;
    drawn.svg.append("path").attr("class", "strip").attr("d", `M${drawn.left - 8},${y(value)}H${drawn.right}`);
    drawn.svg.append("text").attr("class", "faint").attr("text-anchor", "end").attr("x", drawn.left - 14).attr("y", y(value) + 4).text(shortened(name, NAME_LETTERS)).append("title").text(name);
  }
  for (const {run, text} of marks.slice().reverse())
    if (shown.includes(text))
      draw_mark(drawn, run, x(points(run.objective.gain.median)), y(text)).append("title").text(tip_of(run));
  return drawn.svg.node();
}

/* Points if there are different numbers and nothing else; then runs without the setting are left out. */
function setting_figure(key) {
  const marks = ranked.slice(0, MOST_MARKS).map(run => ({run, text: run.settings[key.name], number: number_of(run.settings[key.name])}));
  const set = marks.filter(mark => mark.text !== undefined), numbers = new Set(set.map(mark => mark.number));
  const is_number = numbers.size > 1 && !set.some(mark => isNaN(mark.number));
  return figure(key.name, "", is_number ? number_plot(key, set.sort((a, b) => a.number - b.number)) : strip_plot(key, marks));
}

function figures_of_settings() {
  return section("Over each setting", element("div", {class: "figures"}, ...varying.map(setting_figure)),
    element("p", {class: "note"}, "One mark per run; pointing at it shows its name and settings.", ...key_of("less", "better"), ...key_of("more", "worse"),
      ", hollow: possibly by chance. Lines join runs that differ in this setting only."));
}

/* Saving against the number of changed regions. The line joins the best runs of the front by their numbers of regions. */
function front_figure() {
  const drawn = plot("Saving against the number of changed regions", {height: 310, left: 58, right: 20, bottom: 44}), savings = ranked.map(run => points(run.saving.median));
  const most = Math.max(1, d3.max(ranked, run => run.regions)), low = Math.min(0, d3.min(savings)), high = Math.max(0.01, d3.max(savings));
  const x = d3.scaleLinear().domain([0, most + 0.5]).range([drawn.left, drawn.right]);
  const y = d3.scaleLinear().domain([low, high + 0.06 * (high - low)]).range([drawn.bottom, drawn.top]), height = run => y(points(run.saving.median));
  axis_left(drawn, y, {grid: true, name: "saving, % of T"});
  axis_below(drawn, x, {ticks: x.ticks(8).filter(Number.isInteger), format: d3.format("d"), name: "changed regions"});
  const front = d3.nest().key(run => run.regions).entries(ranked.filter(run => run.on_front)).map(({values}) => values[0]).sort((a, b) => a.regions - b.regions);
  if (front.length > 0)
    drawn.svg.append("path").attr("class", "front").attr("d", d3.line().curve(d3.curveStepAfter).x(run => x(run.regions)).y(height)(front) + `H${drawn.right}`);
  for (const run of ranked.slice().reverse()) {
    draw_mark(drawn, run, x(run.regions), height(run), run.saving).attr("r", run.on_front ? 5 : 3.5).classed("best", run.on_front)
      .append("title").text(`${run.name}: ${percent(run.saving.median)} %, ${plural(run.regions, "region")}; ${settings_of(run)}`);
    const at_end = x(run.regions) > drawn.right - 60;
    if (run.on_front)
      drawn.svg.append("text").attr("class", "label").attr("text-anchor", at_end ? "end" : "start").attr("x", x(run.regions) + (at_end ? -8 : 8))
        .attr("y", height(run) - 7 < drawn.top ? height(run) + 14 : height(run) - 7).text(run.name);
  }
  return section("Saving against effort", element("div", {class: "figures"}, figure("", "", drawn.svg.node())),
    element("p", {class: "note"}, "On the line: the runs that save most for the number of regions that they change."));
}

/* --- combinations, and what went wrong */

const COMBINATIONS = 50;

function combinations() {
  const by_name = new Map(runs.map(run => [run.name, run]));
  const row = ({name, parts, sum, difference}) => [run_link(name), [{}, ...parts.flatMap((part, i) => [i > 0 ? " + " : "", run_link(part)])], number_cell(percent(sum)),
    number_cell(by_name.has(name) ? percent(by_name.get(name).objective.gain.median) : ""), number_cell(element("b", {}, percent(difference.median, true))),
    [{class: "interval"}, difference.low < difference.high ? range(difference, true) : ""], difference.median < 0 ? "less than their sum" : "more than their sum",
    [{class: "name"}, by_name.has(name) ? settings_of(by_name.get(name)) : ""]];
  return section("Combinations that are not additive", table(["run", "combines", number_cell("sum, %"), number_cell("together, %"), number_cell("difference"), "interval", "", "settings"],
    data.combinations.slice(0, COMBINATIONS).map(row)), data.combinations.length > COMBINATIONS ? element("p", {}, `${data.combinations.length - COMBINATIONS} more are in result.json.`) : null);
}

/* Each reason once, with the number of its runs. */
function distrust() {
  const reasons = d3.nest().key(run => run.reason || "no reason was given").entries(ranked.filter(run => run.trustworthy === false));
  return section("Not trustworthy", element("ul", {}, ...reasons.map(({key, values}) =>
    element("li", {}, `Run ${values[0].name}${values.length > 1 ? ` and ${plural(values.length - 1, "other")}` : ""}: ${key}`))));
}

function failed_runs() {
  const failed = runs.filter(run => run.state === "failed"), made = section("Failed runs", table(["run", "settings", "message"],
    failed.map(run => [run_link(run.name), [{class: "name"}, settings_of(run)], [{class: "message"}, run.message || "no reason was recorded"]])),
  data.failed > failed.length ? element("p", {}, `${data.failed - failed.length} more are in result.csv.`) : null);
  made.id = "failed";
  return made;
}

byid("title").textContent = document.title = (data.folder || data.sweep || "sweep").replace(/\/+$/, "").replace(/.*\//, "");
draw_verdict();
draw_facts();
byid("main").append(...[ranked.length > 0 && table_of_runs(), ranked.length > 1 && varying.length > 0 && figures_of_settings(), ranked.length > 1 && front_figure(),
  data.combinations.length > 0 && combinations(), ranked.some(run => run.trustworthy === false) && distrust(), data.failed > 0 && failed_runs()].filter(one => one));
document.documentElement.dataset.ready = ""; /* for tests: all is drawn */
