/* Predictions for several scripts, machines, parameters and numbers of ranks (write.c): T over what varies, and answers to questions of size. */
const data = JSON.parse(byid("data").textContent);
const MOST_CURVES = 10, MOST_ROWS = 40; /* of a figure; of a table that are visible at once */
const varied = data.axes.map((axis, i) => ({...axis, i})).filter(axis => axis.values.length > 1);
const numeric = varied.filter(axis => axis.kind === "parameter" || axis.kind === "ranks");
const good = data.points.filter(point => point.time_s !== null);

function value_of(value) {
  return typeof value === "number" ? String(value) : shortened(value, 40, true);
}

/* Points that differ only in the value of an axis, by their other values. */
function curves_over(axis) {
  const others = varied.filter(other => other.i !== axis.i), name = point => others.map(other => `${other.name} ${value_of(point.values[other.i])}`).join(", ");
  return d3.groups(good, name).map(([label, points]) => ({label, points: d3.sort(points, point => point.values[axis.i])})).filter(curve => curve.points.length > 1);
}

function scale_of(values, from, to) {
  const [low, high] = d3.extent(values);
  return low > 0 && high > 4 * low ? d3.scaleLog().domain([low, high]).range([from, to]) : d3.scaleLinear().domain([Math.min(low, 0.98 * low), high || 1]).range([from, to]);
}

/* Ticks of T: 1, 2 and 5 times powers of ten if there are several of these. */
function ticks_of(scale) {
  const [low, high] = scale.domain(), all = d3.range(Math.floor(Math.log10(low)), Math.log10(high) + 1).flatMap(power => [1, 2, 5].map(digit => digit * 10 ** power));
  const inside = scale.base ? all.filter(value => value >= low && value <= high) : [];
  return inside.length > 10 ? inside.filter(value => Math.log10(value) % 1 === 0) : inside.length > 1 ? inside : scale.ticks(4);
}

/* The colour of a curve. */
function paint_of(i, count) {
  return `hsl(${Math.round(215 + 360 * i / count) % 360} 62% ${i % 2 ? 58 : 46}%)`;
}

/* A few values of an axis as ticks. */
function some_of(values) {
  const sorted = d3.sort(new Set(values)), step = Math.ceil(sorted.length / 9);
  return sorted.filter((value, i) => i % step === 0);
}

/* Curves of `key` over the values of an axis. `ideal`: T that falls as the ranks grow, from the first point of a curve. */
function draw_curves(title, axis, key, text, ideal) {
  const curves = curves_over(axis), shown = curves.slice(0, MOST_CURVES), points = shown.flatMap(curve => curve.points), drawn = plot(title, {left: 64});
  const lines = ideal ? shown.map(curve => [curve.points[0], curve.points.at(-1)].map(point => ({at: point.values[axis.i], value: curve.points[0][key] * curve.points[0].values[axis.i] / point.values[axis.i]}))) : [];
  const all = [...points.map(point => point[key]), ...lines.flat().map(point => point.value)];
  const x = scale_of(points.map(point => point.values[axis.i]), drawn.left + 8, drawn.right - 8);
  const y = key === "time_s" ? scale_of(all, drawn.bottom, drawn.top) : d3.scaleLinear().domain([0, 1.05 * Math.max(1, d3.max(all))]).range([drawn.bottom, drawn.top]);
  axis_left(drawn, y, {grid: true, format: text, ticks: key === "time_s" ? ticks_of(y) : 4});
  axis_below(drawn, x, {ticks: some_of(points.map(point => point.values[axis.i])), format: value => String(value), name: axis.name});
  for (const line of lines)
    drawn.svg.append("path").attr("d", d3.line()(line.map(point => [x(point.at), y(point.value)]))).attr("fill", "none").attr("stroke-dasharray", "3 3").style("stroke", "var(--muted)").attr("stroke-width", 1);
  const legend = element("p", {class: "note legend-lines"});
  shown.forEach((curve, i) => {
    const at = point => [x(point.values[axis.i]), y(point[key])], paint = paint_of(i, shown.length);
    drawn.svg.append("path").attr("d", d3.line()(curve.points.map(at))).attr("fill", "none").style("stroke", paint).attr("stroke-width", 1.6);
    drawn.svg.append("g").selectAll("circle").data(curve.points).join("circle").attr("r", 3).style("fill", paint).attr("cx", point => at(point)[0]).attr("cy", point => at(point)[1])
      .append("title").text(point => `${curve.label ? curve.label + ", " : ""}${axis.name} ${value_of(point.values[axis.i])}: ${text(point[key])}`);
    const mark = element("span", {class: "key"});
    mark.style.background = paint;
    if (curve.label)
      legend.append(element("span", {}, mark, curve.label + " "));
  });
  if (ideal)
    legend.append(" Dashed: ideal scaling (twice the ranks, half of T).");
  if (curves.length > shown.length)
    legend.append(` ${curves.length - shown.length} more curves are not drawn.`);
  return figure(title, "", drawn.svg.node(), legend);
}

function value_cell(value) {
  return typeof value === "number" ? number_cell(value_of(value)) : value_of(value);
}

function title_cell(axis) {
  return axis.kind === "parameter" || axis.kind === "ranks" ? number_cell(axis.name) : axis.name;
}

function percents(value) {
  return value === null ? "\u2013" : percent_text(100 * value);
}

function figures() {
  const drawn = [];
  for (const axis of numeric.filter(axis => curves_over(axis).length > 0).reverse()) {
    drawn.push(draw_curves(`T over ${axis.name}`, axis, "time_s", axis_times(d3.max(good, point => point.time_s)), axis.kind === "ranks"));
    if (axis.kind === "ranks")
      drawn.push(draw_curves("Efficiency", axis, "efficiency", percents, false));
  }
  return drawn;
}

function points_table() {
  const scales = varied.some(axis => axis.kind === "ranks");
  return table_of_many([...varied.map(title_cell), number_cell("T"), ...(scales ? [number_cell("speedup"), number_cell("efficiency")] : [])],
    data.points.map(point => [...varied.map(axis => value_cell(point.values[axis.i])), ...(point.failure ? [[{class: "warning"}, point.failure]] : [number_cell(time_text(point.time_s)),
      ...(scales ? [number_cell(point.speedup === null ? "\u2013" : number_text(point.speedup, 3)), number_cell(percents(point.efficiency))] : [])])]), MOST_ROWS);
}

function question_of(answer) {
  return `${answer.label ? answer.label + ": t" : "T"}he ${answer.fewest ? "fewest" : "largest"} ${answer.axis} within ${time_text(answer.within_s)}`;
}

/* The answers to one question. */
function answers_table([title, answers]) {
  const others = varied.filter(axis => axis.name !== answers[0].axis);
  return [element("h3", {}, title), table([...others.map(title_cell), number_cell(answers[0].axis), number_cell("T"), "nearest that is not"],
    answers.map(answer => [...others.map(axis => value_cell(answer.values[axis.i])), number_cell(answer.value === null ? "none" : String(answer.value)), number_cell(answer.time_s === null ? "\u2013" : time_text(answer.time_s)),
      answer.next === null ? "\u2013" : `${answer.next}: ${answer.next_time_s === null ? "failed" : time_text(answer.next_time_s)}`]))];
}

const fixed = data.axes.filter(axis => axis.values.length === 1), questions = d3.groups(data.sizing, question_of), best = d3.least(good, point => point.time_s);
byid("title").textContent = document.title = `Predictions of ${data.axes[0].values.join(", ")}`;
byid("verdict").append(questions.length > 0 && data.sizing.length === questions.length ? data.sizing.map(answer => `${question_of(answer)}: ${answer.value === null ? "none" : answer.value}.`).join(" ")
  : `T is shortest${varied.length > 0 ? " with " + varied.map(axis => `${axis.name} ${value_of(best.values[axis.i])}`).join(", ") : ""}: ${time_text(best.time_s)}.`);
append_to(byid("main"), facts_list(fixed.map(axis => [axis.name, value_of(axis.values[0])])), questions.length > 0 ? section("Sizing", ...questions.flatMap(answers_table)) : null,
  numeric.length > 0 ? section("Scaling", element("div", {class: "figures"}, ...figures())) : null, section("Predictions", ...points_table()));
document.documentElement.dataset.ready = ""; /* for tests: all is drawn */
