/* The panel "What if": the user changes the program, and the model computes T while the user drags. The model
 * is the one of silas-model, as a WebAssembly module (src/live/); it computes in whole ticks. */
const live = {engine: null, network: null, computation: null, evaluated: null, facts: null, regions: new Map(), state: null, undo: [], kept: null, time: 0, waiting: false, unprofiled: 0, why: ""};
/* latency and bandwidth: a factor, or {text, value}: with a unit. */
const LIVE_UNCHANGED = () => ({changes: [], latency: 1, bandwidth: 1});
/* What can be changed: limits are those of the configuration (doc/config.md). */
const LIVE_KINDS = {
  region: {key: "factor", unit: "\u00d7 its time", least: 0, most: 1e6, name: change => change.name},
  rank: {key: "speed", unit: "\u00d7 as fast", least: 1e-6, most: 1e6, log: true, name: change => `rank ${change.rank}`},
  balance: {key: "mode", name: change => `balance of ${change.name}`},
  latency: {key: "factor", least: 0, most: 1e9, log: true, name: () => "latency"},
  bandwidth: {key: "factor", least: 1e-9, most: 1e9, log: true, name: () => "bandwidth"},
};

/* --- the module ------------------------------------------------------------------------------- */

async function live_open(module_text, program_text) {
  const module = await WebAssembly.compile(bytes_of_text(module_text)), imports = {};
  for (const {module: from, name} of WebAssembly.Module.imports(module)) /* of the C library; never called */
    (imports[from] = imports[from] || {})[name] = () => 0;
  const engine = (await WebAssembly.instantiate(module, imports)).exports;
  const packed = await unpack_text(program_text);
  const at = engine.module_allocate(packed.length);
  if (at === 0)
    return null;
  new Uint8Array(engine.memory.buffer, at, packed.length).set(packed);
  return engine.module_open(at, packed.length) ? engine : null;
}

function live_choose(name) {
  const {engine, facts, regions} = live, chosen = new Uint8Array(engine.memory.buffer, engine.module_chosen(), facts.paths.length);
  chosen.fill(0);
  for (const path of regions.get(name))
    chosen[path] = 1;
}

/* False, with the reason in live.why: the program cannot be changed in this way. */
function live_apply(change) {
  const {engine} = live;
  live.why = "A rank would run longer than its clock can count.";
  if (change.kind === "rank")
    return engine.module_speed(change.rank, change.value);
  live_choose(change.name);
  if (change.kind === "region")
    return engine.module_scale(change.value);
  live.why = `${change.name} does not compute, so there is nothing to balance.`;
  return engine.module_balance(Number(change.value === "instance"));
}

/* Sets only what differs from the state before. False: see live_apply. */
function live_set(state) {
  const {engine} = live, network = JSON.stringify([state.latency, state.bandwidth]), computation = JSON.stringify(state.changes);
  if (live.computation !== computation || live.network !== network)
    live.evaluated = null;
  if (live.computation !== computation) {
    live.computation = null;
    engine.module_restart();
    if (!state.changes.every(live_apply))
      return false;
    live.computation = computation;
  }
  if (live.network !== network) {
    const factor = value => typeof value === "number" ? value : 1, absolute = value => typeof value === "number" ? -1 : value.value;
    engine.module_network(factor(state.latency), factor(state.bandwidth), absolute(state.latency), absolute(state.bandwidth));
    live.network = network;
  }
  return true;
}

const LIVE_ASK = "silas-model computes this: run the configuration below.";
/* Why there is no T, by enum live_problem (src/live/program.h). */
const LIVE_PROBLEMS = {
  "-1": () => "The ranks would wait for each other forever.",
  "-2": () => {
    const path = live.engine.module_problem_path() - 1;
    return `Not computed here: other calls of MPI_Test or MPI_Probe${path >= 0 ? ` in ${live_labels(live.facts)[path]}` : ""} would be rounds of a polling loop, because the time between them gets across poll_gap. ${LIVE_ASK}`;
  },
  "-3": () => `Not computed here: the change includes the work of other threads than the main ones. ${LIVE_ASK}`,
  "-4": () => `Not computed here: parallel regions would follow each other before all their threads are free. ${LIVE_ASK}`,
};

/* T in ticks; null: live.why is the reason. live.evaluated has what the engine knows of the state that is set; null: nothing. */
function live_compute(state) {
  if (!live_set(state))
    return null;
  if (live.evaluated === null)
    live.evaluated = live.engine.module_time();
  const time = live.evaluated;
  live.why = time < 0 ? LIVE_PROBLEMS[time]() : "";
  return time < 0 ? null : time;
}

/* Ticks of all ranks in each call path itself, in the state computed last. */
function live_profile() {
  return live.facts.paths.map((path, i) => live.engine.module_spent(i));
}

/* Call paths as texts. */
function live_labels(facts) {
  const labels = [];
  for (const [region, parent] of facts.paths)
    labels.push((parent < 0 ? "" : labels[parent] + "/") + facts.regions[region].replace(/[\\/]/g, "\\$&"));
  return labels;
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

function live_number(value) {
  return typeof value === "number" ? String(value) : value.text;
}

function live_sections(state) {
  const lines = [], kinds = {rank: ["cpu", "rank"], region: ["scale", "region"], balance: ["balance", "region"]};
  state.changes.forEach((change, i) => {
    const [section, what] = kinds[change.kind];
    lines.push("", `[${section} what-if ${i + 1}]`, `${what} = ${change.kind === "rank" ? change.rank : change.name}`, `${LIVE_KINDS[change.kind].key} = ${change.value}`);
  });
  const network = ["latency", "bandwidth"].filter(key => state[key] !== 1);
  if (network.length > 0)
    lines.push("", "[network what-if]", ...network.map(key => `${key} = ${live_number(state[key])}`));
  return lines;
}

function live_configuration(state) {
  return live.facts.config.trimEnd() + "\n" + live_sections(state).join("\n") + "\n";
}

function live_fragment(state) {
  const list = state.changes.map(change => [change.kind, change.kind === "rank" ? change.rank : change.name, change.value]);
  for (const key of ["latency", "bandwidth"])
    if (state[key] !== 1)
      list.push([key, typeof state[key] === "number" ? state[key] : state[key].text]);
  return list.length === 0 ? "" : "#what-if=" + encodeURIComponent(JSON.stringify(list));
}

function live_valid(kind, value) {
  if (kind === "balance")
    return value === "global" || value === "instance";
  if (value !== null && typeof value === "object")
    return kind === "latency" || (kind === "bandwidth" && value.value > 0);
  const {least, most} = LIVE_KINDS[kind];
  return typeof value === "number" && value >= least && value <= most && !(kind === "latency" && value > 0 && value < 1e-4);
}

const LIVE_SECONDS = {s: 1, ms: 1e-3, us: 1e-6, ns: 1e-9};

/* What fields of each kind take. */
const LIVE_EXAMPLES = {region: "0.8 or 80 %", rank: "1.25 or 125 %", latency: "0.5, 50 % or 2 us", bandwidth: "2, 200 % or 10 GB/s"};
const LIVE_AMOUNT = /^\s*(\d+\.?\d*(?:e[+-]?\d+)?|\.\d+)\s*(\S*)\s*$/i;

/* What a field has: a factor, "80 %", for the latency "2 us", for the bandwidth "10 GB/s". null: not valid. Arithmetic as in src/base/ini_get.c. */
function live_parse(kind, text) {
  const found = LIVE_AMOUNT.exec(text);
  if (!found)
    return null;
  const number = Number(found[1]), unit = found[2].replace(/^[\u00b5\u03bc]/, "u"), rate = /^([kMGT]?)(B|bit)\/s$/.exec(unit);
  let value = null;
  if (unit === "" || unit === "%")
    value = unit === "" ? number : number / 100;
  else if (kind === "latency" && LIVE_SECONDS[unit])
    value = {text: `${found[1]} ${unit}`, value: number * LIVE_SECONDS[unit]};
  else if (kind === "bandwidth" && rate) {
    let bytes = number;
    for (let power = " kMGT".indexOf(rate[1] || " "); power > 0; power--)
      bytes *= 1000;
    value = {text: `${found[1]} ${unit}`, value: rate[2] === "B" ? bytes : bytes / 8};
  }
  return value !== null && live_valid(kind, value) ? value : null;
}

/* Why live_parse takes no value from a text. */
function live_refusal(kind, text) {
  const found = LIVE_AMOUNT.exec(text), {least, most} = LIVE_KINDS[kind];
  if (!found)
    return /^\s*-/.test(text) ? "A value is not negative." : `A value is a number, such as ${LIVE_EXAMPLES[kind]}.`;
  if (found[2] !== "" && live_parse(kind, `1 ${found[2]}`) === null)
    return `Not a unit here: "${found[2]}". Possible: ${LIVE_EXAMPLES[kind]}.`;
  return kind === "latency" ? `A factor is 0, or from 0.0001 to ${most}.` : `A factor is from ${least} to ${most}.`;
}

/* The state of a link; null if this page does not know something in it. */
function live_of_fragment(hash) {
  const state = LIVE_UNCHANGED();
  try {
    for (const [kind, what, value] of JSON.parse(decodeURIComponent(hash.replace(/^#what-if=/, "")))) {
      const parameter = typeof what === "string" ? live_parse(kind, what) : what;
      if ((kind === "region" || kind === "balance") && live.regions.has(what) && live_valid(kind, value))
        state.changes.push({kind, name: what, value});
      else if (kind === "rank" && Number.isInteger(what) && what >= 0 && what < live.facts.ranks && live_valid(kind, value))
        state.changes.push({kind, rank: what, value});
      else if ((kind === "latency" || kind === "bandwidth") && parameter !== null && live_valid(kind, parameter))
        state[kind] = parameter;
      else
        return null;
    }
  } catch (error) {
    return null;
  }
  return state;
}

function live_text(state) {
  const parts = state.changes.map(change => change.kind === "balance" ? LIVE_KINDS.balance.name(change) : `${LIVE_KINDS[change.kind].name(change)} \u00d7 ${change.value}`);
  for (const key of ["latency", "bandwidth"])
    if (state[key] !== 1)
      parts.push(typeof state[key] === "number" ? `${key} \u00d7 ${state[key]}` : `${key} ${state[key].text}`);
  return parts.join(", ") || "no change";
}
