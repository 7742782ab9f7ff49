/* POP's efficiencies of recordings (write.c): the tree of factors, how they scale, and the parts of each recording. */
const {scaling, recordings} = JSON.parse(byid("data").textContent);
const MOST_ROWS = 12; /* of a table of parts that are visible at once */
const TREE = [["global_efficiency", "Global efficiency", 0], ["parallel_efficiency", "Parallel efficiency", 1],
  ["mpi_parallel_efficiency", "MPI parallel efficiency", 2], ["load_balance", "load balance", 2], ["communication_efficiency", "communication efficiency", 2],
  ["serialisation", "serialisation", 3], ["transfer", "transfer", 3], ["thread_efficiency", "thread efficiency", 2], ["thread_load_balance", "load balance of threads", 3], ["thread_communication_efficiency", "synchronisation of threads", 3], ["computation_scaling", "Computation scaling", 1]];
const VARIATION = [["ranks", "T without differences between ranks, of T"], ["iterations", "T without differences between iterations, of T"], ["noise", "T without noise, of T"]];
const COSTS_NOTHING = 0.9995; /* this factor is shown as 100.0 % */
const TIMES = [["time_s", "T"], ["ideal_s", "T on an ideal network"], ["computation_mean_s", "computation, mean rank"], ["computation_max_s", "computation, longest rank"]];
const CURVES = [["global_efficiency", "global efficiency", "text"], ["parallel_efficiency", "parallel efficiency", "poor"], ["load_balance", "load balance", "less"],
  ["transfer", "transfer", "mpi"], ["serialisation", "serialisation", "wait"], ["computation_scaling", "computation scaling", "muted"]];

function is_known(value) {
  return value !== null && value !== undefined;
}

/* A factor of the whole run, or one that compares it with the first recording. */
function factor_of(recording, key) {
  return key in recording ? recording[key] : recording.pop[key];
}

function times_cell(value) {
  return number_cell(is_known(value) ? time_text(value) : "\u2013");
}

function short_name(recording) {
  return recordings.length > 1 ? `[${recordings.indexOf(recording) + 1}]` : shortened(recording.path, 40, true);
}

function draw_tree() {
  const known = TREE.filter(([key]) => recordings.some(one => is_known(factor_of(one, key))));
  const hybrid = recordings.some(one => is_known(one.pop.thread_efficiency));
  const shown = known.filter(([key]) => hybrid || key !== "mpi_parallel_efficiency"), first = d3.min(shown, ([, , depth]) => depth);
  const rows = shown.map(([key, name, level]) => [key, name, level - first]).map(([key, name, depth]) =>
    [[{class: `factor-${depth}`}, (depth === 0 ? "" : "\u00d7 ") + name], ...recordings.map(one => [{class: judged(factor_of(one, key))}, share_text(factor_of(one, key))])]);
  rows.push(...[["ranks", "ranks"], ["threads", "threads"]].filter(([key]) => key === "ranks" || hybrid).map(([key, name]) => [name, ...recordings.map(one => number_cell(String(one.pop[key])))]));
  rows.push(...VARIATION.filter(([key]) => recordings.some(one => is_known(one.variation[key]))).map(([key, name]) => [name, ...recordings.map(one => [{class: judged(one.variation[key])}, share_text(one.variation[key])])]));
  const factor_without = (one, name) => (one.variation.slow.find(part => part.name === name) || {factor: null}).factor;
  const slow = [...new Set(recordings.flatMap(one => one.variation.slow.filter(part => part.factor < COSTS_NOTHING).map(part => part.name)))];
  rows.push(...slow.map(name => [`T if ${name} were as fast as the others, of T`, ...recordings.map(one => [{class: judged(factor_without(one, name))}, share_text(factor_without(one, name))])]));
  rows.push(...TIMES.map(([key, name]) => [name, ...recordings.map(one => times_cell(one.pop[key]))]));
  if (recordings.some(one => is_known(one.speedup)))
    rows.push(["speedup", ...recordings.map(one => number_cell(is_known(one.speedup) ? number_text(one.speedup, 3) : "\u2013"))]);
  const note = element("p", {class: "note"}, "Each factor is the product of those below it; 100 % is ideal.", ...key_of("poor", `below ${100 * POOR} %`), ...key_of("fair", `below ${100 * FAIR} %`));
  for (const one of recordings.filter(one => one.pop.why_not_ideal))
    append_to(note, element("br"), `Serialisation and transfer of ${short_name(one)} are not known: ${one.pop.why_not_ideal}`);
  return [table(["", ...recordings.map(one => number_cell(short_name(one)))], rows), note];
}

/* The factors over the number of threads. */
function draw_curves() {
  const drawn = plot("Efficiencies over the number of ranks"), counts = recordings.map(one => one.pop.threads);
  const most = Math.max(1, d3.max(recordings, one => d3.max(CURVES, ([key]) => factor_of(one, key))));
  const x = d3.scaleLog().domain(d3.extent(counts)).range([drawn.left + 10, drawn.right - 10]), y = d3.scaleLinear().domain([0, 1.05 * most]).range([drawn.bottom, drawn.top]);
  axis_left(drawn, y, {grid: true, format: value => percent_text(100 * value, 0)});
  axis_below(drawn, x, {ticks: [...new Set(counts)], format: value => String(value), name: "ranks and their threads"});
  const legend = element("p", {class: "note legend-lines"});
  for (const [key, name, paint] of CURVES) {
    const points = recordings.filter(one => is_known(factor_of(one, key)));
    if (points.length < 2)
      continue;
    const at = one => [x(one.pop.threads), y(factor_of(one, key))];
    drawn.svg.append("path").attr("d", d3.line()(points.map(at))).attr("fill", "none").style("stroke", `var(--${paint})`).attr("stroke-width", 1.6);
    drawn.svg.append("g").selectAll("circle").data(points).join("circle").attr("r", 3).style("fill", `var(--${paint})`)
      .attr("cx", one => at(one)[0]).attr("cy", one => at(one)[1]).append("title").text(one => `${name}, ${one.pop.threads}: ${share_text(factor_of(one, key))}`);
    const mark = element("span", {class: "key"});
    mark.style.background = `var(--${paint})`;
    legend.append(element("span", {}, mark, name));
  }
  return figure("Efficiency and scale", scaling ? `${scaling} scaling` : "", drawn.svg.node(), legend);
}

function rows_of(recording, part) {
  return recording.pop.parts.filter(row => row.part === part).map(row => ({...row, begin: row.begin_s, end: row.end_s, factors: {parallel: row.parallel_efficiency,
    load_balance: row.load_balance, communication: row.communication_efficiency, serialisation: row.serialisation, transfer: row.transfer}}));
}

function table_of_parts(rows, title, name) {
  return [element("h3", {}, title), ...table_of_many(["", number_cell("T"), ...FACTORS.map(([, factor]) => number_cell(factor))],
    rows.map(row => [[{class: "name"}, name(row)], times_cell(row.time_s), ...FACTORS.map(([key]) => [{class: judged(row.factors[key])}, share_text(row.factors[key])])]), MOST_ROWS)];
}

/* Factors over windows and iterations as lines; everything again in tables. */
function draw_parts(recording) {
  const windows = rows_of(recording, "window"), iterations = rows_of(recording, "iteration"), regions = rows_of(recording, "region"), figures = [], tables = [];
  const add = (title, rows, from, to, label, tick) => {
    const lines = factor_lines([rows], from, to, label, tick);
    figures.push(figure(title, `${rows.length}`, lines, lines_legend(null, lines)));
  };
  if (windows.length > 1)
    add("Windows of time", windows, row => row.begin, row => row.end, "time", window_times(windows));
  if (iterations.length > 1)
    add("Iterations", iterations, row => row.first, row => row.first + row.count, "iteration", value => Number.isInteger(value) ? String(value) : "");
  if (regions.length > 0)
    tables.push(...table_of_parts(regions, "Regions", row => row.name));
  if (windows.length > 0)
    tables.push(...table_of_parts(windows, "Windows of time", row => `${time_text(row.begin)} \u2013 ${time_text(row.end)}`));
  if (iterations.length > 0)
    tables.push(...table_of_parts(iterations, "Iterations", row => `${row.first + 1}${row.name ? " of " + row.name : ""}`));
  return figures.length + tables.length > 0 ? section(`Parts of ${short_name(recording)}`, element("div", {class: "figures"}, ...figures), ...tables) : null;
}

const worst = d3.least(recordings, one => one.pop.parallel_efficiency);
byid("title").textContent = document.title = "POP efficiencies, from MPI_Init to MPI_Finalize";
byid("verdict").append(recordings.length === 1 ? `Parallel efficiency ${share_text(worst.pop.parallel_efficiency)}: load balance ${share_text(worst.pop.load_balance)}, communication ${share_text(worst.pop.communication_efficiency)}.`
  : `Parallel efficiency is lowest in ${short_name(worst)}: ${share_text(worst.pop.parallel_efficiency)} on ${plural(worst.pop.ranks, "rank")}.`);
append_to(byid("main"), facts_list(recordings.map(one => [recordings.length > 1 ? short_name(one) : "recording", one.path])), section("Efficiencies", ...draw_tree()),
  recordings.some(one => one.pop.threads !== recordings[0].pop.threads) ? element("div", {class: "figures"}, draw_curves()) : null, ...recordings.map(draw_parts));
document.documentElement.dataset.ready = ""; /* for tests: all is drawn */
