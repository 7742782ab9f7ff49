/* The controls of the panel "What if": a row for each change, fields with units, and what adds rows. */
/* A slider has the factor itself, or its logarithm. */
const LIVE_OCTAVES = 5;

/* The parameter of the packed run; 0: unknown. */
function live_base(kind) {
  const network = live.facts.network;
  return kind === "latency" ? network.latency_s * network.latency_factor : network.per_byte_s > 0 ? network.bandwidth_factor / network.per_byte_s : 0;
}

function live_unit(kind, value) {
  if (kind !== "latency" && kind !== "bandwidth")
    return LIVE_KINDS[kind].unit;
  const base = live_base(kind), text = amount => kind === "latency" ? time_text(amount, 3) : bytes_text(amount) + "/s";
  if (typeof value !== "number")
    return base > 0 ? `= \u00d7 ${number_text(value.value / base, 3)}` : "";
  return base > 0 ? "\u00d7 = " + text(base * value) : "\u00d7 (not in the recording)";
}

/* Where the slider of a value is. */
function live_position(kind, value) {
  if (!LIVE_KINDS[kind].log)
    return value;
  const factor = typeof value === "number" ? value : live_base(kind) > 0 ? value.value / live_base(kind) : 1;
  return Math.log2(factor || 2 ** -LIVE_OCTAVES);
}

function live_remove(name, remove) {
  if (!remove)
    return element("span");
  const close = element("button", {type: "button", "aria-label": `Remove ${name}`, title: "remove"}, "\u00d7");
  close.addEventListener("click", remove);
  return close;
}

/* A change that is chosen from a list: [value, text]. */
function live_choice_row(name, choices, get, set, remove) {
  const select = element("select", {"aria-label": name}, ...choices.map(([value, text]) => element("option", {value}, text)));
  select.value = get();
  select.addEventListener("change", () => {
    live_remember();
    set(select.value);
    live_changed();
    live_link();
  });
  return [element("span", {class: "name", title: name}, name), select, live_remove(name, remove)];
}

const LIVE_MODES = [["global", "each rank gets the same time for all visits"], ["instance", "each rank gets the same time for each visit"]];

function live_row(kind, name, get, set, remove) {
  const {log} = LIVE_KINDS[kind], range = log ? {min: -LIVE_OCTAVES, max: LIVE_OCTAVES, step: 0.1} : {min: 0, max: 2, step: 0.01};
  const label = `${kind === "region" ? "Time of " : kind === "rank" ? "Speed of " : ""}${name}`;
  const slider = element("input", {type: "range", "aria-label": label, ...range});
  const unit = element("span", {class: "unit", id: `live-unit-${live.fields++}`, "aria-live": "polite"});
  const field = element("input", {type: "text", class: "field", "aria-label": `${label}, such as ${LIVE_EXAMPLES[kind]}`, "aria-describedby": unit.id, title: LIVE_EXAMPLES[kind], spellcheck: "false", autocomplete: "off"});
  const show = moved => {
    const value = get();
    if (moved !== slider)
      slider.value = live_position(kind, value);
    if (moved !== field)
      field.value = live_number(value);
    unit.textContent = live_unit(kind, value);
    unit.classList.remove("refused");
    slider.setAttribute("aria-valuetext", `${live_number(value)} ${unit.textContent}`);
  };
  let begun = false; /* one step back undoes a whole drag */
  const refuse = text => {
    field.setAttribute("aria-invalid", "true");
    unit.textContent = live_refusal(kind, text);
    unit.classList.add("refused");
  };
  const take = (value, moved) => {
    field.removeAttribute("aria-invalid");
    if (!begun)
      live_remember();
    begun = true;
    set(value);
    show(moved);
    live_changed();
  };
  slider.addEventListener("input", () => take(log ? Number((2 ** slider.value).toPrecision(3)) : Number(slider.value), slider));
  field.addEventListener("input", () => {
    const value = live_parse(kind, field.value);
    if (value !== null)
      take(value, field);
    else if (field.value !== "")
      refuse(field.value);
  });
  for (const control of [slider, field])
    control.addEventListener("change", () => {
      const refused = control === field && field.value !== "" && live_parse(kind, field.value) === null ? field.value : null;
      begun = false;
      field.removeAttribute("aria-invalid");
      show(null);
      if (refused !== null) { /* the field has its last value again, and the reason remains */
        unit.textContent = live_refusal(kind, refused);
        unit.classList.add("refused");
      }
      live_link();
    });
  show(null);
  return [element("span", {class: "name", title: name}, name), slider, field, unit, live_remove(name, remove)];
}

function draw_controls() {
  const {state} = live, rows = [];
  live.fields = 0;
  state.changes.forEach((change, i) => {
    const get = () => change.value, set = value => { change.value = value; }, name = LIVE_KINDS[change.kind].name(change);
    const remove = () => {
      live_remember();
      state.changes.splice(i, 1);
      live_show();
      byid("live-search").focus();
    };
    rows.push(...(change.kind === "balance" ? live_choice_row(name, LIVE_MODES, get, set, remove) : live_row(change.kind, name, get, set, remove)));
  });
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

function live_add(change) {
  const same = live.state.changes.findIndex(one => one.kind === change.kind && one.name === change.name && one.rank === change.rank);
  if (same < 0) {
    live_remember();
    live.state.changes.push(change);
    live_show();
  }
  const at = same < 0 ? live.state.changes.length - 1 : same;
  byid("live-changes").querySelectorAll("input[type=range], select")[at].focus();
}

/* How many characters to insert, remove or replace to make one text of the other. */
function edit_distance(a, b) {
  let row = Array.from({length: b.length + 1}, (unused, i) => i);
  for (let i = 1; i <= a.length; i++)
    row = row.reduce((next, above, j) => (next.push(j === 0 ? i : Math.min(above + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1))), next), []);
  return row[b.length];
}

/* The names of regions most like a text, as texts: those that contain it first (as names_nearest in src/base/names.c). */
function live_nearest(text) {
  const near = name => name.toLowerCase().includes(text.toLowerCase()) ? 0 : edit_distance(text, name);
  const names = [...live.regions.keys()].map(name => [near(name), name]).sort((a, b) => a[0] - b[0]).slice(0, 3);
  return names.length === 0 ? "" : ` Nearest: ${names.map(([, name]) => `"${name}"`).join(", ")}.`;
}

/* Adds what is searched for: a region, or "rank 3". */
function live_add_text(text, balance) {
  const rank = /^rank\s+(\d+)$/.exec(text), note = byid("live-note");
  note.textContent = "";
  if (live.regions.has(text))
    live_add(balance ? {kind: "balance", name: text, value: "global"} : {kind: "region", name: text, value: 1});
  else if (rank && !balance && Number(rank[1]) < live.facts.ranks)
    live_add({kind: "rank", rank: Number(rank[1]), value: 1});
  else
    note.textContent = (balance ? `No region "${text}" computes.` : `No region "${text}" computes, and it is no "rank NUMBER" below ${live.facts.ranks}.`) + live_nearest(text);
}

/* What is selected in the panels below can be added. */
function live_follow_selection() {
  const path = byid("live-path"), rank = byid("live-rank");
  const name = store && paths[state.path] ? paths[state.path].name : "";
  for (const [button, verb] of [[path, "add"], [byid("live-even"), "balance"]]) {
    button.hidden = !live.regions.has(name);
    button.textContent = `${verb} ${name}`;
    button.dataset.name = name;
  }
  rank.hidden = !store || state.rank < 0;
  rank.textContent = rank.hidden ? "" : `add rank ${locations[state.rank].rank}`;
  rank.dataset.rank = rank.hidden ? "" : locations[state.rank].rank;
}

function live_listen() {
  const search = byid("live-search"), add = balance => {
    live_add_text(search.value.trim(), balance);
    search.value = "";
  };
  byid("live-add").addEventListener("click", () => add(false));
  byid("live-balance").addEventListener("click", () => add(true));
  search.addEventListener("keydown", event => event.key === "Enter" && add(false));
  byid("live-regions").append(...[...live.regions.keys()].sort().map(name => element("option", {value: name})));
  byid("live-path").addEventListener("click", event => live_add({kind: "region", name: event.target.dataset.name, value: 1}));
  byid("live-even").addEventListener("click", event => live_add({kind: "balance", name: event.target.dataset.name, value: "global"}));
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
  byid("live-keep").addEventListener("click", live_keep);
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
