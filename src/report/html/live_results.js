/* What the panel "What if" shows of a state. T, the time line and the efficiencies follow each movement of a slider. The profile follows
 * when no other movement waits, and at the latest after LIVE_PROFILE_MOVEMENTS. Two efficiencies and the other call paths follow when nothing
 * has changed for a moment. */
function live_saving(time) {
  const {before, ticks_per_second} = live.facts, saved = (before - time) / ticks_per_second;
  return saved === 0 ? "as before" : `${saved > 0 ? "saves" : "costs"} ${time_text(Math.abs(saved), 4)} (${percent_text(100 * Math.abs(before - time) / before, 2)} of T)`;
}

/* The state that is beside the present one: {state, time, now, shares}; as live_measure and live_shares give them. */
function live_beside() {
  return live.kept || live.packed;
}

function live_keep() {
  const {state, time, now} = live;
  if (time === null)
    return;
  live_know_spent();
  live_know_ideal();
  live.kept = {state: live_copy(state), time, now, shares: live_shares().slice()};
  draw_live();
}

function live_forget_kept() {
  live.kept = null;
  live_rescale();
  draw_live();
}

function draw_live() {
  const {state, facts, kept} = live, seconds = ticks => time_text(ticks / facts.ticks_per_second, 6);
  const time = live_compute(state), box = byid("live-result");
  live.time = time;
  delete document.documentElement.dataset.liveRest;
  box.classList.toggle("saving", time !== null && time < facts.before);
  box.classList.toggle("loss", time !== null && time > facts.before);
  byid("live-panel").classList.toggle("stale", time === null);
  box.textContent = time === null ? live.why : `T ${seconds(time)}: ${live_saving(time)}`;
  byid("live-config").textContent = live_configuration(state);
  const rows = [["unchanged", number_cell(seconds(facts.before)), ""]];
  if (facts.time !== facts.before)
    rows.push(["the changes of this report", number_cell(seconds(facts.time)), live_saving(facts.time)]);
  if (kept)
    rows.push([element("span", {}, `kept: ${live_text(kept.state)} `, live_remove("the kept state", live_forget_kept)), number_cell(seconds(kept.time)), live_saving(kept.time)]);
  rows.push([`this: ${live_text(state)}`, number_cell(time === null ? "" : seconds(time)), time === null ? "" : live_saving(time)]);
  byid("live-states").replaceChildren(table(["", number_cell("T"), "against the unchanged run"], rows));
  if (time !== null) {
    live.now = live_measure();
    draw_live_picture();
    draw_live_pop();
    live_profile_soon();
    live_rest_later();
  }
  document.documentElement.dataset.live = time;
}

/* What the engine knows after live_compute: computation and T of POP's run, ends of the lanes. `spent` and `ideal`: null, until they are
 * wanted. */
function live_measure() {
  const {engine, facts} = live, [mean, longest, time] = new Float64Array(engine.memory.buffer, engine.module_factors(), 3);
  const ends = new Float64Array(live.lanes);
  for (let rank = 0; rank < facts.ranks; rank++) {
    const lane = Math.floor(rank * live.lanes / facts.ranks);
    ends[lane] = Math.max(ends[lane], engine.module_end_of(rank));
  }
  return {spent: null, mean, longest, time, ends, ideal: null};
}

/* --- profile ---------------------------------------------------------------------------------- */

/* Milliseconds after which the browser has shown a picture; and the most movements without a profile. */
const LIVE_PROFILE_MS = 20, LIVE_PROFILE_MOVEMENTS = 3;

/* Own ticks of call paths, of the state that the engine has computed last; before module_ideal. */
function live_know_spent() {
  live.now.spent = live.now.spent || live_profile();
}

function live_profile_changes() {
  live_know_spent();
  const {facts, now} = live, {spent} = live_beside().now, per_rank = ticks => ticks / facts.ticks_per_second / facts.ranks;
  return now.spent.map((ticks, path) => ({path, before: per_rank(spent[path]), by: per_rank(ticks - spent[path]), after: per_rank(ticks)}))
    .filter(one => one.before > 0 || one.after > 0).sort((a, b) => Math.abs(b.by) - Math.abs(a.by) || b.after - a.after);
}

/* A call path that computes is a button, which adds its region. */
function live_path_cell(path) {
  const {facts, labels, regions} = live, text = cut_in_middle(labels[path], LABEL), name = facts.regions[facts.paths[path][0]];
  if (!regions.has(name) || facts.paths[path][2])
    return [{class: "name", title: labels[path]}, text];
  const button = element("button", {type: "button", class: "plain", "aria-label": `Add ${name}: ${labels[path]}`}, text);
  button.addEventListener("click", () => live_add({kind: "region", name, value: 1}));
  return [{class: "name", title: labels[path]}, button];
}

function live_profile_table(changes, most) {
  return table([`call paths alone, mean of the ${has_threads() ? "main threads" : "ranks"}`, number_cell("time"), number_cell(live.kept ? "change against kept" : "change by the panel"), ""], changes.map(({path, by, after}) =>
    [live_path_cell(path), number_cell(time_text(after, 3)), number_cell(by === 0 ? "" : (by > 0 ? "+" : "") + time_text(by, 3)), by === 0 ? "" : bar(by, most, true)]));
}

/* The call paths whose own time changes most, against the state beside. */
function draw_live_profile() {
  live.unprofiled = 0;
  const changes = live_profile_changes().slice(0, PLACES);
  byid("live-profile").replaceChildren(live_profile_table(changes, Math.abs(changes[0] ? changes[0].by : 0)));
}

function live_profile_soon() {
  live.unprofiled++;
  if (live.unprofiled < LIVE_PROFILE_MOVEMENTS)
    clearTimeout(live.profile_timer);
  live.profile_timer = setTimeout(() => {
    if (live.time !== null && live.unprofiled > 0 && (!live.waiting || live.unprofiled >= LIVE_PROFILE_MOVEMENTS))
      draw_live_profile();
  }, LIVE_PROFILE_MS);
}

/* The other call paths, if they are wanted. */
function draw_live_rest() {
  const changes = live_profile_changes(), rest = byid("live-rest");
  rest.hidden = changes.length <= PLACES;
  rest.querySelector("summary").textContent = `${changes.length - PLACES} more call paths`;
  byid("live-all").replaceChildren(...(rest.open ? [live_profile_table(changes.slice(PLACES), Math.abs(changes[0].by))] : []));
}

/* --- efficiencies ----------------------------------------------------------------------------- */

function live_factors({mean, longest, time, ideal}) {
  const known = ideal !== null && ideal > 0;
  return {parallel: time > 0 ? mean / time : null, load_balance: longest > 0 ? mean / longest : null, communication: time > 0 ? longest / time : null,
          serialisation: known ? longest / ideal : null, transfer: known && time > 0 ? ideal / time : null};
}

/* Serialisation and transfer need T on an ideal network, which takes as long as T itself. */
function draw_live_pop() {
  const columns = [["without the panel", live.packed.now], ...(live.kept ? [["kept", live.kept.now]] : []), ["this", live.now]].map(([name, now]) => [name, live_factors(now), live.has_ideal && now.ideal === null]);
  const [[, after]] = columns.slice(-1);
  const rows = FACTORS.filter(([key]) => live.has_ideal || (key !== "serialisation" && key !== "transfer"))
    .map(([key, name, depth, meaning]) => live.hybrid && key === "parallel" ? [key, HYBRID[0][1], depth, HYBRID[0][3]] : [key, name, depth, meaning]).map(([key, name, depth, meaning]) =>
    table_row([[{class: `factor-${depth}`}, (depth === 0 ? "" : "\u00d7 ") + name],
      ...columns.map(([, factors, follows]) => [{class: judged(factors[key])}, follows && factors[key] === null ? "\u2026" : share_text(factors[key])]), share_cell(after[key])], {title: meaning}));
  byid("live-pop").replaceChildren(table(["POP's efficiencies", ...columns.map(([name]) => number_cell(name)), ""], rows),
    ...(live.has_ideal ? [] : [element("p", {class: "note"}, `Serialisation and transfer are not known here: ${live_why_not_ideal()}`)]));
}

function live_why_not_ideal() {
  const why = report.pop && report.pop.after ? report.pop.after.why : null;
  return why || "the model of this page gives another T on an ideal network than silas-pop.";
}

/* What silas-pop says of the packed run. */
function live_read_pop() {
  const [whole] = report.pop && report.pop.after ? pop_rows(report.pop.after, "run") : [];
  live.hybrid = whole !== undefined && whole.factors.threads !== null;
  live.pop_ideal = whole && whole.factors.ideal_s ? whole.factors.ideal_s * live.facts.ticks_per_second : null;
  live.has_ideal = live.pop_ideal !== null;
}

/* T on an ideal network, of the state that the engine has computed last. The engine forgets that state. */
function live_ideal() {
  live.evaluated = null;
  return live.engine.module_ideal();
}

/* The ideal run of the page is the one of silas-pop, or it is not shown. */
function live_check_ideal() {
  live_compute(live.packed.state);
  const ideal = live_ideal();
  live.has_ideal = Math.abs(ideal - live.pop_ideal) <= 1;
  live.packed.now.ideal = live.has_ideal ? ideal : null;
  live_compute(live.state);
}

function live_know_ideal() {
  const {now, packed} = live;
  if (live.has_ideal && packed.now.ideal === null)
    live_check_ideal();
  if (live.has_ideal && now.ideal === null)
    now.ideal = live_ideal();
}

/* --- time line -------------------------------------------------------------------------------- */

const LIVE_LANES = 64, LIVE_COLUMNS = 600;

/* Of each column of each lane, of the first `live.axis` ticks: MPI, waiting, and what is before or after all events (struct live_shares). */
function live_shares() {
  return new Float32Array(live.engine.memory.buffer, live.picture, 3 * live.lanes * LIVE_COLUMNS);
}

function live_picture(axis) {
  live.axis = axis;
  live.evaluated = null;
  live.picture = live.engine.module_picture(live.lanes, LIVE_COLUMNS, axis);
}

/* How many ranks a lane has. */
function live_lane_ranks(lane) {
  return live_lane_rank(lane + 1) - live_lane_rank(lane);
}

/* A colour for parts of a column's time, as opaque as events cover the column. */
function live_pixel(mpi, wait, absent, ranks, paints) {
  const covered = ranks - absent, rest = Math.max(0, covered - mpi - wait);
  if (covered < 1e-3 * ranks)
    return 0;
  let pixel = Math.round(255 * Math.min(1, covered / ranks)) << 24;
  for (let part = 0; part < 3; part++)
    pixel |= Math.min(255, Math.round((paints[0][part] * rest + paints[1][part] * mpi + paints[2][part] * wait) / covered)) << 8 * part;
  return pixel >>> 0;
}

/* Draws the lanes of one state from line `top` on. */
function draw_live_lanes(image, top, shares, paints) {
  const data = new Uint32Array(image.data.buffer);
  for (let lane = 0; lane < live.lanes; lane++) {
    const ranks = live_lane_ranks(lane);
    for (let at = lane * LIVE_COLUMNS; at < (lane + 1) * LIVE_COLUMNS; at++)
      data[top * LIVE_COLUMNS + at] = live_pixel(shares[3 * at], shares[3 * at + 1], shares[3 * at + 2], ranks, paints);
  }
}

function live_paint(name) {
  const {r, g, b} = d3.rgb(color(name));
  return [r, g, b];
}

/* Both states as pixels. The state beside is drawn again only if it is another one, or in other colours. */
function live_image() {
  const {lanes} = live, {shares} = live_beside(), paints = ["compute", "mpi", "wait"].map(live_paint), colours = paints.join();
  if (!live.image || live.image.shares !== shares || live.image.colours !== colours) {
    live.image = {shares, colours, pixels: new ImageData(LIVE_COLUMNS, 2 * lanes)};
    draw_live_lanes(live.image.pixels, 0, shares, paints);
  }
  draw_live_lanes(live.image.pixels, lanes, live_shares(), paints);
  return live.image.pixels;
}

function draw_live_picture() {
  const canvas = byid("live-time"), {lanes} = live, gap = 6, height = Math.max(2, Math.min(10, Math.floor(110 / lanes))), image = live_image();
  const small = live.small = live.small || document.createElement("canvas");
  small.width = LIVE_COLUMNS;
  small.height = 2 * lanes;
  small.getContext("2d").putImageData(image, 0, 0);
  canvas.width = LIVE_COLUMNS;
  canvas.height = 2 * lanes * height + gap;
  const context = canvas.getContext("2d");
  context.imageSmoothingEnabled = false;
  context.drawImage(small, 0, 0, LIVE_COLUMNS, lanes, 0, 0, LIVE_COLUMNS, lanes * height);
  context.drawImage(small, 0, lanes, LIVE_COLUMNS, lanes, 0, lanes * height + gap, LIVE_COLUMNS, lanes * height);
  if (live.lane >= 0) {
    context.strokeStyle = color("text");
    context.strokeRect(0.5, lanes * height + gap + live.lane * height + 0.5, LIVE_COLUMNS - 1, height - 1);
  }
  byid("live-above").textContent = live.kept ? `kept (${live_text(live.kept.state)})` : "without the panel";
  byid("live-axis").textContent = `0 to ${time_text(live.axis / live.facts.ticks_per_second, 4)}`;
}

function live_lane_rank(lane) {
  return Math.ceil(lane * live.facts.ranks / live.lanes);
}

/* The lane below the pointer, in either half. */
function live_lane_at(event) {
  const box = byid("live-time").getBoundingClientRect(), half = (event.clientY - box.top) / box.height * 2 % 1;
  return Math.max(0, Math.min(live.lanes - 1, Math.floor(half * live.lanes)));
}

/* Parts of a lane's time, from the first event of each of its ranks to the last: {mpi, waiting}. */
function live_lane_parts(lane) {
  const shares = live_shares(), sums = [0, 0, 0];
  for (let at = 3 * lane * LIVE_COLUMNS; at < 3 * (lane + 1) * LIVE_COLUMNS; at++)
    sums[at % 3] += shares[at];
  const [mpi, waiting, absent] = sums, covered = live_lane_ranks(lane) * LIVE_COLUMNS - absent;
  return {mpi: mpi / covered, waiting: waiting / covered};
}

function live_say_lane(lane) {
  const rank = live_lane_rank(lane), {mpi, waiting} = live_lane_parts(lane), {facts, now} = live, part = share => percent_text(100 * share);
  return `rank ${rank}${live.lanes < facts.ranks ? " and its neighbours" : ""}: ends after ${time_text(now.ends[lane] / facts.ticks_per_second, 4)}; ${part(mpi)} in MPI calls without waiting, ${part(waiting)} waiting in them. Enter or a click adds its speed.`;
}

function live_mark_lane(lane) {
  live.lane = Math.max(0, Math.min(live.lanes - 1, lane));
  draw_live_picture();
  byid("live-lane").textContent = live_say_lane(live.lane);
}

function listen_live_picture() {
  const canvas = byid("live-time"), add = () => live_add({kind: "rank", rank: live_lane_rank(live.lane), value: 1});
  const steps = {ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -LIVE_LANES, End: LIVE_LANES};
  canvas.addEventListener("keydown", event => {
    if (event.key === "Enter" && live.lane >= 0)
      add();
    else if (steps[event.key])
      live_mark_lane(live.lane < 0 && steps[event.key] === 1 ? 0 : live.lane + steps[event.key]);
    else
      return;
    event.preventDefault();
  });
  canvas.addEventListener("click", event => {
    live_mark_lane(live_lane_at(event));
    add();
  });
  canvas.addEventListener("mousemove", event => show_tip(live_say_lane(live_lane_at(event)), event));
  canvas.addEventListener("mouseleave", event => show_tip("", event));
}

/* --- when nothing has changed for a moment ------------------------------------------------------ */

const LIVE_PAUSE_MS = 120;

/* The axis is that of the page, or longer if T is. */
function live_rescale() {
  const {facts, state, kept} = live, wanted = Math.max(facts.before, facts.time, kept ? kept.time : 0, live.time || 0, 1);
  if (wanted === live.axis)
    return;
  live_picture(wanted);
  for (const beside of [live.packed, ...(kept ? [kept] : [])]) {
    live_compute(beside.state);
    beside.shares = live_shares().slice();
  }
  live_compute(state);
  draw_live_picture();
}

function live_rest() {
  if (live.time === null)
    return;
  if (live.unprofiled > 0)
    draw_live_profile();
  live_rescale();
  if (live.has_ideal && (live.now.ideal === null || live.packed.now.ideal === null)) {
    live_know_ideal();
    draw_live_pop();
  }
  draw_live_rest();
  document.documentElement.dataset.liveRest = live.time;
}

function live_rest_later() {
  clearTimeout(live.pause);
  live.pause = setTimeout(live_rest, LIVE_PAUSE_MS);
}

/* --- start ------------------------------------------------------------------------------------ */

const LIVE_DAMAGED = "its data are damaged";

function live_refuse(why) {
  byid("live-why").textContent = `This page does not compute what-ifs: ${why}. silas-model does, with a configuration.`;
  byid("live-why").hidden = false;
}

/* The packed run, with which states are compared. */
function live_begin() {
  live.now = live_measure();
  live_know_spent();
  live.packed = {state: LIVE_UNCHANGED(), time: live.facts.time, now: live.now, shares: live_shares().slice()};
  live.lane = -1;
  live_read_pop();
  byid("live-time-key").append(...key_of("compute", "computation "), ...key_of("mpi", "MPI "), ...key_of("wait", "waiting in MPI; "));
  byid("live-rest").addEventListener("toggle", draw_live_rest);
  listen_live_picture();
}

function live_data(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    return {why: LIVE_DAMAGED};
  }
}

async function start_live() {
  const script = byid("live-data");
  if (!script)
    return;
  byid("live").hidden = false;
  const data = live_data(script.textContent), module = byid("live-module").textContent;
  script.remove();
  if (data.why)
    return live_refuse(data.why);
  if (typeof WebAssembly === "undefined" || !has_ranks)
    return live_refuse("the browser is too old, it does not run WebAssembly");
  try {
    live.engine = await live_open(module, data.program);
  } catch (error) {
    return live_refuse(error instanceof WebAssembly.CompileError || error instanceof EvalError ? "the browser does not run its program" : LIVE_DAMAGED);
  }
  if (!live.engine)
    return live_refuse(`${LIVE_DAMAGED}, or the browser has not enough memory`);
  live.facts = data.facts;
  live.regions = live_regions(data.facts);
  live.state = LIVE_UNCHANGED();
  live.lanes = Math.min(LIVE_LANES, data.facts.ranks);
  live_picture(Math.max(data.facts.before, data.facts.time, 1));
  if (live_compute(live.state) !== data.facts.time)
    return live_refuse("the browser computes another T than silas-model; please report this");
  live.labels = live_labels(live.facts);
  live_begin();
  const linked = /^#what-if=/.test(location.hash) ? live_of_fragment(location.hash) : null;
  if (/^#what-if=/.test(location.hash) && !linked)
    byid("live-note").textContent = "The link names regions or ranks that this page does not have, or values out of range.";
  live.state = linked || live.state;
  live_listen();
  live_follow_selection();
  byid("live-panel").hidden = false;
  draw_controls();
  draw_live();
}
