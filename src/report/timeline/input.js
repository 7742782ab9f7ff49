/* Mouse, keyboard, the list of waits, legend and notes. Names from the trace are set as text, never
 * as HTML. */
const tip = document.getElementById("tip"), help = document.getElementById("help");

function element(name, text, parent, class_name) {
  const made = document.createElement(name);
  made.textContent = text;
  if (class_name)
    made.className = class_name;
  parent.append(made);
  return made;
}

/* --- words ------------------------------------------------------------------------------------ */

function wait_text(wait) {
  const cause = wait.other_callpath >= 0 ? ", " + callpath_text(wait.other_callpath, 40) : "";
  return "wait " + wait.number + " of the domino path\nrank " + wait.rank + ", event " + wait.event + ", " +
    callpath_text(wait.callpath, 40) + "\nwaits " + time_text(wait.wait) + " for rank " + wait.other_rank + cause +
    "\nremoving it alone gains " + gain_text(wait.alone);
}

function piece_text(row, i) {
  const flags = row.flags[i];
  return "rank " + row.rank + (flags & MIXED ? ", mostly " : ", ") + callpath_text(row.callpath[i], 40) +
    (flags & WAITS ? ": waiting" : "") + (flags & MIXED ? "\nseveral short ones, merged" : "") +
    "\nfrom " + time_text(row.begin[i], 9) + ", for " + time_text(row.end[i] - row.begin[i], 5);
}

function text_at(x, y) {
  const stretch = stretch_at(x, y);
  if (stretch)
    return stretch_text(stretch, time_of(x));
  for (const wait of trace.waits) {
    const at = wait.shown_at;
    if (at && Math.abs(x - at.x) <= at.half && Math.abs(y - at.y) <= 8)
      return wait_text(wait);
  }
  const r = row_at(y), time = time_of(x);
  if (r < 0 || x < LABELS || time < 0)
    return "";
  const row = trace.rows[r], i = piece_at(row, time);
  return i < row.begin.length && row.begin[i] <= time ? piece_text(row, i) : "rank " + row.rank;
}

function show_tip(event) {
  const box = canvas.getBoundingClientRect(), text = text_at(event.clientX - box.left, event.clientY - box.top);
  tip.hidden = text === "";
  tip.textContent = text;
  tip.style.left = clamp(event.clientX + 14, 0, Math.max(0, innerWidth - tip.offsetWidth - 4)) + "px";
  tip.style.top = (event.clientY + 18 + tip.offsetHeight < innerHeight ? event.clientY + 18
    : event.clientY - tip.offsetHeight - 10) + "px";
}

/* --- the side list ---------------------------------------------------------------------------- */

const wait_buttons = [];
function select_wait(index) {
  wait_buttons.forEach((button, i) => button.setAttribute("aria-current", i === index));
  wait_buttons[index].scrollIntoView({block: "nearest"});
  view_wait(index);
}

function make_side() {
  const path = data.path, waits = path.total === 1 ? "wait" : "waits";
  if (path.total === 0) {
    document.getElementById("gain").textContent = "There is none: removing a wait does not shorten T.";
    return;
  }
  document.getElementById("gain").textContent = path.total + " " + waits + ", last first. T is smaller by " +
    gain_text(path.without_path) + " without " + (path.total === 1 ? "it" : "them") + ", by " + gain_text(path.without_longest) + " without the " +
    path.longest + " longest " + (path.longest === 1 ? "wait." : "waits.");
  const list = document.getElementById("waits");
  trace.waits.forEach((wait, i) => {
    const button = element("button", "", element("li", "", list));
    button.type = "button";
    button.title = wait_text(wait);
    element("span", wait.number, button, "number");
    element("span", "rank " + wait.rank + " waits " + time_text(wait.wait), button, "where");
    element("span", gain_text(wait.alone), button);
    element("span", callpath_text(wait.callpath, 2) + ", for rank " + wait.other_rank, button, "faint");
    button.addEventListener("click", () => select_wait(i));
    wait_buttons.push(button);
  });
}

/* --- legend and notes ------------------------------------------------------------------------- */

function legend_entry(text, fill) {
  const entry = element("span", "", document.getElementById("legend"));
  const swatch = element("canvas", "", entry), brush = swatch.getContext("2d");
  swatch.width = 22;
  swatch.height = 12;
  fill(brush);
  element("b", text, entry).title = text;
}

function filled(color, y = 0) {
  return brush => {
    brush.fillStyle = color;
    brush.fillRect(0, y, 22, 12 - y);
  };
}

/* The regions with the most time in the view. */
function longest_regions(count) {
  const totals = new Map();
  for (const row of trace.rows)
    for (let i = 0; i < row.begin.length; i++) {
      const region = region_of(row.callpath[i]);
      if (!region[1])
        totals.set(region, (totals.get(region) || 0) + row.end[i] - row.begin[i]);
    }
  return [...totals].sort((a, b) => b[1] - a[1]).slice(0, count).map(entry => entry[0]);
}

function make_legend() {
  document.getElementById("legend").replaceChildren();
  legend_entry("domino path", brush => {
    brush.fillStyle = colors.casing;
    brush.fillRect(0, 2, 22, 8);
    brush.fillStyle = colors.path;
    brush.fillRect(0, 4, 22, 4);
  });
  legend_entry("MPI", filled(colors.mpi));
  legend_entry("waiting in MPI", filled(hatch));
  if (data.threshold > 0)
    legend_entry("several short ones", filled(colors.faint, 5));
  make_band_legend();
  for (const region of longest_regions(14))
    legend_entry(region[0], filled(region_color(region)));
}

function make_band_legend() {
  const has = test => bands.stretches.some(test);
  if (has(stretch => stretch.iterations))
    for (const [text, line] of [["iterations", 0], ["representative iteration", 3]])
      legend_entry(text, brush => {
        filled(colors["band-a"])(brush);
        brush.fillStyle = colors["band-b"];
        brush.fillRect(11, 0, 11, 12);
        brush.fillStyle = colors.text;
        brush.fillRect(0, 12 - line, 11, line);
      });
  if (has(stretch => stretch.cut_count > 0))
    legend_entry("cut out", filled(colors.cut));
  if (has(stretch => stretch.flushing))
    legend_entry("perturbed", filled(perturbed));
}

/* The stretches that repeat, and those that are perturbed; those inside an iteration are indented. */
function make_stretches() {
  const list = document.getElementById("stretches");
  for (const stretch of bands.stretches) {
    if (!stretch.iterations && !stretch.flushing)
      continue;
    const button = element("button", "", element("li", "", list));
    button.type = "button";
    button.style.paddingLeft = 12 * stretch.level + "px";
    element("span", stretch.iterations ? stretch.iterations + " \u00d7 " + time_text(stretch.period) : "perturbed", button);
    element("span", time_text(stretch.end - stretch.begin), button, "right");
    element("span", stretch.iterations ? stretch_name(stretch, 40) : "buffers flushed or cores lost", button, "faint");
    button.addEventListener("click", () => show_stretch(stretch));
  }
  if (data.bands && list.children.length === 0)
    element("li", "Nothing repeats regularly on all ranks.", list, "none");
  document.getElementById("structure").hidden = !data.bands;
  document.getElementById("bands-switch").hidden = bands.levels === 0;
}

function make_notes() {
  const notes = document.getElementById("notes");
  const note = text => element("div", text, notes);
  if (data.threshold > 0)
    note("Pieces shorter than " + time_text(data.threshold, 3) + " are merged, except on the path.");
  if (data.message_stride > 1)
    note("One in " + data.message_stride + " of the " + data.message_total + " messages is shown.");
  if (trace.rows.length < data.ranks)
    note(trace.rows.length + " of " + data.ranks + " ranks are shown, those of the path among them.");
  if (trace.waits.length < data.path.total)
    note("The " + trace.waits.length + " longest of the path's " + data.path.total + " waits are shown.");
  note("Too many messages for lines: zoom in.").id = "too-many";
}

function make_title() {
  const name = data.trace || "trace";
  document.title = "Time line of " + name;
  document.getElementById("title").textContent = name;
  document.getElementById("summary").textContent = data.ranks + (data.ranks === 1 ? " rank, T " : " ranks, T ") +
    time_text(data.length, 5) + (data.predicted ? ", predicted" : ", as recorded");
}

/* --- mouse ------------------------------------------------------------------------------------ */

let drag = null;
canvas.addEventListener("pointerdown", event => {
  drag = {x: event.clientX, y: event.clientY, moved: false};
  canvas.setPointerCapture(event.pointerId);
});
canvas.addEventListener("pointermove", event => {
  if (!drag) {
    show_tip(event);
    return;
  }
  const x = event.clientX - drag.x, y = event.clientY - drag.y;
  if (!drag.moved && Math.hypot(x, y) < 4)
    return;
  Object.assign(drag, {x: event.clientX, y: event.clientY, moved: true});
  canvas.classList.add("dragged");
  tip.hidden = true;
  view_scroll(-y);
  view_move(-x / view.width);
});
canvas.addEventListener("pointerup", event => {
  const box = canvas.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
  const hit = drag && !drag.moved ? trace.waits.findIndex(({shown_at: at}) =>
    at && Math.abs(x - at.x) <= at.half && Math.abs(y - at.y) <= 8) : -1;
  const stretch = drag && !drag.moved ? stretch_at(x, y) : null;
  drag = null;
  canvas.classList.remove("dragged");
  if (hit >= 0)
    select_wait(hit);
  else if (stretch && stretch.iterations)
    show_iteration(stretch, iteration_at(stretch, time_of(x)));
});
canvas.addEventListener("pointercancel", () => { drag = null; });
canvas.addEventListener("pointerleave", () => { tip.hidden = true; });
canvas.addEventListener("wheel", event => {
  const box = canvas.getBoundingClientRect(), turn = event.deltaY * (event.deltaMode === 1 ? 16 : 1);
  event.preventDefault();
  tip.hidden = true;
  if (event.shiftKey)
    view_scroll(turn || event.deltaX);
  else if (event.ctrlKey || event.altKey)
    view_row_height(view.row_height * Math.exp(-turn / 400), event.clientY - box.top);
  else if (Math.abs(event.deltaX) > Math.abs(turn))
    view_move(event.deltaX / view.width);
  else
    view_zoom(Math.exp(turn / 400), time_of(event.clientX - box.left));
}, {passive: false});

/* --- keyboard --------------------------------------------------------------------------------- */

function toggle(id, key) {
  const box = document.getElementById(id);
  view[key] = box.checked = !view[key];
  redraw();
}

function toggle_bands() {
  bands.shown = document.getElementById("show-bands").checked = !bands.shown;
  fit_size();
}

function show_help(shown) {
  help.hidden = !shown;
  if (shown)
    help.focus();
}

function step_wait(by) {
  if (trace.waits.length > 0)
    select_wait(view.selected < 0 ? (by > 0 ? 0 : trace.waits.length - 1)
      : clamp(view.selected + by, 0, trace.waits.length - 1));
}

const middle_y = () => AXIS + view.height / 2;
const keys = {
  w: () => view_zoom(0.8, (view.begin + view.end) / 2),
  s: () => view_zoom(1.25, (view.begin + view.end) / 2),
  a: () => view_move(-0.12),
  d: () => view_move(0.12),
  arrowleft: () => view_move(-0.12),
  arrowright: () => view_move(0.12),
  arrowup: () => view_scroll(-0.15 * view.height),
  arrowdown: () => view_scroll(0.15 * view.height),
  "+": () => view_row_height(view.row_height * 1.25, middle_y()),
  "=": () => view_row_height(view.row_height * 1.25, middle_y()),
  "-": () => view_row_height(view.row_height / 1.25, middle_y()),
  n: () => step_wait(1),
  p: () => step_wait(-1),
  h: () => toggle("only-path", "only_path"),
  m: () => toggle("show-messages", "messages"),
  b: () => toggle_bands(),
  ",": () => step_iteration(-1),
  ".": () => step_iteration(1),
  0: () => view_whole(),
  "?": () => show_help(help.hidden),
  escape: () => show_help(false),
};
addEventListener("keydown", event => {
  const action = keys[event.key.toLowerCase()];
  const scrolls = event.key.startsWith("Arrow") && document.getElementById("side").contains(event.target);
  if (!action || event.ctrlKey || event.altKey || event.metaKey || scrolls)
    return;
  event.preventDefault();
  tip.hidden = true;
  action();
});

/* --- start ------------------------------------------------------------------------------------ */

document.getElementById("only-path").addEventListener("change", () => toggle("only-path", "only_path"));
document.getElementById("show-messages").addEventListener("change", () => toggle("show-messages", "messages"));
document.getElementById("show-bands").addEventListener("change", toggle_bands);
document.getElementById("whole").addEventListener("click", view_whole);
document.getElementById("show-help").addEventListener("click", () => show_help(help.hidden));

function start_colors() {
  read_colors();
  color_cache.clear();
  make_legend();
  redraw();
}

/* Rows that filled the plot before fill it again. */
function fit_size() {
  const fits = view.row_height === 0 || view.row_height === fitting_height();
  AXIS = 26 + bands_height();
  view.width = Math.max(1, canvas.clientWidth - LABELS - RIGHT);
  view.height = Math.max(1, canvas.clientHeight - AXIS);
  if (fits)
    view.row_height = fitting_height();
  view_scroll(0);
}

/* "#wait=3" at the end of the address, or "#iteration=3" for one of the first stretch that repeats. */
function follow_address() {
  const iteration = /^#iteration=(\d+)$/.exec(location.hash), stretch = bands.stretches.find(s => s.iterations);
  if (iteration && stretch)
    show_iteration(stretch, clamp(Math.ceil(iteration[1] / stretch.stride) - 1, 0, stretch.at.length - 2));
  const match = /^#wait=(\d+)$/.exec(location.hash);
  const index = match ? trace.waits.findIndex(wait => wait.number === Number(match[1])) : -1;
  if (index >= 0)
    select_wait(index);
}

make_title();
make_side();
make_stretches();
make_notes();
start_colors();
fit_size();
follow_address();
new ResizeObserver(fit_size).observe(canvas);
addEventListener("hashchange", follow_address);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", start_colors);
