/* What repeats in a trace (structure_output.c): the stretches over time, and a table of them with their levels. */
const data = JSON.parse(byid("data").textContent);
const ROW = 26, LEAST = 1.5; /* height of a level, least width of a stretch, of a plot */

/* All stretches with their level, outer ones first. */
function with_levels(list, level = 0) {
  return list.flatMap(one => [{...one, level}, ...with_levels(one.children, level + 1)]);
}

const stretches = with_levels(data.stretches), repeating = stretches.filter(one => one.iterations > 1);

function name_of(one) {
  return one.flushing ? "flushing of buffers" : one.callpath || (one.signal ? `by the signal ${one.signal}` : "");
}

function describe(one) {
  return `${one.iterations > 1 ? `${one.iterations} iterations of ${time_text(one.period_s)}` : "does not repeat"}${name_of(one) ? ", " + name_of(one) : ""}, ${time_text(one.begin_s)} to ${time_text(one.end_s)}`;
}

function draw_stretches() {
  const levels = 1 + d3.max(stretches, one => one.level), drawn = plot("Stretches over time", {width: 1240, height: ROW * levels + 40, left: 64, bottom: 34});
  const x = d3.scaleLinear().domain([0, data.length_s]).range([drawn.left, drawn.right]);
  axis_below(drawn, x, {ticks: 10, format: axis_times(data.length_s), name: "time"});
  for (let level = 0; level < levels; level++)
    drawn.svg.append("text").attr("class", "faint").attr("x", drawn.left - 8).attr("y", drawn.top + ROW * level + 16).attr("text-anchor", "end").text(`level ${level + 1}`);
  for (const one of stretches) {
    const group = drawn.svg.append("g"), y = drawn.top + ROW * one.level, wide = Math.max(LEAST, x(one.end_s) - x(one.begin_s));
    group.append("title").text(describe(one));
    group.append("rect").attr("class", one.flushing ? "flushing" : one.iterations > 1 ? "repeats" : "alone").attr("x", x(one.begin_s)).attr("y", y + 2).attr("width", wide).attr("height", ROW - 5);
    if (one.iterations > 1 && wide > 8 * one.iterations)
      group.append("path").attr("class", "bounds").attr("d", d3.range(1, one.iterations).map(i => `M${x(one.begin_s) + wide * i / one.iterations},${y + 2}v${ROW - 5}`).join(""));
    for (const i of one.perturbed || [])
      group.append("rect").attr("class", "perturbed").attr("x", x(one.begin_s) + wide * i / one.iterations).attr("y", y + ROW - 7).attr("width", Math.max(LEAST, wide / one.iterations)).attr("height", 4);
    if (one.iterations > 1 && wide > 60)
      group.append("text").attr("class", "label").attr("x", x(one.begin_s) + wide / 2).attr("y", y + 16).attr("text-anchor", "middle").text(`${one.iterations} \u00d7`);
  }
  return figure("Stretches over time", "", drawn.svg.node(), element("p", {class: "note"}, ...key_of("repeats", "repeats"), ...key_of("alone", "does not repeat"), ...key_of("flushing", "flushing of buffers"), ...key_of("perturbed", "perturbed iterations (drawn as if all iterations were equally long)")));
}

function row_of(one) {
  const repeats = one.iterations > 1, dash = "\u2013", percent = value => number_cell(value === null || value === undefined ? dash : percent_text(100 * value));
  return [[{class: `name level-${Math.min(one.level, 4)}`}, name_of(one) || (repeats ? "" : "does not repeat")], number_cell(time_text(one.begin_s)), number_cell(time_text(one.end_s)),
    number_cell(String(one.iterations)), number_cell(repeats && one.perturbed ? String(one.perturbed.length) : dash),
    number_cell(repeats && one.kinds ? one.kinds.map(kind => kind.iterations).join(" + ") : dash), number_cell(repeats ? time_text(one.period_s) : dash),
    number_cell(repeats ? `${time_text(one.shortest_period_s)} \u2013 ${time_text(one.longest_period_s)}` : dash), percent(one.mpi), percent(one.parallel_efficiency), percent(one.load_balance),
    number_cell(bytes_text(one.bytes_sent)), one.cut ? element("code", {}, one.cut.path) : null];
}

const outer = d3.greatest(data.stretches.filter(one => one.iterations > 1), one => one.end_s - one.begin_s);
byid("title").textContent = document.title = `Structure of ${data.trace}`;
byid("verdict").append(!outer ? "No period was found." : `${outer.iterations} iterations of ${time_text(outer.period_s)}${name_of(outer) ? " (" + name_of(outer) + ")" : ""} fill ${percent_text(100 * (outer.end_s - outer.begin_s) / data.length_s)} of the trace.`);
append_to(byid("main"), facts_list([["trace", data.trace], ["ranks", String(data.ranks)], ["length", time_text(data.length_s)], ["stretches", `${stretches.length}, of which ${repeating.length} repeat`]]),
  stretches.length > 0 ? draw_stretches() : null,
  section("Stretches", table(["stretch", number_cell("begin"), number_cell("end"), number_cell("iterations"), number_cell("perturbed"), number_cell("of each kind"), number_cell("period"), number_cell("shortest \u2013 longest"), number_cell("MPI"),
    number_cell("parallel efficiency"), number_cell("load balance"), number_cell("bytes sent"), stretches.some(one => one.cut) ? "cut" : null],
    stretches.map(one => row_of(one).slice(0, stretches.some(other => other.cut) ? 13 : 12)))));
document.documentElement.dataset.ready = ""; /* for tests: all is drawn */
