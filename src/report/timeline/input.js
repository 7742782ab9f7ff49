/* Opens the time lines in an element; mouse, keyboard, search. */
const KEYS = [
  ["W S, wheel", "zoom in and out in time"],
  ["A D, arrows left and right, drag", "move in time"],
  ["arrows up and down, Shift and wheel, drag", "move across the ranks"],
  ["+ \u2212, Ctrl and wheel", "make rows higher or lower; high rows unfold into their stacks"],
  ["double click, U", "unfold a rank's stack, or fold it again"],
  ["Shift and drag", "zoom to these times"],
  ["click or drag in the whole run at the top", "move to this part of it"],
  ["click", "select a call; Enter: show it alone"],
  ["/", "search for a function or a rank; Enter: next place, Shift and Enter: previous"],
  ["L", "two runs: align them at the selected call; at the start again"],
  ["I", "two runs: align them by iteration; at the start again"],
  [", .", "previous and next iteration; click: the iteration there"],
  ["N P", "next and previous wait of the domino path"],
  ["H", "dim all but the domino path"],
  ["M B", "show or hide messages, iterations"],
  ["T, click on the name of a rank", "unfold the threads of all ranks, or of this rank; or fold them again"],
  ["R", "messages of the selected rank only"],
  ["0", "show everything"],
  ["? Esc", "open and close this help; Esc also ends a search and a selection"],
];

/* --- what is where ---------------------------------------------------------------------------- */

function share_text(shares) {
  const names = ["computation", "MPI", "waiting"];
  return names.map((name, k) => (100 * shares[k]).toFixed(1) + "\u202f% " + name).join(", ");
}

function piece_text(run, row, i) {
  const what = run.what[i], path = path_text(run, run.path[i]), rank = row_name(run.rows[row]);
  const when = "\nfrom " + time_text(run.begin[i], 9) + ", for " + time_text(run.end[i] - run.begin[i], 5);
  if (what & MIXED)
    return rank + ", several short pieces, most of them in " + path + "\n" +
      share_text([0, 1, 2].map(k => run.shares[3 * i + k] / SHARES)) + when;
  const other = run.other[i] >= 0 ? " for rank " + run.other[i] : "";
  return rank + ", " + path + (what & WAITS ? "\n" + run.kinds[run.kind[i]] + (other && ": waits" + other) : "") + when;
}

function summary_text(chart, run, x) {
  const {summary} = run, column = Math.floor((x - LABELS) / chart.view.width * (summary?.mpi.length || 0));
  if (!summary || column < 0 || column >= summary.mpi.length)
    return "";
  const share = values => values[column] / SHARES / summary.rows;
  const computes = summary.computes.reduce((sum, values) => sum + share(values), 0);
  return "of " + rows_text(run, summary.rows) + ": " +
    share_text([computes, share(summary.mpi), share(summary.waits)]);
}

/* {row, piece} at a place; piece -1: nothing is there. */
function place_at(chart, run, x, y) {
  const row = row_at(chart, run, y), time = time_of(chart, run, x);
  if (row < 0 || x < LABELS || x > LABELS + chart.view.width)
    return {row, piece: -1};
  const piece = piece_at(run, run.rows[row], time);
  return {row, piece: piece < run.rows[row].end && run.begin[piece] <= time ? piece : -1};
}

function text_at(chart, x, y) {
  const run = run_at(chart, y);
  if (!run || !run.unpacked)
    return "";
  const stretch = stretch_at(chart, run, x, y);
  if (stretch)
    return stretch_text(run, stretch, time_of(chart, run, x));
  const wait = run.waits.find(each => is_on_number(each, x, y));
  if (wait)
    return wait_text(run, wait);
  if (chart.view.summary && y >= run.summary_top && y < run.summary_top + SUMMARY)
    return summary_text(chart, run, x);
  const {row, piece} = place_at(chart, run, x, y);
  return row < 0 ? "" : piece >= 0 ? piece_text(run, row, piece) : row_name(run.rows[row]);
}

function is_on_number(wait, x, y) {
  const at = wait.shown_at;
  return at && Math.abs(x - at.x) <= at.half && Math.abs(y - at.y) <= 8;
}

function show_tip(chart, event) {
  const {tip} = chart.parts, box = chart.canvas.getBoundingClientRect();
  const text = text_at(chart, event.clientX - box.left, event.clientY - box.top);
  tip.hidden = text === "";
  tip.textContent = text;
  tip.style.left = clamp(event.clientX + 14, 0, Math.max(0, innerWidth - tip.offsetWidth - 4)) + "px";
  tip.style.top = (event.clientY + 18 + tip.offsetHeight < innerHeight ? event.clientY + 18
    : event.clientY - tip.offsetHeight - 10) + "px";
}

/* --- search and selection --------------------------------------------------------------------- */

/* Marks the call paths whose function, or a caller's, fits; null: all are shown alike. */
function focus_on(chart, fits) {
  for (const run of chart.runs) {
    run.focus = fits ? new Uint8Array(run.paths.region.length) : null;
    for (let path = 0; fits && path < run.focus.length; path++) {
      const parent = run.paths.parent[path];
      run.focus[path] = fits(run, path) || (parent >= 0 && run.focus[parent]) ? 1 : 0;
    }
  }
  redraw(chart);
}

function show_rank(chart, rank) {
  const row = chart.runs[0].row_of_rank.get(rank);
  if (row === undefined)
    return false;
  chart.found_rank = rank;
  if (chart.view.row_height < 14)
    view_row_height(chart, 14, 0);
  show_row(chart, row);
  redraw(chart);
  return true;
}

/* All that fits, in order of rank and time: {row, piece} of the first run. Merged pieces count if most of
 * their computation fits. */
function find_all(chart) {
  const run = chart.runs[0], found = [];
  run.rows.forEach((row, r) => {
    for (let i = row.first; i < row.end; i++)
      if (run.focus[run.path[i]] && (i === row.first || !run.focus[run.path[i - 1]]))
        found.push({row: r, piece: i});
  });
  return found;
}

function search(chart, text) {
  const {found} = chart.parts, rank = /^(?:rank\s*)?(\d+)$/i.exec(text.trim()), wanted = text.trim().toLowerCase();
  chart.found = null;
  chart.found_rank = -1;
  if (wanted === "" || rank) {
    focus_on(chart, null);
    found.textContent = rank ? (show_rank(chart, Number(rank[1])) ? "" : "no such rank") : "";
    return;
  }
  const fits = (run, path) => region_of(run, path).name.toLowerCase().includes(wanted);
  const any = chart.runs.some(run => run.regions.some(region => region.name.toLowerCase().includes(wanted)));
  focus_on(chart, any ? fits : null);
  chart.found = any ? find_all(chart) : [];
  chart.found_at = -1;
  found.textContent = any ? chart.found.length + (chart.found.length === 1 ? " place" : " places") : "nothing found";
}

function step_found(chart, by) {
  const {found} = chart, run = chart.runs[0];
  if (!found || found.length === 0)
    return;
  chart.found_at = (chart.found_at + by + found.length) % found.length;
  const {row, piece} = found[chart.found_at];
  pick(chart, run, row, piece, false);
  show_row(chart, row);
  show_piece(chart, run, piece);
  chart.parts.found.textContent = chart.found_at + 1 + " of " + found.length;
}

/* Brings a piece into the view; zooms in if it would be narrower than a few pixels. */
function show_piece(chart, run, piece) {
  const {view} = chart, length = run.end[piece] - run.begin[piece], middle = run.begin[piece] + length / 2 - run.shift;
  const span = length < 8 / view.width * (view.end - view.begin) ? 30 * length
    : Math.max(view.end - view.begin, 1.3 * length);
  if (span !== view.end - view.begin || middle < view.begin || middle > view.end)
    view_set(chart, middle - span / 2, middle + span / 2);
}

function pick(chart, run, row, piece, tells = true) {
  chart.picked = piece >= 0 ? {run, row, piece} : null;
  chart.parts.selected.textContent = piece >= 0 ? piece_text(run, row, piece) : "";
  chart.parts.selection.hidden = piece < 0;
  if (piece >= 0 && tells)
    chart.hooks.picked?.(path_text(run, run.path[piece]), run.rows[row].rank);
  redraw(chart);
}

/* For the page around: what is selected there. */
function select(chart, callpath, rank) {
  const known = typeof callpath === "string" && callpath !== "";
  focus_on(chart, known ? (run, path) => path_text(run, path) === callpath : null);
  chart.parts.found.textContent = known ? "shown: " + callpath.split("/").pop() : "";
  chart.found_rank = -1;
  if (Number.isInteger(rank))
    show_rank(chart, rank);
}

function clear_all(chart) {
  chart.parts.search.value = "";
  search(chart, "");
  pick(chart, chart.runs[0], -1, -1);
  show_help(chart, false);
}

/* --- mouse ------------------------------------------------------------------------------------ */

function click_at(chart, x, y) {
  const run = run_at(chart, y);
  if (!run)
    return;
  const wait = run.waits.findIndex(each => is_on_number(each, x, y)), stretch = stretch_at(chart, run, x, y);
  const {row, piece} = place_at(chart, run, x, y);
  if (wait >= 0)
    select_wait(chart, wait);
  else if (x < LABELS && row >= 0 && run.threads.has(run.rows[row].rank))
    toggle_threads_of(chart, run.rows[row].rank);
  else if (stretch && stretch.iterations)
    show_iteration(chart, run, stretch, iteration_at(stretch, time_of(chart, run, x)));
  else
    pick(chart, run, row, piece);
}

function listen_to_mouse(chart) {
  const {canvas, view, parts} = chart, place = event => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  let drag = null;
  canvas.addEventListener("pointerdown", event => {
    const [x, y] = place(event);
    drag = {x: event.clientX, y: event.clientY, moved: false, from: x, jumps: y < AXIS, marks: event.shiftKey};
    canvas.setPointerCapture(event.pointerId);
    if (drag.jumps)
      view_jump(chart, x);
  });
  canvas.addEventListener("pointermove", event => {
    if (!drag) {
      show_tip(chart, event);
      return;
    }
    const x = event.clientX - drag.x, y = event.clientY - drag.y;
    if (!drag.moved && Math.hypot(x, y) < 4)
      return;
    Object.assign(drag, {x: event.clientX, y: event.clientY, moved: true});
    canvas.classList.add("tl-dragged");
    parts.tip.hidden = true;
    if (drag.jumps) {
      view_jump(chart, place(event)[0]);
    } else if (drag.marks) {
      chart.marked = [drag.from, clamp(place(event)[0], LABELS, LABELS + view.width)];
      redraw(chart);
    } else {
      view_scroll(chart, -y);
      view_move(chart, -x / view.width);
    }
  });
  canvas.addEventListener("pointerup", event => {
    const clicked = drag && !drag.moved && !drag.jumps, marked = chart.marked;
    drag = chart.marked = null;
    if (marked)
      view_set(chart, ...marked.map(x => time_of(chart, chart.runs[0], x)).sort((a, b) => a - b));
    canvas.classList.remove("tl-dragged");
    if (clicked)
      click_at(chart, ...place(event));
  });
  canvas.addEventListener("dblclick", event => {
    const [x, y] = place(event), run = run_at(chart, y), row = run ? row_at(chart, run, y) : -1;
    if (row >= 0)
      unfold(chart, row, x);
  });
  canvas.addEventListener("pointercancel", () => { drag = chart.marked = null; });
  canvas.addEventListener("pointerleave", () => { parts.tip.hidden = true; });
  canvas.addEventListener("wheel", event => {
    const [x, y] = place(event), turn = event.deltaY * (event.deltaMode === 1 ? 16 : 1), run = run_at(chart, y);
    if (!chart.hooks.alone && !chart.element.contains(document.activeElement) && !event.ctrlKey)
      return; /* the page scrolls until the time lines were clicked */
    event.preventDefault();
    parts.tip.hidden = true;
    if (event.shiftKey)
      view_scroll(chart, turn || event.deltaX);
    else if (event.ctrlKey || event.altKey)
      view_row_height(chart, view.row_height * Math.exp(-turn / 400), run ? y - run.rows_top : 0);
    else if (Math.abs(event.deltaX) > Math.abs(turn))
      view_move(chart, event.deltaX / view.width);
    else
      view_zoom(chart, Math.exp(turn / 400), time_of(chart, chart.runs[0], x));
  }, {passive: false});
}

/* --- keyboard --------------------------------------------------------------------------------- */

function toggle(chart, part, key) {
  chart.view[key] = chart.parts[part].checked = !chart.view[key];
  lay_out(chart);
}

/* What is selected stays so, unless its row is folded; places that a search has found are counted again. */
function unfold_threads(chart, unfolded) {
  const picked = chart.picked && chart.picked.run.rows[chart.picked.row];
  chart.unfolded = unfolded;
  for (const run of chart.runs)
    choose_rows(run, unfolded);
  chart.parts.threads.checked = unfolded.size > 0;
  if (picked) {
    const row = chart.picked.run.rows.indexOf(picked);
    pick(chart, chart.picked.run, row, row < 0 ? -1 : chart.picked.piece, false);
  }
  if (chart.found)
    search(chart, chart.parts.search.value);
  if (chart.ready)
    lay_out(chart);
}

function toggle_threads(chart) {
  unfold_threads(chart, chart.unfolded.size > 0 ? new Set() : new Set(chart.runs.flatMap(run => [...run.threads])));
}

function toggle_threads_of(chart, rank) {
  const unfolded = new Set(chart.unfolded);
  if (!unfolded.delete(rank))
    unfolded.add(rank);
  unfold_threads(chart, unfolded);
}

function show_help(chart, shown) {
  chart.parts.help.hidden = !shown;
  if (shown)
    chart.parts.help.focus();
}

function step_wait(chart, by) {
  const {waits} = chart.runs[0], at = chart.view.selected_wait;
  if (waits.length > 0)
    select_wait(chart, at < 0 ? (by > 0 ? 0 : waits.length - 1) : clamp(at + by, 0, waits.length - 1));
}

function set_alignment(chart, align) {
  if (chart.runs.length < 2)
    return;
  if (align === "call" && !align_at_selection(chart)) {
    chart.parts.found.textContent = chart.picked ? "the other run has no such call" : "select a call first";
    align = chart.align;
  }
  chart.align = align;
  chart.parts.align.value = align;
  view_set(chart, chart.view.begin, chart.view.end);
}

function make_keys(chart) {
  const {view, runs} = chart, middle = () => (view.begin + view.end) / 2;
  const taller = factor => view_row_height(chart, view.row_height * factor, view.height / 2);
  const switch_alignment = align => set_alignment(chart, chart.align === align ? "start" : align);
  return {
    w: () => view_zoom(chart, 0.8, middle()), s: () => view_zoom(chart, 1.25, middle()),
    a: () => view_move(chart, -0.12), d: () => view_move(chart, 0.12),
    arrowleft: () => view_move(chart, -0.12), arrowright: () => view_move(chart, 0.12),
    arrowup: () => view_scroll(chart, -0.15 * view.height), arrowdown: () => view_scroll(chart, 0.15 * view.height),
    "+": () => taller(1.25), "=": () => taller(1.25), "-": () => taller(1 / 1.25),
    u: () => unfold(chart, chart.picked ? chart.picked.row : Math.max(0, runs[0].row_of_rank.get(chart.found_rank) ?? 0)),
    n: () => step_wait(chart, 1), p: () => step_wait(chart, -1),
    h: () => toggle(chart, "only_path", "only_path"), m: () => toggle(chart, "messages", "messages"),
    r: () => toggle(chart, "own_messages", "own_messages"),
    b: () => toggle(chart, "bands", "bands"),
    t: () => toggle_threads(chart),
    l: () => switch_alignment("call"), i: () => iterations_repeat(chart) && switch_alignment("iteration"),
    ",": () => step_iteration(chart, -1), ".": () => step_iteration(chart, 1),
    0: () => view_whole(chart), "/": () => chart.parts.search.focus(),
    enter: () => chart.picked && show_alone(chart),
    "?": () => show_help(chart, chart.parts.help.hidden), escape: () => clear_all(chart),
  };
}

function show_alone(chart) {
  const {run, piece} = chart.picked, length = run.end[piece] - run.begin[piece];
  view_set(chart, run.begin[piece] - run.shift - 0.2 * length, run.end[piece] - run.shift + 0.2 * length);
}

/* Keys are for the time lines if they have the focus, or are alone on the page. */
function listen_to_keys(chart) {
  const keys = make_keys(chart), {parts} = chart;
  document.addEventListener("keydown", event => {
    const action = keys[event.key.toLowerCase()], {target} = event;
    const inside = chart.element.contains(target), typing = target === parts.search;
    if (!inside && !(chart.hooks.alone && target === document.body))
      return;
    const leaves_alone = (event.key === "Enter" || event.key.startsWith("Arrow")) && target !== chart.canvas && target !== document.body;
    if (typing || leaves_alone || !action || event.ctrlKey || event.altKey || event.metaKey)
      return;
    event.preventDefault();
    event.stopPropagation();
    parts.tip.hidden = true;
    action();
  });
  parts.search.addEventListener("keydown", event => {
    if (event.key === "Enter")
      step_found(chart, event.shiftKey ? -1 : 1);
    if (event.key === "Escape") {
      clear_all(chart);
      chart.canvas.focus();
    }
    event.stopPropagation();
  });
  parts.search.addEventListener("input", () => search(chart, parts.search.value));
}

const FEW_ROWS = 24; /* threads are shown from the start if there are at most so many rows */

/* --- open ------------------------------------------------------------------------------------- */

function labelled(kind, attributes, text, title, parent) {
  const label = element("label", "", parent), made = Object.assign(document.createElement(kind), attributes);
  label.title = title;
  label.append(made, " " + text);
  return [label, made];
}

function make_toolbar(chart, bar) {
  const {parts} = chart;
  parts.search = element("input", "", bar);
  Object.assign(parts.search, {type: "search", placeholder: "function or rank  ( / )"});
  parts.search.setAttribute("aria-label", "Search for a function or a rank");
  parts.found = element("span", "", bar, "tl-faint");
  parts.found.setAttribute("role", "status");
  if (chart.runs.length > 1) {
    const label = element("label", "aligned ", bar);
    parts.align = element("select", "", label);
    for (const [value, text] of [["start", "at the start"], ["iteration", "by iteration"], ["call", "at the selected call"]])
      Object.assign(element("option", text, parts.align), {value, disabled: value === "iteration" && !iterations_repeat(chart)});
    parts.align.addEventListener("change", () => set_alignment(chart, parts.align.value));
  }
  const right = element("span", "", bar, "tl-switches");
  const box = (part, key, text, title) => {
    const [label, made] = labelled("input", {type: "checkbox", checked: chart.view[key]}, text, title, right);
    made.addEventListener("change", () => toggle(chart, part, key));
    parts[part] = made;
    return label;
  };
  box("only_path", "only_path", "dim all but the path", "H").hidden = chart.runs[0].waits.length === 0;
  parts.bands_switch = box("bands", "bands", "iterations", "B");
  const [threads, made] = labelled("input", {type: "checkbox"}, "threads", "T", right);
  threads.hidden = chart.runs.every(run => run.threads.size === 0);
  made.addEventListener("change", () => toggle_threads(chart));
  parts.threads = made;
  box("summary", "summary", "summary", "all visible ranks together");
  box("messages", "messages", "messages", "M");
  box("own_messages", "own_messages", "of the selected rank only", "R");
  for (const [text, title, action] of [["everything", "0", () => view_whole(chart)], ["keys", "?", () => show_help(chart, parts.help.hidden)]]) {
    const button = element("button", text, right);
    Object.assign(button, {type: "button", title});
    button.addEventListener("click", action);
  }
}

function iterations_repeat(chart) {
  return chart.runs.length > 1 && chart.runs.every(run => run.bands.stretches.some(stretch => stretch.iterations));
}

function make_side(chart, side) {
  const {parts} = chart, part = (title, ...made) => {
    const section = element("section", "", side);
    element("h3", title, section);
    section.append(...made);
    return section;
  };
  const paragraph = class_name => element("p", "", null, class_name);
  parts.selection = part("Selected", parts.selected = paragraph("tl-selected"));
  parts.selection.hidden = true;
  part("In this window", parts.window = paragraph("tl-faint"), parts.statistics = element("div", "", null));
  parts.structure = part("What repeats", parts.stretches = element("ol", "", null, "tl-list tl-stretches"));
  parts.path = part("Domino path", parts.gain = paragraph(""), parts.waits = element("ol", "", null, "tl-list tl-waits"));
}

function make_help(chart) {
  const help = chart.parts.help = element("div", "", chart.element, "tl-help");
  Object.assign(help, {tabIndex: -1, hidden: true});
  help.setAttribute("role", "dialog");
  help.setAttribute("aria-label", "Keys");
  element("h3", "Keys", help);
  const list = element("dl", "", help);
  for (const [keys, what] of KEYS) {
    element("dt", keys, list);
    element("dd", what, list);
  }
}

function make_parts(chart) {
  const {element: root, parts} = chart;
  root.classList.add("tl-root");
  make_toolbar(chart, element("div", "", root, "tl-toolbar"));
  const main = parts.main = element("div", "", root, "tl-main"), plot = parts.plot = element("div", "", main, "tl-plot");
  chart.canvas = element("canvas", "", plot, "tl-canvas");
  chart.canvas.tabIndex = 0;
  chart.canvas.setAttribute("role", "application");
  chart.canvas.setAttribute("aria-roledescription", "time line");
  chart.canvas.setAttribute("aria-label", "One row per rank over time; the lists next to it show figures, iterations and the domino path. Arrow keys move, W and S zoom, ? lists all keys");
  chart.paint = chart.canvas.getContext("2d");
  parts.legend = element("div", "", plot, "tl-legend");
  parts.notes = element("div", "", plot, "tl-notes");
  make_side(chart, element("aside", "", main, "tl-side"));
  parts.tip = element("div", "", root, "tl-tip");
  parts.tip.hidden = true;
  make_help(chart);
}

/* Colours have changed. */
function recolor(chart) {
  read_colors(chart);
  make_legend(chart);
}

async function start(chart) {
  for (const run of chart.runs)
    await unpack_run(run);
  choose_places(chart);
  choose_slots(chart);
  chart.ready = true;
  recolor(chart);
  lay_out(chart);
  view_whole(chart);
  draw(chart);
  show_statistics(chart);
  follow_address(chart);
}

/* "#wait=3" at the end of the address, or "#iteration=3" for one of the first stretch that repeats. */
function follow_address(chart) {
  const run = chart.runs[0], iteration = /^#iteration=(\d+)$/.exec(location.hash), stretch = run.bands.stretches.find(s => s.iterations);
  if (iteration && stretch)
    show_iteration(chart, run, stretch, clamp(Math.ceil(iteration[1] / stretch.stride) - 1, 0, stretch.at.length - 2));
  const match = /^#wait=(\d+)$/.exec(location.hash);
  const index = match ? run.waits.findIndex(wait => wait.number === Number(match[1])) : -1;
  if (index >= 0)
    select_wait(chart, index);
}

function open(root, data, hooks = {}) {
  const runs = data.runs.map(make_run), chart = {
    element: root, hooks, runs, parts: {}, align: "start", anchor: null, picked: null, marked: null, found_rank: -1, ready: false, unfolded: new Set(),
    length: Math.max(...runs.map(run => run.length)), tick: Math.min(...runs.map(run => run.tick)),
    deepest: Math.max(1, ...runs.map(run => run.paths.deepest)),
  };
  chart.view = make_view(chart);
  make_parts(chart);
  if (Math.max(...runs.map(run => run.all_rows.length)) <= FEW_ROWS)
    toggle_threads(chart);
  make_path(chart);
  make_stretches(chart);
  make_notes(chart);
  listen_to_mouse(chart);
  listen_to_keys(chart);
  new ResizeObserver(() => chart.ready && lay_out(chart)).observe(chart.canvas);
  addEventListener("hashchange", () => chart.ready && follow_address(chart));
  const light = () => chart.ready && (recolor(chart), draw(chart));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", light);
  new MutationObserver(light).observe(document.documentElement, {attributeFilter: ["data-theme"]});
  addEventListener("beforeprint", light);
  addEventListener("afterprint", light);
  const ready = start(chart);
  return {
    ready, select: (callpath, rank) => ready.then(() => select(chart, callpath, rank)),
    recolor: light, frame: () => (draw(chart), chart.frame), chart,
  };
}
