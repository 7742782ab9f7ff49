/* Pictures of the whole: time of each rank, what call paths save, replays with their spread. */

const WIDEST = 70; /* pixels of a rank */

/* Three shares of each rank's time, ranks from left to right, each run in a row of its own with the
 * same scale. More ranks than pixels are shown by means of neighbours. */
function draw_rank_times() {
  const sides = report.rank_times.map(side => KINDS.map((kind, k) => bins_of(side[k])));
  const width = 620, row = 170, left = 62, right = 10, top = 18, bottom = 34, height = sides.length * row + bottom + top;
  const count = report.rank_times[0][0].length, shown_bins = sides[0][0].length;
  const high = d3.max(sides, side => d3.max(side[0], (value, i) => side[0][i] + side[1][i] + side[2][i])) || 1;
  const end = Math.min(width - right, left + WIDEST * count); /* few ranks are no walls of colour */
  const x = d3.scaleLinear().domain([0, shown_bins]).range([left, end]);
  const {svg} = plot("Computation, MPI and waiting of each rank", {height});
  sides.forEach((side, s) => {
    const y = d3.scaleLinear().domain([0, high]).range([top + (s + 1) * row - 18, top + s * row]);
    svg.append("g").attr("transform", `translate(${left},0)`).call(d3.axisLeft(y).ticks(4).tickFormat(axis_times(high)));
    const below = new Float64Array(shown_bins), gap = shown_bins <= 64 ? 1 : 0;
    KINDS.forEach(([, paint], k) => {
      let path = "";
      for (let i = 0; i < shown_bins; i++) {
        const from = below[i], to = below[i] + side[k][i];
        path += `M${x(i).toFixed(2)},${y(from).toFixed(2)}V${y(to).toFixed(2)}H${(x(i + 1) - gap).toFixed(2)}V${y(from).toFixed(2)}Z`;
        below[i] = to;
      }
      svg.append("path").attr("d", path).style("fill", `var(--${paint})`);
    });
    if (sides.length === 2)
      svg.append("text").attr("x", left + 4).attr("y", top + s * row - 6).text(report.names[s]);
  });
  const ranks = d3.scaleLinear().domain([0, count]).range([left, end]);
  const ticks = count <= 16 ? d3.range(count) : ranks.ticks(8).filter(tick => tick < count && Number.isInteger(tick));
  const axis = svg.append("g").attr("text-anchor", "middle");
  for (const tick of ticks)
    axis.append("text").attr("class", "faint").attr("x", ranks(tick + (count <= 64 ? 0.5 : 0))).attr("y", top + sides.length * row - 3).text(locations[tick] ? location_number(locations[tick]) : tick);
  axis.append("text").attr("class", "faint").attr("x", (left + end) / 2).attr("y", height - 14).text(has_threads() ? "rank.thread" : "rank");
  const legend = element("p", {class: "note"});
  KINDS.forEach(([name, paint]) => legend.append(element("span", {class: "key " + paint}), name === "MPI" ? "MPI without waiting" : name));
  const node = svg.node();
  node.addEventListener("mousemove", event => {
    const box = node.getBoundingClientRect(), at = Math.floor(ranks.invert((event.clientX - box.left) / box.width * width));
    show_tip(at >= 0 && at < count ? rank_time_tip(at) : "", event);
  });
  node.addEventListener("mouseleave", () => show_tip(""));
  return figure(has_threads() ? "Time of each rank and thread" : "Time of each rank", shown_bins < count ? `means of ${Math.ceil(count / shown_bins)} neighbours` : "", node, legend);
}

function location_number({rank, thread}) {
  return has_threads() ? `${rank}.${thread}` : String(rank);
}

function bins_of(values, most = 1100) {
  const width = Math.ceil(values.length / most);
  return width <= 1 ? values : d3.range(0, values.length, width).map(at => d3.mean(values.slice(at, at + width)));
}

function rank_time_tip(at) {
  const lines = [locations[at] ? locations[at].name : `rank ${at}`];
  report.rank_times.forEach((side, s) => lines.push((report.rank_times.length === 2 ? report.names[s] + ": " : "") +
    KINDS.map(([name], k) => `${name} ${time_text(side[k][at])}`).join(", ")));
  return lines.join("\n");
}

/* --- waterfall -------------------------------------------------------------------------------- */

const STEPS = 10;

/* From the mean time of a location before to that after, by what changed at the call paths themselves. */
function draw_waterfall() {
  const time = metrics.find(metric => metric.name === "time");
  if (run_count !== 2 || !time)
    return null;
  const mean = (sums, run) => sums / store.counts[run], before = mean(time.total[0], 0), after = mean(time.total[1], 1);
  const changes = paths.map((path, i) => ({path: i, by: difference_of(mean(time.own[0][i], 0), mean(time.own[1][i], 1))})).filter(one => one.by !== 0)
    .sort((a, b) => Math.abs(b.by) - Math.abs(a.by));
  const visible = changes.filter(one => Math.abs(one.by) > VISIBLE * before).length, shown_steps = Math.min(STEPS, visible);
  const steps = changes.slice(0, shown_steps), rest = d3.sum(changes.slice(shown_steps), one => one.by);
  if (steps.length === 0)
    return null;
  const rows = [{name: report.names[0], from: 0, to: before}];
  let at = before;
  const labels = labels_of_paths(steps.map(step => step.path));
  steps.forEach((step, i) => {
    rows.push({name: labels[i], title: paths[step.path].text, path: step.path, from: at, to: at + step.by, by: step.by});
    at += step.by;
  });
  if (changes.length > shown_steps)
    rows.push({name: `${changes.length - shown_steps} other${changes.length === shown_steps + 1 ? "" : "s"}`, from: at, to: after, by: rest});
  rows.push({name: report.names[1], from: 0, to: after});
  return figure("What the call paths save", `each alone; mean of the ${location_words()}`, waterfall_svg(rows));
}

function waterfall_svg(rows) {
  const row = 24, left = 190, drawn = plot("Waterfall of savings by call path", {height: rows.length * row + 30, left, right: 86, top: 0, bottom: 24}), {svg, height} = drawn;
  const ends = rows.flatMap(one => [one.from, one.to]).filter(value => value > 0), lowest = d3.min(ends), highest = d3.max(ends);
  const cut = highest - lowest < 0.3 * highest ? Math.max(0, lowest - 0.6 * (highest - lowest)) : 0; /* small changes become visible */
  const x = d3.scaleLinear().domain([cut, highest]).range([left, drawn.right]);
  axis_below(drawn, x, {grid: true, ticks: 4, format: axis_times(highest, 3, cut)});
  rows.forEach((one, i) => {
    const group = svg.append("g").attr("transform", `translate(0,${i * row})`);
    const from = x(Math.max(cut, Math.min(one.from, one.to))), to = x(Math.max(one.from, one.to));
    group.append("text").attr("x", left - 8).attr("y", row / 2 + 4).attr("text-anchor", "end").attr("font-weight", one.by === undefined ? 600 : 400).text(cut_in_middle(one.name, 26));
    group.append("rect").attr("x", from).attr("width", Math.max(1, to - from)).attr("y", 4).attr("height", row - 8)
      .style("fill", one.by === undefined ? "var(--muted)" : one.by > 0 ? "var(--more)" : "var(--less)");
    group.append("text").attr("x", to + 6).attr("y", row / 2 + 4).text(one.by === undefined ? time_text(one.to) : (one.by > 0 ? "+" : "") + time_text(one.by, 3));
    if (i + 1 < rows.length && i + 2 <= rows.length)
      group.append("path").style("stroke", "var(--muted)").attr("stroke-dasharray", "2 2").attr("d", `M${x(Math.max(cut, one.to))},${row - 4}v8`);
    group.append("title").text(one.title || one.name);
    if (one.path !== undefined)
      group.style("cursor", "pointer").on("click", () => go_to_path(one.path));
  });
  if (cut > 0)
    svg.append("text").attr("class", "faint").attr("x", 4).attr("y", height - 8).text("axis does not begin at 0");
  return svg.node();
}

/* --- replays ---------------------------------------------------------------------------------- */

/* One point for each replay, the median as a line, and the interval as a box. */
function draw_replays() {
  const {groups, recorded} = report.replays;
  const row = 54, left = 120, drawn = plot("T of each replay", {height: groups.length * row + 34, left, right: 20, top: 0, bottom: 28}), {svg} = drawn;
  const all = groups.flatMap(group => [...group.times, group.low, group.high]).filter(value => value !== null).concat(recorded > 0 ? [recorded] : []);
  const low = d3.min(all), high = d3.max(all), room = (high - low || high * 0.01 || 1) * 0.06;
  const x = d3.scaleLinear().domain([low - room, high + room]).range([left, drawn.right]);
  const digits = Math.max(3, Math.min(7, Math.ceil(Math.log10(high / (high - low || high))) + 3));
  axis_below(drawn, x, {grid: true, format: axis_times(high, digits)});
  if (recorded > 0)
    svg.append("path").style("stroke", "var(--muted)").attr("stroke-dasharray", "4 3").attr("d", `M${x(recorded)},0V${drawn.bottom}`).append("title").text(`recorded: ${time_text(recorded, 5)}`);
  groups.forEach((group, g) => {
    const middle = g * row + row / 2, box = svg.append("g");
    box.append("text").attr("x", left - 10).attr("y", middle + 4).attr("text-anchor", "end").text(group.name);
    if (group.low !== null)
      box.append("rect").attr("x", x(group.low)).attr("width", Math.max(1, x(group.high) - x(group.low))).attr("y", middle - 18).attr("height", 36)
        .style("fill", "var(--select)").append("title").text(`${percent_text(100 * group.level)} interval of the median: ${time_text(group.low, 5)} to ${time_text(group.high, 5)}`);
    box.append("path").style("stroke", "var(--text)").attr("stroke-width", 2).attr("d", `M${x(group.median)},${middle - 18}v36`).append("title").text(`median ${time_text(group.median, 5)}`);
    group.times.forEach((time, i) => box.append("circle").attr("cx", x(time)).attr("cy", middle + (i * 7 % 5 - 2) * 5).attr("r", 4)
      .style("fill", g === 0 && groups.length > 1 ? "var(--muted)" : "var(--accent)").attr("fill-opacity", 0.75).append("title").text(`replay ${i + 1}: ${time_text(time, 5)}`));
  });
  return figure("Replays and their spread", (recorded > 0 ? "dashed: the recording; " : "") + "line: median; box: its interval", svg.node());
}

function start_plots() {
  const figures = [];
  if (report.rank_times)
    figures.push(draw_rank_times());
  if (store)
    figures.push(draw_waterfall());
  if (report.replays)
    figures.push(draw_replays());
  const shown_figures = figures.filter(one => one);
  byid("figures").append(...shown_figures);
  byid("plots").hidden = shown_figures.length === 0;
}
