/* The ranks' values of the selected metric and call path: a list, a map, a distribution. */
let rank_rows, rank_shown = null; /* {values, runs, unit, complete, difference} */
let draw_number = 0;
const map = {columns: 0, grid: -1, at: [], rank: new Map(), width: 1, height: 1, cell: 1, left: 0, top: 0};

/* Values per rank are shown as they are, or in percent of what the rank has of the root metric. */
function rank_scale(run) {
  if (state.unit !== "percent")
    return null;
  return rank_values(root_of(state.metric), -1, run, true, true).values;
}

function find_ranks() {
  const of_run = run => rank_values(state.metric, state.path, run, state.inclusive, state.whole);
  const runs = [...Array(run_count).keys()].map(of_run);
  const complete = runs.every(run => run.complete);
  const whole = rank_scale(shown_run());
  if (whole)
    for (const run of runs)
      run.values = run.values.map((value, i) => whole[i] ? 100 * value / whole[i] : 0);
  const difference = run_count === 2 && is_difference();
  const values = difference ? runs[1].values.map((value, i) => difference_of(runs[0].values[i], value)) : runs[shown_run()].values;
  return {values, runs: runs.map(run => run.values), complete, difference,
          unit: state.unit === "percent" ? "percent" : metrics[state.metric].unit};
}

/* All metrics that rank_values needs. */
function needed_metrics() {
  const needed = new Set(terms_of(state.metric, state.whole).map(([metric]) => metric.number));
  if (state.unit === "percent")
    needed.add(root_of(state.metric));
  return [...needed];
}

async function draw_ranks() {
  const number = ++draw_number, needed = needed_metrics();
  if (!has_ranks) {
    byid("rank-text").textContent = "This browser cannot unpack the values of single ranks (it lacks DecompressionStream); sums over the ranks are in the other panels.";
    return;
  }
  if (!needed.every(is_loaded))
    await Promise.all(needed.map(load_metric));
  if (number !== draw_number)
    return; /* something else has been selected meanwhile */
  rank_shown = find_ranks();
  for (const [id, tab] of [["ranks", "list"], ["heat", "heat"], ["spread", "spread"]])
    byid(id).hidden = state.tab !== tab;
  for (const button of byid("tabs").children)
    button.setAttribute("aria-selected", button.dataset.value === state.tab);
  byid("rank-sort").hidden = state.tab !== "list";
  if (state.tab === "list")
    draw_rank_list();
  else if (state.tab === "heat")
    draw_map();
  else
    draw_spread();
  say_rank();
}

function say_rank() {
  const {values, runs, unit, complete, difference} = rank_shown, i = state.rank;
  const notes = [];
  if (i >= 0) {
    const where = locations[i].name + coordinates_text(i) + (locations[i].host ? " on " + locations[i].host : "");
    notes.push(run_count === 2
      ? `${where}: before ${value_text(runs[0][i], unit)}, after ${value_text(runs[1][i], unit)}, difference ${value_text(difference_of(runs[0][i], runs[1][i]), unit, true)}`
      : `${where}: ${value_text(values[i], unit, difference)}`);
  }
  if (!complete)
    notes.push("Some call paths here are too small to be kept rank by rank: their mean is used for each rank.");
  byid("rank-text").textContent = notes.join(". ");
}

function select_rank(i) {
  state.rank = i;
  rank_rows.mark(i);
  if (rank_shown) {
    if (state.tab === "heat")
      draw_map();
    else if (state.tab === "list")
      rank_rows.show(i);
    else
      draw_spread();
    say_rank();
  }
  told_of_selection.forEach(tell => tell());
}

/* --- list ------------------------------------------------------------------------------------- */

function draw_rank_list() {
  const {values, unit} = rank_shown, most = values.reduce((high, value) => Math.max(high, Math.abs(value)), 0);
  const order = [...values.keys()];
  if (state.rank_sort === "value")
    order.sort((a, b) => Math.abs(values[b]) - Math.abs(values[a]) || a - b);
  const hosts = new Set(locations.map(one => one.host)).size > 1;
  rank_rows.set(order.map(i => ({key: i, value: values[i], unit, most,
                                 name: hosts ? `${locations[i].name} (${locations[i].host})` : locations[i].name})));
  rank_rows.mark(state.rank);
}

function fill_rank(row, item) {
  row.append(element("span", {class: item.value === 0 ? "value zero" : "value"}, value_text(item.value, item.unit, rank_shown.difference)),
             bar(item.value, item.most, rank_shown.difference), element("span", {class: "name"}, item.name));
}

/* --- map -------------------------------------------------------------------------------------- */

/* As square as the ranks can be divided; else nearly square. */
function nearly_square(count) {
  let columns = Math.ceil(Math.sqrt(count));
  for (let c = columns; c <= 2 * columns; c++)
    if (count % c === 0)
      return c;
  return columns;
}

/* Where ranks are on the map: in rows of their order, or on a grid of the program, whose last two
 * dimensions are a plane; planes of more dimensions stand side by side, with a gap between them. */
function place_ranks() {
  const grid = map.grid >= 0 ? store.grids[map.grid] : null, count = locations.length;
  map.at = new Array(count).fill(null);
  map.rank = new Map(); /* "column row" -> location */
  map.height = grid ? 0 : Math.ceil(count / map.columns);
  map.width = grid ? 0 : map.columns;
  if (grid) {
    const {sizes, cells} = grid, across = sizes[sizes.length - 1], down = sizes.length > 1 ? sizes[sizes.length - 2] : 1;
    const planes = sizes.slice(0, -2).reduce((product, size) => product * size, 1), side = nearly_square(planes);
    cells.forEach((cell, i) => {
      const plane = Math.floor(cell / (across * down)), inside = cell % (across * down);
      if (cell >= 0)
        map.at[i] = [plane % side * (across + 1) + inside % across, Math.floor(plane / side) * (down + 1) + Math.floor(inside / across)];
    });
    map.width = Math.min(side, planes) * (across + 1) - 1;
    map.height = Math.ceil(planes / side) * (down + 1) - 1;
  } else
    for (let i = 0; i < count; i++)
      map.at[i] = [i % map.columns, Math.floor(i / map.columns)];
  map.at.forEach((at, i) => { if (at) map.rank.set(at.join(" "), i); });
}

/* "(1, 2)": the place of a rank on the chosen grid. */
function coordinates_text(i) {
  const grid = map.grid >= 0 ? store.grids[map.grid] : null;
  if (!grid || grid.cells[i] < 0)
    return "";
  let cell = grid.cells[i];
  const place = [...grid.sizes].reverse().map(size => {
    const at = cell % size;
    cell = Math.floor(cell / size);
    return at;
  });
  return ` at (${place.reverse().join(", ")})`;
}

function draw_map() {
  const {values, unit, difference} = rank_shown, canvas = byid("heat-map"), count = values.length;
  const box = canvas.getBoundingClientRect(), ratio = devicePixelRatio || 1;
  canvas.width = Math.round(box.width * ratio);
  canvas.height = Math.round(box.height * ratio);
  const context = canvas.getContext("2d");
  context.scale(ratio, ratio);
  context.clearRect(0, 0, box.width, box.height);
  map.cell = Math.min(box.width / map.width, box.height / map.height, 110);
  if (map.cell > 4)
    map.cell = Math.floor(map.cell);
  map.left = Math.floor((box.width - map.cell * map.width) / 2);
  map.top = 0;
  const [low, high] = d3.extent(values), flat = high - low <= 1e-9 * Math.max(Math.abs(low), Math.abs(high)); /* but for rounding */
  const paint = flat && !difference ? () => color_scale(0, 3, false)(1) : color_scale(low, high, difference), gap = map.cell > 6 ? 1 : 0;
  const box_of = ([column, row]) => [map.left + column * map.cell, row * map.cell, map.cell - gap, map.cell - gap];
  values.forEach((value, i) => {
    context.fillStyle = paint(value);
    if (map.at[i])
      context.fillRect(...box_of(map.at[i]));
  });
  label_cells(context, paint);
  if (state.rank >= 0 && map.at[state.rank]) {
    context.strokeStyle = color("text");
    context.lineWidth = 2;
    context.strokeRect(...box_of(map.at[state.rank]));
  }
  draw_legend(low, high, unit, difference, paint);
  const layout = map.grid >= 0 ? `on a grid of ${store.grids[map.grid].sizes.join(" x ")}` : `${map.columns} per row`;
  canvas.setAttribute("aria-label", `Map of ${count} ranks, ${layout}, from ${value_text(low, unit)} to ${value_text(high, unit)}; arrow keys select`);
}

/* Large cells say which rank they are. */
function label_cells(context, paint) {
  if (map.cell < 24)
    return;
  context.font = "11px system-ui, sans-serif";
  context.textAlign = "center";
  context.textBaseline = "middle";
  rank_shown.values.forEach((value, i) => {
    if (!map.at[i])
      return;
    const fill = d3.rgb(paint(value)), light = 0.3 * fill.r + 0.59 * fill.g + 0.11 * fill.b > 140;
    context.fillStyle = light ? "#000000" : "#ffffff";
    context.fillText(locations[i].thread > 0 ? `${locations[i].rank}.${locations[i].thread}` : locations[i].rank,
                     map.left + (map.at[i][0] + 0.5) * map.cell, (map.at[i][1] + 0.5) * map.cell);
  });
}

function draw_legend(low, high, unit, difference, paint) {
  const most = Math.max(Math.abs(low), Math.abs(high));
  const from = difference ? -most : low, to = difference ? most : high;
  const stops = d3.range(0, 1.01, 0.1).map(at => paint(from + at * (to - from)));
  byid("heat-scale").style.background = `linear-gradient(90deg, ${stops.join(", ")})`;
  byid("heat-low").textContent = value_text(from, unit, difference);
  byid("heat-high").textContent = value_text(to, unit, difference);
}

function rank_at(event) {
  const box = byid("heat-map").getBoundingClientRect();
  const column = Math.floor((event.clientX - box.left - map.left) / map.cell), row = Math.floor((event.clientY - box.top) / map.cell);
  const i = map.rank.get(column + " " + row);
  return i === undefined ? -1 : i;
}

function rank_tip(i) {
  const {values, unit, difference} = rank_shown;
  return `${locations[i].name}${coordinates_text(i)}${locations[i].host ? " on " + locations[i].host : ""}\n${value_text(values[i], unit, difference)}`;
}

/* The next rank in that direction, also over the gap between two planes. */
function map_key(event) {
  const by = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]}[event.key];
  if (!by || event.ctrlKey || event.altKey || event.metaKey)
    return;
  let to = state.rank < 0 || !map.at[state.rank] ? map.rank.values().next().value : undefined;
  for (let step = 1; step <= 2 && to === undefined; step++)
    to = map.rank.get(map.at[state.rank].map((place, k) => place + step * by[k]).join(" "));
  if (to !== undefined)
    select_rank(to);
  event.preventDefault();
  event.stopPropagation();
}

/* The program's grids, and numbers of ranks per row that divide the ranks. A grid with places for all
 * ranks is shown at first. */
function offer_grids() {
  const count = locations.length, box = byid("grids");
  store.grids.forEach((grid, i) =>
    box.append(element("option", {value: "grid" + i}, `grid ${grid.sizes.join(" x ")}${grid.name ? " (" + grid.name + ")" : ""}`)));
  for (let columns = 1, offered = 0; columns <= count && offered < 60; columns++)
    if (count % columns === 0) {
      box.append(element("option", {value: columns}, `${count / columns} rows of ${columns}`));
      offered++;
    }
  byid("columns").max = count;
  map.grid = store.grids.findIndex(grid => grid.sizes.length > 1 && grid.cells.every((cell, i) => cell >= 0 || locations[i].thread > 0));
  map.columns = nearly_square(count);
  show_layout();
}

function show_layout() {
  byid("columns").value = map.columns;
  byid("columns-label").hidden = map.grid >= 0;
  byid("grids").value = map.grid >= 0 ? "grid" + map.grid : map.columns;
  place_ranks();
}

function set_columns(columns) {
  if (!(columns >= 1))
    return;
  map.grid = -1;
  map.columns = Math.min(Math.floor(columns), locations.length);
  show_layout();
  draw_map();
}

function choose_grid(value) {
  if (!value.startsWith("grid"))
    return set_columns(Number(value));
  map.grid = Number(value.slice(4));
  show_layout();
  draw_map();
}

/* --- distribution ----------------------------------------------------------------------------- */

function statistics_of(values) {
  const sorted = Float64Array.from(values).sort(), at = share => d3.quantile(sorted, share);
  const mean = d3.mean(sorted);
  return {sorted, lowest: sorted[0], quarter: at(0.25), median: at(0.5), three: at(0.75), highest: sorted[sorted.length - 1],
          mean, deviation: d3.deviation(sorted) || 0};
}

const statistic_names = [["highest", "highest"], ["three", "third quartile"], ["median", "median"], ["quarter", "first quartile"],
                         ["lowest", "lowest"], ["mean", "mean"], ["deviation", "standard deviation"]];

/* Boxes from quartile to quartile, whiskers to the ends, and a point for each rank. */
function draw_spread() {
  const {runs, values, unit, difference} = rank_shown, pane = byid("spread");
  const sides = run_count === 2 && !difference ? [["before", runs[0]], ["after", runs[1]]] : [[difference ? "difference" : "", values]];
  const statistics = sides.map(side => statistics_of(side[1]));
  const drawn = plot("Distribution over the ranks", {width: Math.max(200, pane.clientWidth - 18), height: 40 + 110 * sides.length, left: run_count === 2 ? 74 : 14, right: 30, bottom: 24}), {svg} = drawn;
  const low = d3.min(statistics, one => one.lowest), high = d3.max(statistics, one => one.highest);
  const x = d3.scaleLinear().domain(low === high ? [low - 1, high + 1] : [low, high]).nice(5).range([drawn.left, drawn.right]);
  axis_below(drawn, x, {ticks: 4, format: unit === "sec" ? axis_times(...Math.abs(low) > Math.abs(high) ? [low, 3, high] : [high, 3, low]) : value => value_text(value, unit)});
  sides.forEach(([name, all], k) => draw_box(svg.append("g").attr("transform", `translate(0,${10 + 110 * k})`), name, all, statistics[k], x));
  const table = element("div", {class: sides.length === 1 ? "statistics one" : "statistics"});
  if (sides.length === 2)
    table.append(element("span"), ...sides.map(side => element("b", {}, side[0])));
  for (const [key, name] of statistic_names)
    table.append(element("span", {class: "term"}, name), ...statistics.map(one => element("span", {}, value_text(one[key], unit, difference && key !== "deviation"))));
  if (!difference)
    table.append(element("span", {class: "term"}, "highest / mean"), ...statistics.map(one => element("span", {}, one.mean ? number_text(one.highest / one.mean, 3) : "")));
  pane.replaceChildren(svg.node(), table);
}

function draw_box(group, name, values, one, x) {
  const middle = 26;
  group.append("text").attr("x", 4).attr("y", middle + 4).text(name);
  group.append("path").style("stroke", "var(--text)").attr("fill", "none")
    .attr("d", `M${x(one.lowest)},${middle}H${x(one.quarter)}M${x(one.three)},${middle}H${x(one.highest)}M${x(one.lowest)},${middle - 7}v14M${x(one.highest)},${middle - 7}v14`);
  group.append("rect").attr("x", x(one.quarter)).attr("width", Math.max(1, x(one.three) - x(one.quarter))).attr("y", middle - 14).attr("height", 28)
    .style("fill", "var(--select)").style("stroke", "var(--text)");
  group.append("path").style("stroke", "var(--text)").attr("stroke-width", 2.5).attr("d", `M${x(one.median)},${middle - 14}v28`);
  group.append("path").style("fill", "var(--more)").attr("d", d3.symbol(d3.symbolDiamond, 40)()).attr("transform", `translate(${x(one.mean)},${middle})`)
    .append("title").text("mean");
  draw_dots(group, values, x, middle + 24);
}

/* A point for each rank, stacked where they are close. Many are one shape, which is drawn at once. */
const SEPARATE = 256, HIGHEST_STACK = 12;

function draw_dots(group, values, x, top) {
  const stacks = new Map();
  let dots = "";
  values.forEach((value, i) => {
    const bin = Math.round(x(value) / 4), stacked = stacks.get(bin) || 0;
    const at = [bin * 4, top + Math.min(HIGHEST_STACK, stacked) * 4];
    stacks.set(bin, stacked + 1);
    if (i === state.rank)
      group.append("circle").attr("cx", at[0]).attr("cy", at[1]).attr("r", 4.5).style("fill", "var(--more)").raise();
    else if (values.length > SEPARATE && stacked <= HIGHEST_STACK)
      dots += `M${at[0] - 1.8},${at[1]}h3.6`;
    else if (values.length <= SEPARATE)
      group.append("circle").attr("cx", at[0]).attr("cy", at[1]).attr("r", 1.8).style("fill", "var(--accent)")
        .style("cursor", "pointer").on("click", () => select_rank(i)).append("title").text(rank_tip(i));
  });
  group.append("path").attr("d", dots).style("stroke", "var(--accent)").attr("stroke-width", 3.2);
}

/* ---------------------------------------------------------------------------------------------- */

function start_ranks() {
  rank_rows = new Rows(byid("ranks"), {fill: fill_rank, choose: item => select_rank(item.key)});
  offer_grids();
  byid("tabs").addEventListener("click", event => event.target.dataset.value && change("tab", event.target.dataset.value));
  byid("columns").addEventListener("change", event => set_columns(Number(event.target.value)));
  byid("grids").addEventListener("change", event => choose_grid(event.target.value));
  const canvas = byid("heat-map");
  canvas.addEventListener("keydown", map_key);
  canvas.addEventListener("click", event => {
    const i = rank_at(event);
    if (i >= 0)
      select_rank(i);
  });
  canvas.addEventListener("mousemove", event => {
    const i = rank_at(event);
    show_tip(i >= 0 ? rank_tip(i) : "", event);
  });
  canvas.addEventListener("mouseleave", () => show_tip(""));
  new ResizeObserver(() => { if (state.tab === "heat" && rank_shown) draw_map(); }).observe(byid("heat"));
}
