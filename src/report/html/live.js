/* The panel "What if": the user changes the program, and the model computes T while the user drags. The model
 * is the one of silas-model, as a WebAssembly module (src/live/); it computes in whole ticks. */
const live = {engine: null, network: null, facts: null, regions: new Map(), state: null, undo: [], kept: null, rows: [], time: 0, waiting: false};
const LIVE_UNCHANGED = () => ({changes: [], latency: 1, bandwidth: 1});
/* What can be changed: limits are those of the configuration (doc/config.md). */
const LIVE_KINDS = {
  region: {key: "factor", unit: "\u00d7 its time", least: 0, most: 1e6, name: change => change.name},
  rank: {key: "speed", unit: "\u00d7 as fast", least: 1e-6, most: 1e6, log: true, name: change => `rank ${change.rank}`},
  latency: {key: "factor", least: 0, most: 1e9, log: true, name: () => "latency"},
  bandwidth: {key: "factor", least: 1e-9, most: 1e9, log: true, name: () => "bandwidth"},
};

/* --- the module ------------------------------------------------------------------------------- */

async function live_open(module_text, program_text) {
  const module = await WebAssembly.compile(bytes_of_text(module_text)), imports = {};
  for (const {module: from, name} of WebAssembly.Module.imports(module)) /* of the C library; never called */
    (imports[from] = imports[from] || {})[name] = () => 0;
  const engine = (await WebAssembly.instantiate(module, imports)).exports;
  const packed = new Uint8Array(await unpack_bytes(bytes_of_text(program_text)));
  const at = engine.module_allocate(packed.length);
  if (at === 0)
    return null;
  new Uint8Array(engine.memory.buffer, at, packed.length).set(packed);
  return engine.module_open(at, packed.length) ? engine : null;
}

/* T in ticks; null: a rank would run longer than its clock can count. */
function live_compute(state) {
  const {engine, facts, regions} = live;
  engine.module_restart();
  for (const change of state.changes) {
    let done = 1;
    if (change.kind === "rank") {
      done = engine.module_speed(change.rank, change.value);
    } else {
      const chosen = new Uint8Array(engine.memory.buffer, engine.module_chosen(), facts.paths.length);
      chosen.fill(0);
      for (const path of regions.get(change.name))
        chosen[path] = 1;
      done = engine.module_scale(change.value);
    }
    if (!done)
      return null;
  }
  const network = `${state.latency} ${state.bandwidth}`;
  if (live.network !== network) /* takes as long as the equations */
    engine.module_network(state.latency, state.bandwidth, -1, -1);
  live.network = network;
  const time = engine.module_time();
  return time < 0 ? null : time;
}

/* Ticks of all ranks in each call path itself, in the state computed last. */
function live_profile() {
  return live.facts.paths.map((path, i) => live.engine.module_spent(i));
}

/* --- states ----------------------------------------------------------------------------------- */

/* Regions that compute, by name. Names that a configuration would read as patterns are left out. */
function live_regions(facts) {
  const regions = new Map();
  facts.paths.forEach(([region, , fixed], i) => {
    const name = facts.regions[region];
    if (fixed || /[*?[\n\r]|(^|\s)\\*;|^\s|\s$|^$/.test(name))
      return;
    if (!regions.has(name))
      regions.set(name, []);
    regions.get(name).push(i);
  });
  return regions;
}

function live_sections(state) {
  const lines = [];
  state.changes.forEach((change, i) => lines.push("", ...(change.kind === "rank"
    ? [`[cpu what-if ${i + 1}]`, `rank = ${change.rank}`, `speed = ${change.value}`]
    : [`[scale what-if ${i + 1}]`, `region = ${change.name}`, `factor = ${change.value}`])));
  const network = ["latency", "bandwidth"].filter(key => state[key] !== 1);
  if (network.length > 0)
    lines.push("", "[network what-if]", ...network.map(key => `${key} = ${state[key]}`));
  return lines;
}

function live_configuration(state) {
  return live.facts.config.trimEnd() + "\n" + live_sections(state).join("\n") + "\n";
}

function live_fragment(state) {
  const list = state.changes.map(change => change.kind === "rank" ? ["rank", change.rank, change.value] : ["region", change.name, change.value]);
  for (const key of ["latency", "bandwidth"])
    if (state[key] !== 1)
      list.push([key, state[key]]);
  return list.length === 0 ? "" : "#what-if=" + encodeURIComponent(JSON.stringify(list));
}

function live_valid(kind, value) {
  const {least, most} = LIVE_KINDS[kind];
  return typeof value === "number" && value >= least && value <= most && !(kind === "latency" && value > 0 && value < 1e-4);
}

/* The state of a link; null if this page does not know something in it. */
function live_of_fragment(hash) {
  const state = LIVE_UNCHANGED();
  try {
    for (const [kind, what, value] of JSON.parse(decodeURIComponent(hash.replace(/^#what-if=/, "")))) {
      if (kind === "region" && live.regions.has(what) && live_valid(kind, value))
        state.changes.push({kind, name: what, value});
      else if (kind === "rank" && Number.isInteger(what) && what >= 0 && what < live.facts.ranks && live_valid(kind, value))
        state.changes.push({kind, rank: what, value});
      else if ((kind === "latency" || kind === "bandwidth") && live_valid(kind, what))
        state[kind] = what;
      else
        return null;
    }
  } catch (error) {
    return null;
  }
  return state;
}

function live_text(state) {
  const parts = state.changes.map(change => `${LIVE_KINDS[change.kind].name(change)} \u00d7 ${change.value}`);
  for (const key of ["latency", "bandwidth"])
    if (state[key] !== 1)
      parts.push(`${key} \u00d7 ${state[key]}`);
  return parts.join(", ") || "no change";
}

/* --- the controls ----------------------------------------------------------------------------- */

/* A slider has the factor itself, or its logarithm. */
const LIVE_OCTAVES = 5;

function live_unit(kind, value) {
  const network = live.facts.network;
  if (kind === "latency")
    return network.latency_s > 0 ? "\u00d7 = " + time_text(network.latency_s * network.latency_factor * value, 3) : "\u00d7 (not in the recording)";
  if (kind === "bandwidth")
    return network.per_byte_s > 0 ? "\u00d7 = " + bytes_text(network.bandwidth_factor * value / network.per_byte_s) + "/s" : "\u00d7 (not in the recording)";
  return LIVE_KINDS[kind].unit;
}

function live_row(kind, name, get, set, remove) {
  const {log, least, most} = LIVE_KINDS[kind];
  const label = `${kind === "region" ? "Time of " : kind === "rank" ? "Speed of " : ""}${name}`;
  const slider = element("input", {type: "range", "aria-label": label, ...(log ? {min: -LIVE_OCTAVES, max: LIVE_OCTAVES, step: 0.1} : {min: 0, max: 2, step: 0.01})});
  const field = element("input", {type: "number", "aria-label": label + ", factor", min: least, max: most, step: "any"});
  const unit = element("span", {class: "unit"});
  const show = moved => {
    const value = get();
    if (moved !== slider)
      slider.value = log ? Math.log2(value || 2 ** -LIVE_OCTAVES) : value;
    if (moved !== field)
      field.value = value;
    unit.textContent = live_unit(kind, value);
    slider.setAttribute("aria-valuetext", `${value} ${unit.textContent}`);
  };
  let begun = false; /* one step back undoes a whole drag */
  const take = (value, moved) => {
    if (!live_valid(kind, value))
      return field.setAttribute("aria-invalid", "true");
    field.removeAttribute("aria-invalid");
    if (!begun)
      live_remember();
    begun = true;
    set(value);
    show(moved);
    live_changed();
  };
  slider.addEventListener("input", () => take(log ? Number((2 ** slider.value).toPrecision(3)) : Number(slider.value), slider));
  field.addEventListener("input", () => field.value !== "" && take(Number(field.value), field));
  for (const control of [slider, field])
    control.addEventListener("change", () => {
      begun = false;
      show(null);
      live_link();
    });
  const close = remove ? element("button", {type: "button", "aria-label": `Remove ${name}`, title: "remove"}, "\u00d7") : element("span");
  if (remove)
    close.addEventListener("click", remove);
  show(null);
  return [element("span", {class: "name", title: name}, name), slider, field, unit, close];
}

function draw_controls() {
  const {state} = live, rows = [];
  state.changes.forEach((change, i) => rows.push(...live_row(change.kind, LIVE_KINDS[change.kind].name(change), () => change.value, value => { change.value = value; }, () => {
    live_remember();
    state.changes.splice(i, 1);
    live_show();
    byid("live-search").focus();
  })));
  for (const kind of ["latency", "bandwidth"])
    rows.push(...live_row(kind, kind, () => state[kind], value => { state[kind] = value; }, null));
  byid("live-changes").replaceChildren(...rows);
}

function live_copy(state) {
  return {...state, changes: state.changes.map(change => ({...change}))};
}

function live_remember() {
  live.undo.push(live_copy(live.state));
  byid("live-undo").disabled = false;
}

function live_link() {
  history.replaceState(null, "", live_fragment(live.state) || location.pathname + location.search);
}

/* Computes before the next picture. Of several changes until then the last one counts. */
function live_changed() {
  if (!live.waiting)
    requestAnimationFrame(() => {
      live.waiting = false;
      draw_live();
    });
  live.waiting = true;
}

function live_show() {
  draw_controls();
  draw_live();
  live_link();
}

/* --- the results ------------------------------------------------------------------------------ */

function live_saving(time) {
  const {before, ticks_per_second} = live.facts, saved = (before - time) / ticks_per_second;
  return saved === 0 ? "as before" : `${saved > 0 ? "saves" : "costs"} ${time_text(Math.abs(saved), 4)} (${percent_text(100 * Math.abs(before - time) / before, 2)} of T)`;
}

function draw_live() {
  const {state, facts, kept} = live, seconds = ticks => time_text(ticks / facts.ticks_per_second, 6);
  const time = live_compute(state), box = byid("live-result");
  live.time = time;
  box.classList.toggle("saving", time !== null && time < facts.before);
  box.classList.toggle("loss", time !== null && time > facts.before);
  box.textContent = time === null ? "A rank would run longer than its clock can count." : `T ${seconds(time)}: ${live_saving(time)}`;
  byid("live-config").textContent = live_configuration(state);
  const rows = [["unchanged", number_cell(seconds(facts.before)), ""]];
  if (facts.time !== facts.before)
    rows.push(["the changes of this report", number_cell(seconds(facts.time)), live_saving(facts.time)]);
  if (kept)
    rows.push([`kept: ${live_text(kept.state)}`, number_cell(seconds(kept.time)), live_saving(kept.time)]);
  rows.push([`this: ${live_text(state)}`, number_cell(time === null ? "" : seconds(time)), time === null ? "" : live_saving(time)]);
  byid("live-states").replaceChildren(table(["", number_cell("T"), "against the unchanged run"], rows));
  if (time !== null)
    draw_live_profile();
  document.documentElement.dataset.live = time;
}

/* The call paths whose own time changes most, against the packed run. */
function draw_live_profile() {
  const {facts, profile, labels} = live, per_rank = ticks => ticks / facts.ticks_per_second / facts.ranks;
  const changes = live_profile().map((ticks, i) => ({path: i, by: per_rank(ticks - profile[i]), after: per_rank(ticks)}))
    .filter(one => one.by !== 0).sort((a, b) => Math.abs(b.by) - Math.abs(a.by)).slice(0, PLACES);
  const rows = changes.map(({path, by, after}) => [[{class: "name", title: labels[path]}, cut_in_middle(labels[path], LABEL)],
    number_cell(time_text(after, 3)), number_cell((by > 0 ? "+" : "") + time_text(by, 3)), bar(by, Math.abs(changes[0].by), true)]);
  byid("live-profile").replaceChildren(...(rows.length === 0 ? [] : [table(["call paths alone, mean of the ranks", number_cell("time"), number_cell("change by the panel"), ""], rows)]));
}

/* Call paths as texts. */
function live_labels(facts) {
  const labels = [];
  for (const [region, parent] of facts.paths)
    labels.push((parent < 0 ? "" : labels[parent] + "/") + facts.regions[region].replace(/[\\/]/g, "\\$&"));
  return labels;
}

function live_add(change) {
  const same = live.state.changes.findIndex(one => one.kind === change.kind && one.name === change.name && one.rank === change.rank);
  if (same < 0) {
    live_remember();
    live.state.changes.push(change);
    live_show();
  }
  const at = same < 0 ? live.state.changes.length - 1 : same;
  byid("live-changes").querySelectorAll("input[type=range]")[at].focus();
}

/* Adds what is searched for: a region, or "rank 3". */
function live_add_text(text) {
  const rank = /^rank\s+(\d+)$/.exec(text), note = byid("live-note");
  note.textContent = "";
  if (live.regions.has(text))
    live_add({kind: "region", name: text, value: 1});
  else if (rank && Number(rank[1]) < live.facts.ranks)
    live_add({kind: "rank", rank: Number(rank[1]), value: 1});
  else
    note.textContent = `No region "${text}" computes, and it is no "rank NUMBER" below ${live.facts.ranks}.`;
}

/* What is selected in the panels below can be added. */
function live_follow_selection() {
  const path = byid("live-path"), rank = byid("live-rank");
  const name = store && paths[state.path] ? paths[state.path].name : "";
  path.hidden = !live.regions.has(name);
  path.textContent = `add ${name}`;
  path.dataset.name = name;
  rank.hidden = !store || state.rank < 0;
  rank.textContent = rank.hidden ? "" : `add rank ${locations[state.rank].rank}`;
  rank.dataset.rank = rank.hidden ? "" : locations[state.rank].rank;
}

function live_listen() {
  const search = byid("live-search"), add = () => {
    live_add_text(search.value.trim());
    search.value = "";
  };
  byid("live-add").addEventListener("click", add);
  search.addEventListener("keydown", event => event.key === "Enter" && add());
  byid("live-regions").append(...[...live.regions.keys()].sort().map(name => element("option", {value: name})));
  byid("live-path").addEventListener("click", event => live_add({kind: "region", name: event.target.dataset.name, value: 1}));
  byid("live-rank").addEventListener("click", event => live_add({kind: "rank", rank: Number(event.target.dataset.rank), value: 1}));
  byid("live-undo").addEventListener("click", () => {
    live.state = live.undo.pop();
    byid("live-undo").disabled = live.undo.length === 0;
    live_show();
  });
  byid("live-reset").addEventListener("click", () => {
    live_remember();
    live.state = LIVE_UNCHANGED();
    live_show();
  });
  byid("live-keep").addEventListener("click", () => {
    if (live.time !== null)
      live.kept = {state: live_copy(live.state), time: live.time};
    draw_live();
  });
  told_of_selection.push(live_follow_selection);
  addEventListener("hashchange", () => {
    const state = /^#what-if=/.test(location.hash) ? live_of_fragment(location.hash) : null;
    if (state) {
      live_remember();
      live.state = state;
      live_show();
    }
  });
}

/* --- start ------------------------------------------------------------------------------------ */

function live_refuse(why) {
  byid("live-why").textContent = `This page does not compute what-ifs: ${why}. silas-model does, with a configuration.`;
  byid("live-why").hidden = false;
}

async function start_live() {
  const script = byid("live-data");
  if (!script)
    return;
  byid("live").hidden = false;
  const data = JSON.parse(script.textContent), module = byid("live-module").textContent;
  script.remove();
  if (data.why)
    return live_refuse(data.why);
  if (typeof WebAssembly === "undefined" || !has_ranks)
    return live_refuse("the browser is too old, it does not run WebAssembly");
  try {
    live.engine = await live_open(module, data.program);
  } catch (error) {
    live.engine = null;
  }
  if (!live.engine)
    return live_refuse("the browser does not run its program, or has not enough memory");
  live.facts = data.facts;
  live.regions = live_regions(data.facts);
  live.state = LIVE_UNCHANGED();
  if (live_compute(live.state) !== data.facts.time)
    return live_refuse("the browser computes another T than silas-model; please report this");
  live.profile = live_profile();
  live.labels = live_labels(live.facts);
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
