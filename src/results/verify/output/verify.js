/* A prediction beside recordings of the changed program (json.c): times with their intervals, metrics, and call paths. */
const data = JSON.parse(byid("data").textContent);
const MOST_ROWS = 20; /* of a table that are visible at once */
const NAMES = {whole: "T, the whole run", without_init_and_finalize: "MPI_Init to MPI_Finalize", region: `region ${data.region}`};

function percents(value, signed = false) {
  return value === null ? "\u2013" : value_text(100 * value, "percent", signed);
}

/* "1.20 s (1.18 s to 1.22 s)" */
function with_interval(value, unit = "sec") {
  return value === null ? "\u2013" : value_text(value.median, unit) + (value.level > 0 ? ` (${value_text(value.low, unit)} to ${value_text(value.high, unit)})` : "");
}

/* What is compared for a time: the prediction by replay, for typical and single real runs, and the recordings. */
function values_of(time) {
  return [["predicted", time.predicted_s, "accent"], ["typical runs", time.typical_s, "muted"], ["single runs", time.for_real_s, "muted"], ["measured", time.measured_s, "text"]].filter(([, value]) => value !== null);
}

function draw_time(name, time) {
  const values = values_of(time), drawn = plot(name, {height: 44 + 30 * values.length, left: 110, bottom: 26});
  const low = d3.min(values, ([, value]) => Math.min(value.median, value.low ?? value.median)), high = d3.max(values, ([, value]) => Math.max(value.median, value.high ?? value.median));
  const room = Math.max(0.08 * (high - low), 0.0005 * high);
  const x = d3.scaleLinear().domain([low - room, high + room]).range([drawn.left, drawn.right]), y = d3.scalePoint().domain(values.map(([label]) => label)).range([drawn.top + 14, drawn.bottom - 14]);
  axis_below(drawn, x, {ticks: 4, grid: true, format: axis_times(high, 5)});
  for (const [label, value, paint] of values) {
    const group = drawn.svg.append("g");
    if (value.low < value.high)
      interval(group, [x(value.low), x(value.high)], [y(label), y(label)], value.level > 0);
    group.append("circle").attr("cx", x(value.median)).attr("cy", y(label)).attr("r", 4).style("fill", `var(--${paint})`).append("title").text(`${label}: ${with_interval(value)}`);
    drawn.svg.append("text").attr("x", drawn.left - 10).attr("y", y(label) + 4).attr("text-anchor", "end").text(label);
  }
  return figure(name, `error ${percents(time.error, true)}`, drawn.svg.node());
}

function inside_text(value, yes, no) {
  return value === null ? "\u2013" : value ? yes : [{class: "warning"}, no];
}

function rows_table(rows, with_path) {
  const total = data.time.whole.measured_s.median || 1;
  return table_of_many(["metric", with_path ? "call path" : null, number_cell("predicted"), number_cell("measured"), number_cell("difference"), with_path ? null : number_cell("of T")],
    rows.map(row => [row.title, with_path ? [{class: "name"}, row.call_path] : null, number_cell(value_text(row.predicted, row.unit)), number_cell(with_interval(row.measured, row.unit)),
      number_cell(value_text(row.difference, row.unit, true)), with_path ? null : number_cell(row.unit === "sec" ? percents(row.difference / total, true) : "")]), MOST_ROWS);
}

const times = Object.entries(data.time).filter(([, time]) => time !== null);
byid("title").textContent = document.title = `Verification of ${data.prediction}`;
byid("verdict").append(`The prediction is off by ${percents(data.error, true)}.`,
  data.saving.estimated === null ? "" : ` Estimated saving ${percents(data.saving.estimated)}${data.saving.achieved === null ? "" : `, achieved ${percents(data.saving.achieved)}`}.`);
append_to(byid("main"), data.trustworthy ? null : element("p", {class: "warning"}, "The report of the replay marks this prediction as not trustworthy."),
  facts_list([["prediction", data.prediction], ["recordings", data.truths], ["original", data.original || "none"], ["ranks", String(data.ranks)]]),
  section("Times", element("div", {class: "figures"}, ...times.map(([name, time]) => draw_time(NAMES[name] || name, time))),
    table(["", number_cell("predicted"), number_cell("typical runs"), number_cell("single runs"), number_cell("measured"), number_cell("error"), "the prediction is", "the recordings' median is"],
      times.map(([name, time]) => [NAMES[name] || name, number_cell(with_interval(time.predicted_s)), number_cell(with_interval(time.typical_s)), number_cell(with_interval(time.for_real_s)), number_cell(with_interval(time.measured_s)),
        number_cell(percents(time.error, true)), inside_text(time.prediction_inside, "within the recordings' interval", "outside of the recordings' interval"),
        inside_text(time.truth_inside, "within the predicted interval", "outside of the predicted interval")]))),
  section("Metrics, means of the ranks (critical path: its length)", ...rows_table(data.metrics, false)),
  data.call_paths.length > 0 ? section("Call paths that differ most, means of the ranks", ...rows_table(data.call_paths, true)) : null);
document.documentElement.dataset.ready = ""; /* for tests: all is drawn */
