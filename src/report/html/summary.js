/* The first look: what the time of a rank is made of, before and after, and where it changes most;
 * of a single run, where most of it goes. */
const KINDS = [["computation", "compute"], ["MPI", "mpi"], ["waiting", "wait"]];
const PLACES = 5, LABEL = 40; /* call paths, letters of each */

/* T of a run and its interval: of replays if there are any, else of the run itself. */
function run_time(side) {
  const groups = report.replays ? report.replays.groups : [];
  const group = groups.length === 2 ? groups[side] : groups.length === 1 && side === 1 ? groups[0] : null;
  return group ? {time: group.median, low: group.low, high: group.high}
    : {time: store.times[side], low: null, high: null};
}

function share_bar(sums, time, longest) {
  const all = d3.sum(sums), box = element("span", {class: "shares"});
  sums.forEach((sum, k) => {
    const [name, paint] = KINDS[k], part = element("i", {class: paint, title: `${name}: ${percent_text(100 * sum / all)}`});
    part.style.width = 100 * sum / all * time / longest + "%";
    if (sum / all * time / longest > 0.09)
      part.append(percent_text(100 * sum / all, 0));
    box.append(part);
  });
  return box;
}

function draw_times() {
  const sums = report.rank_times.map((side, run) => side.map(values => d3.sum(values) / store.counts[run]));
  const times = sums.map((side, i) => {
    const known = run_time(i);
    return known.time > 0 ? known : {...known, time: d3.sum(side)};
  });
  const longest = d3.max(times, one => one.high || one.time), grid = element("div", {class: "times"});
  sums.forEach((side, i) => {
    const {time, low, high} = times[i], bar = share_bar(side, time, longest);
    if (low !== null && high > low) {
      const range = element("b", {class: "range", title: `interval of T: ${time_text(low, 5)} to ${time_text(high, 5)}`});
      range.style.left = 100 * low / longest + "%";
      range.style.width = 100 * (high - low) / longest + "%";
      bar.append(range);
    }
    grid.append(element("span", {}, sums.length === 2 ? report.names[i] : ""), bar, element("span", {class: "number"}, time_text(time)));
  });
  const legend = element("p", {class: "note"});
  KINDS.forEach(([name, paint]) => legend.append(element("span", {class: "key " + paint}), name === "MPI" ? "MPI without waiting" : name));
  legend.append(`; mean of the ${location_words()}`);
  return element("figure", {}, element("figcaption", {}, "Where the time goes"), grid, legend);
}

/* Call paths alone, by what they take; of two runs by how much that changes. */
function largest_places() {
  const time = metrics.find(metric => metric.name === "time"), two = run_count === 2;
  if (!time)
    return [];
  const mean = (i, run) => time.own[run][i] / store.counts[run], value = i => two ? mean(i, 1) - mean(i, 0) : mean(i, 0);
  const least = VISIBLE * time.total[0] / store.counts[0];
  return paths.map((path, i) => ({path: i, by: value(i)})).filter(one => Math.abs(one.by) > least)
    .sort((a, b) => Math.abs(b.by) - Math.abs(a.by)).slice(0, PLACES);
}

function draw_places() {
  const places = largest_places(), two = run_count === 2;
  if (places.length === 0)
    return [];
  const most = Math.abs(places[0].by), list = element("div", {class: "places"});
  const labels = labels_of_paths(places.map(({path}) => path));
  places.forEach(({path, by}, i) => {
    const go = element("button", {type: "button", class: "plain", title: paths[path].text}, cut_in_middle(labels[i], LABEL));
    go.addEventListener("click", () => go_to_path(path));
    list.append(element("span", {class: "number"}, (two && by > 0 ? "+" : "") + time_text(by, 3)), bar(by, most, two), go);
  });
  return [element("figure", {}, element("figcaption", {}, two ? "Where it changes most" : "Where most time goes", " ",
    element("span", {}, `call paths alone, mean of the ${location_words()}`)), list)];
}

/* Shows a call path in the panels. */
function go_to_path(path) {
  open_above(path);
  select_path(path);
  draw_paths();
  path_rows.show(path);
  byid("explore").scrollIntoView();
}

function start_summary() {
  const figures = [...(report.rank_times && store ? [draw_times()] : []), ...(store ? draw_places() : [])];
  byid("summary").append(...figures);
  byid("summary").hidden = figures.length === 0;
}
