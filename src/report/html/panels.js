/* The linked panels: the selected metric's values fill the call paths, the selected call path's
 * values fill the ranks (ranks.js). */
const state = {
  view: "after", unit: "mean", inclusive: true, whole: true, shape: "tree", sort: "value",
  metric: 0, path: 0, rank: -1, tab: "list", rank_sort: "order", search: "",
};
const open_metrics = new Set(), open_paths = new Set();
let metric_rows, path_rows;
const told_of_selection = []; /* functions that want to know: the time lines */

function is_difference() {
  return state.view === "difference";
}

/* The index of the shown run; of a difference, the one that percentages refer to. */
function shown_run() {
  return run_count === 1 || state.view !== "after" ? 0 : 1;
}

/* What is shown of a sum over the ranks of a run. Two runs may have different numbers of them. The critical
 * path is on one rank at a time: its length is the sum, of which a mean would say nothing. */
function of_run(sum, number, run) {
  const has_mean = metrics[number].merge === "sum" && metrics[number].name !== "critical_path";
  return state.unit === "mean" && has_mean ? sum / store.counts[run] : sum;
}

/* A shown value, or difference of two, in the unit that the user has chosen. */
function in_unit(value, number) {
  return state.unit === "percent" ? 100 * value / Math.abs(metrics[root_of(number)].total[shown_run()]) : value;
}

function unit_of(number) {
  return state.unit === "percent" ? "percent" : metrics[number].unit;
}

/* What is shown of a metric's sum, a function of the run. */
function shown(number, sum) {
  const value = run => of_run(sum(run), number, run);
  return run_count === 2 && is_difference() ? difference_of(value(0), value(1)) : value(shown_run());
}

/* The same of all call paths, for the selected metric. */
function shown_paths() {
  const values = run => path_values(state.metric, run, state.inclusive, state.whole).map(sum => of_run(sum, state.metric, run));
  if (run_count === 1 || !is_difference())
    return values(shown_run());
  const after = values(1), before = values(0);
  return after.map((value, i) => value - before[i]);
}

/* --- metrics ---------------------------------------------------------------------------------- */

function list_metrics() {
  const items = [], search = state.search.toLowerCase(), scales = metric_scales();
  const matches = number => search !== "" && (metrics[number].title + " " + metrics[number].name).toLowerCase().includes(search);
  const holds = number => matches(number) || metrics[number].children.some(holds);
  const roots = metrics.filter(metric => metric.parent < 0);
  const some = search !== "" && roots.some(metric => holds(metric.number));
  function visit(number, depth) {
    const metric = metrics[number], open = open_metrics.has(number) || (some && metric.children.some(holds));
    const value = shown(number, run => metric_value(number, run, state.whole));
    items.push({key: number, depth, branch: metric.children.length > 0, open, name: metric.title, match: matches(number),
                value: in_unit(value, number), unit: unit_of(number), most: scales.get(scale_key(number))});
    if (open)
      metric.children.forEach(child => visit(child, depth + 1));
  }
  roots.forEach(metric => visit(metric.number, 0));
  return items;
}

/* Bars compare a metric with all others of its unit, percentages with their tree: full at this. */
function metric_scales() {
  const most = new Map();
  for (const {number} of metrics) {
    const key = scale_key(number), size = Math.abs(in_unit(shown(number, run => metrics[number].total[run]), number));
    most.set(key, Math.max(most.get(key) || 0, size));
  }
  return most;
}

function scale_key(number) {
  return state.unit === "percent" ? root_of(number) : metrics[number].unit;
}

function fill_row(row, item) {
  const value = element("span", {class: item.value === 0 ? "value zero" : "value"}, value_text(item.value, item.unit, is_difference()));
  const fold = element("span", {class: "fold"}, item.branch ? (item.open ? "\u25be" : "\u25b8") : "");
  const name = element("span", {class: "name" + (item.match ? " match" : "") + (item.mpi ? " mpi" : "")}, item.name);
  fold.style.marginLeft = 14 * Math.min(item.depth || 0, 24) + "px";
  row.title = item.title || item.name;
  row.append(value, bar(item.value, item.most, is_difference()), fold, name);
}

function draw_metrics() {
  metric_rows.set(list_metrics());
  metric_rows.mark(state.metric);
  describe_metric();
}

function describe_metric() {
  const {title, description, name} = metrics[state.metric];
  byid("metric-text").textContent = `${title}${description ? ": " + description : ""} (${name})`;
}

/* --- call paths ------------------------------------------------------------------------------- */

function ordered(children, values) {
  if (state.sort === "order")
    return children;
  const by_name = (a, b) => paths[a].name < paths[b].name ? -1 : paths[a].name > paths[b].name ? 1 : a - b;
  return [...children].sort(state.sort === "name" ? by_name
    : (a, b) => Math.abs(values[b]) - Math.abs(values[a]) || a - b);
}

/* Call paths with values of any metric, in any run, or above such paths: others are not shown. */
function is_used(path) {
  return metrics.some(metric => metric.inclusive.some(values => values[path] !== 0));
}

function matching_paths() {
  const search = state.search.toLowerCase(), found = new Set();
  if (search !== "")
    paths.forEach((path, i) => {
      if ((search.includes("/") ? path.text : path.name).toLowerCase().includes(search) && is_used(i))
        found.add(i);
    });
  return found;
}

function path_item(i, values, most, depth, branch, open, match, name) {
  return {key: i, depth, branch, open, match, mpi: paths[i].mpi, name, title: paths[i].text,
          value: in_unit(values[i], state.metric), unit: unit_of(state.metric), most};
}

function list_paths() {
  const values = shown_paths(), found = matching_paths(), items = [];
  const most = Math.abs(in_unit(values.reduce((high, value) => Math.max(high, Math.abs(value)), 0), state.metric));
  if (state.shape === "list") {
    const chosen = found.size > 0 ? [...found] : paths.map((path, i) => i).filter(i => values[i] !== 0 || i === state.path);
    for (const i of ordered(chosen, values))
      items.push(path_item(i, values, most, 0, false, false, found.has(i), paths[i].text));
    return items;
  }
  const above = new Set();
  for (const i of found)
    for (let at = paths[i].parent; at >= 0; at = paths[at].parent)
      above.add(at);
  function visit(i, depth) {
    const children = paths[i].children.filter(is_used), branch = children.length > 0, open = open_paths.has(i) || above.has(i);
    items.push(path_item(i, values, most, depth, branch, branch && open, found.has(i), paths[i].name));
    if (branch && open)
      ordered(children, values).forEach(child => visit(child, depth + 1));
  }
  ordered(paths.map((path, i) => i).filter(i => paths[i].parent < 0 && is_used(i)), values).forEach(i => visit(i, 0));
  return items;
}

function draw_paths() {
  path_rows.set(list_paths());
  path_rows.mark(state.path);
  byid("path-text").textContent = paths[state.path].text;
}

/* --- selection -------------------------------------------------------------------------------- */

function select_metric(number) {
  state.metric = number;
  metric_rows.mark(number);
  describe_metric();
  draw_paths();
  draw_ranks();
}

function select_path(path) {
  state.path = path;
  path_rows.mark(path);
  byid("path-text").textContent = paths[path].text;
  draw_ranks();
  told_of_selection.forEach(tell => tell());
}

function open_above(path) {
  for (let at = paths[path].parent; at >= 0; at = paths[at].parent)
    open_paths.add(at);
}

/* From outside of the panels: a call path's text and a rank, which may be unknown. */
function select_from_outside(text, rank) {
  const path = path_of_text.get(text);
  if (path !== undefined) {
    open_above(path);
    state.path = path;
    draw_paths();
    path_rows.show(path);
  }
  const location = locations.findIndex(one => one.rank === rank);
  if (location >= 0)
    state.rank = location;
  draw_ranks();
  if (live.engine)
    live_follow_selection();
}

function fold_branch(set, children_of, redraw) {
  return (item, open, all) => {
    const change = key => {
      if (open)
        set.add(key);
      else
        set.delete(key);
      if (all)
        children_of(key).forEach(change);
    };
    change(item.key);
    redraw();
  };
}

/* The branches along the largest values are open at first. */
function open_largest(values) {
  let at = 0;
  paths.forEach((path, i) => { if (path.parent < 0 && Math.abs(values[i]) > Math.abs(values[at])) at = i; });
  while (paths[at].children.length > 0) {
    open_paths.add(at);
    at = paths[at].children.reduce((best, i) => Math.abs(values[i]) > Math.abs(values[best]) ? i : best);
  }
}

/* --- switches --------------------------------------------------------------------------------- */

function draw_all() {
  for (const button of byid("view").children)
    button.setAttribute("aria-pressed", button.dataset.value === state.view);
  byid("unit").value = state.unit;
  byid("depth").value = state.inclusive ? "inclusive" : "exclusive";
  byid("parts").value = state.whole ? "inclusive" : "exclusive";
  byid("shape").value = state.shape;
  byid("sort").value = state.sort;
  byid("rank-sort").value = state.rank_sort;
  draw_metrics();
  draw_paths();
  draw_ranks();
}

function change(name, value) {
  state[name] = value;
  draw_all();
}

/* The next of a select's options, for keys. */
function next_of(id) {
  const box = byid(id);
  box.selectedIndex = (box.selectedIndex + 1) % box.options.length;
  box.dispatchEvent(new Event("change"));
}

/* Searches as the user types: "rank 12", or a part of a name. */
function search_for(text) {
  const rank = /^\s*(?:rank\s*)(\d+)\s*$/i.exec(text);
  state.search = rank ? "" : text.trim();
  const found = matching_paths();
  byid("found").textContent = state.search === "" ? "" : `${found.size} call path${found.size === 1 ? "" : "s"}`;
  if (rank) {
    const at = locations.findIndex(one => one.rank === Number(rank[1]));
    byid("found").textContent = at < 0 ? "no such rank" : "";
    if (at >= 0)
      select_rank(at);
  }
  draw_metrics();
  draw_paths();
  if (found.size > 0) {
    const first = path_rows.items.find(item => item.match);
    path_rows.show(state.path = found.has(state.path) ? state.path : first.key);
    select_path(state.path);
  }
}

function search_next() {
  const matches = path_rows.items.filter(item => item.match);
  if (matches.length === 0)
    return;
  const at = matches.findIndex(item => item.key === state.path);
  select_path(matches[(at + 1) % matches.length].key);
  path_rows.show(state.path);
}

function start_panels() {
  metric_rows = new Rows(byid("metrics"), {fill: fill_row, choose: item => select_metric(item.key),
    fold: fold_branch(open_metrics, key => metrics[key].children, draw_metrics)});
  path_rows = new Rows(byid("paths"), {fill: fill_row, choose: item => select_path(item.key),
    fold: fold_branch(open_paths, key => paths[key].children, draw_paths)});
  byid("view").hidden = run_count === 1;
  byid("view").addEventListener("click", event => event.target.dataset.value && change("view", event.target.dataset.value));
  byid("unit").addEventListener("change", event => change("unit", event.target.value));
  byid("depth").addEventListener("change", event => change("inclusive", event.target.value === "inclusive"));
  byid("parts").addEventListener("change", event => change("whole", event.target.value === "inclusive"));
  byid("shape").addEventListener("change", event => change("shape", event.target.value));
  byid("sort").addEventListener("change", event => change("sort", event.target.value));
  byid("rank-sort").addEventListener("change", event => change("rank_sort", event.target.value));
  byid("search").addEventListener("input", event => search_for(event.target.value));
  byid("search").addEventListener("keydown", event => {
    if (event.key === "Enter")
      search_next();
    else if (event.key === "Escape") {
      event.target.value = "";
      search_for("");
      byid("paths").focus();
    }
  });
  for (const kind of ["mean", "sum"])
    byid("unit").querySelector(`[value=${kind}]`).textContent = `${kind} of the ${location_words()}`;
  const time = metrics.findIndex(metric => metric.name === "time");
  state.metric = Math.max(0, time);
  state.view = run_count === 2 ? "difference" : "after";
  open_metrics.add(state.metric);
  open_largest(shown_paths());
  state.path = path_rows_first();
}

/* The root with the largest value. */
function path_rows_first() {
  const values = metrics[state.metric].inclusive[run_count - 1];
  return paths.reduce((best, path, i) => path.parent < 0 && Math.abs(values[i]) > Math.abs(values[best]) ? i : best, 0);
}
