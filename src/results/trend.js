/* The trend of many runs (trend_page.c): a plot for each condition, T and the largest waits; all values again as a table, so that
 * nothing depends on colours or pointing. */
const {points, figures} = JSON.parse(byid("data").textContent);
const MANY = 40; /* points, for which a plot is as wide as the page */
const LABEL = 14, LETTER = 7; /* letters of a label, width of one */

function text_in(unit, value, signed = false) {
  return unit === "fraction" ? value_text(100 * value, "percent", signed) : value_text(value, unit, signed);
}

function text_of(one, value) {
  return text_in(one.unit, value);
}

/* "7.31 % (6.90 % to 7.80 %, 5 runs)" */
function measured(one, i) {
  const value = one.values[i], runs = points[i].runs;
  if (!value)
    return "not there";
  return text_of(one, value.median) + (runs < 2 ? ""
    : ` (${text_of(one, value.low)} to ${text_of(one, value.high)}${value.level > 0 ? "" : ": extremes"}, ${runs} runs)`);
}

function is_beyond(one, i) {
  return one.values[i] !== null && one.values[i].beyond;
}

function draw_verdict() {
  const last = points.length - 1, time = figures.find(one => one.is_time && one.unit === "sec" && one.values[last]);
  const conditions = figures.filter(one => one.is_condition), met = conditions.filter(one => is_beyond(one, last)).length;
  if (time) {
    const now = time.values[last].median, first = time.values[0] ? time.values[0].median : 0;
    byid("verdict").append(`T is ${text_of(time, now)} at ${points[last].label}`,
      last > 0 && first > 0 ? `, ${text_in("fraction", now / first - 1, true)} against ${points[0].label}. ` : ". ");
  }
  if (met > 0)
    byid("verdict").append(element("span", {class: "warning"},
      `${met} of ${plural(conditions.length, "condition")} ${met === 1 ? "is" : "are"} met there.`));
  else if (conditions.length > 0)
    byid("verdict").append("No condition is met there.");
}

/* Waits and counts begin at 0; T, which changes little, does not. */
function scale_of(one) {
  const values = one.values.filter(value => value), limits = one.limit === null ? [] : [one.limit];
  const low = d3.min([...values.map(value => value.low), ...limits, ...(one.is_time ? [] : [0])]);
  const high = d3.max([...values.map(value => value.high), ...limits]);
  const room = Math.max(0.06 * (high - low), 0.005 * Math.abs(high)) || 1;
  return d3.scaleLinear().domain([low === 0 ? 0 : low - room, high + room]);
}

/* As many labels as there is room for, counted from the last one. */
function draw_labels(drawn, x) {
  const longest = Math.min(LABEL, d3.max(points, point => [...point.label].length)), band = x(1) - x(0);
  const step = Math.ceil((longest + 2) * LETTER / band), last = points.length - 1;
  const shown = d3.range(last % step, points.length, step);
  axis_below(drawn, x, {ticks: shown.map(i => i + 0.5), format: i => shortened(points[i - 0.5].label, LABEL, true)});
  drawn.svg.selectAll(".tick text").filter(i => i - 0.5 === last && band < longest * LETTER).attr("text-anchor", "end").attr("dx", band / 2);
}

function draw_point(drawn, one, i, x, y) {
  const value = one.values[i], at = x(i + 0.5), group = drawn.svg.append("g");
  group.append("title").text(`${points[i].label}: ${measured(one, i)}${value.beyond ? ", beyond" : ""}`);
  if (value.low < value.high)
    interval(group, [at, at], [y(value.low), y(value.high)], value.level > 0);
  if (value.beyond)
    group.append("path").attr("class", "beyond").attr("d", `M${at},${y(value.median) - 7}l7,7l-7,7l-7,-7Z`);
  else
    group.append("circle").attr("cx", at).attr("cy", y(value.median)).attr("r", points.length > MANY ? 2.5 : 3.5);
}

function draw_figure(one) {
  const wide = points.length > MANY, drawn = plot(one.title, {width: wide ? 1240 : 620, height: 240, left: 76, top: 18, bottom: 26});
  const x = d3.scaleLinear().domain([0, points.length]).range([drawn.left, drawn.right]);
  const y = scale_of(one).range([drawn.bottom, drawn.top]);
  axis_left(drawn, y, {grid: true, format: value => text_of(one, value)});
  draw_labels(drawn, x);
  drawn.svg.append("path").attr("class", "line").attr("d", d3.line().defined(value => value).x((value, i) => x(i + 0.5)).y(value => y(value.median))(one.values));
  one.values.forEach((value, i) => value && draw_point(drawn, one, i, x, y));
  if (one.limit !== null) {
    drawn.svg.append("path").attr("class", "limit").attr("d", `M${drawn.left},${y(one.limit)}H${drawn.right}`);
    drawn.svg.append("text").attr("class", "limit label").attr("x", drawn.right).attr("y", y(one.limit) - 5).attr("text-anchor", "end").text("limit " + text_in(one.condition_unit, one.limit));
  }
  const made = figure(one.title, "", drawn.svg.node());
  made.classList.toggle("wide", wide);
  return made;
}

function table_of_points() {
  const row = i => table_row([element("th", {scope: "row"}, points[i].label), points[i].runs, ...figures.map(one => [
    {class: is_beyond(one, i) ? "warning" : null}, measured(one, i), is_beyond(one, i) ? " beyond" : null,
    one.values[i] && one.values[i].growth !== null ? element("div", {}, text_in(one.condition_unit, one.values[i].growth, true)) : null])]);
  return table(["point", "runs", ...figures.map(one => one.title)], d3.range(points.length - 1, -1, -1).map(row));
}

byid("title").textContent = document.title = `Trend of ${plural(points.length, "point")}`;
draw_verdict();
byid("main").append(element("div", {class: "figures"}, ...figures.map(draw_figure)),
  element("p", {class: "note"}, "Medians, in the order of the command line. Vertical lines: the interval of repeated runs; dashed: the lowest and " +
    "highest of fewer than five runs. Diamonds: the condition is met; a condition with + compares with the point before. Waits are parts of the time of all ranks. The axis of T does not begin at 0."),
  section("All values, latest first", table_of_points()));
document.documentElement.dataset.ready = ""; /* for tests: all is drawn */
