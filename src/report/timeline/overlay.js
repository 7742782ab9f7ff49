/* What lies over the rows: messages, the domino path, what is selected, where runs are aligned. */
const MESSAGES_MOST = 400; /* lines; more would hide each other */
const ARROW = 6; /* pixels */

/* Messages in the view; if there are too many, those of the selected rank, if any. */
function messages_in_view(chart, run, rank) {
  const {view} = chart, {messages} = run, found = [];
  const from = view.top / view.row_height - 1, to = (view.top + view.height) / view.row_height;
  for (let i = 0; i < messages.count && found.length <= MESSAGES_MOST; i++) {
    if (messages.received[i] < view.begin + run.shift || messages.sent[i] > view.end + run.shift)
      continue;
    if (rank >= 0 && messages.from[i] !== rank && messages.to[i] !== rank)
      continue;
    const row = run.row_of_rank.get(messages.from[i]), other = run.row_of_rank.get(messages.to[i]);
    if (Math.max(row, other) >= from && Math.min(row, other) <= to)
      found.push([messages.sent[i], middle_of(chart, run, row), messages.received[i], middle_of(chart, run, other)]);
  }
  return found;
}

/* The rank that was searched for or selected; -1: none. */
function chosen_rank(chart) {
  const {picked} = chart;
  return chart.found_rank >= 0 ? chart.found_rank : picked ? picked.run.rows[picked.row].rank : -1;
}

/* Returns whether there are too many messages to draw all. */
function draw_messages(chart, run) {
  const {paint, colors} = chart, rank = chosen_rank(chart);
  let messages = messages_in_view(chart, run, chart.view.own_messages ? rank : -1);
  const too_many = messages.length > MESSAGES_MOST;
  if (too_many && rank >= 0)
    messages = messages_in_view(chart, run, rank);
  if (messages.length > MESSAGES_MOST)
    return true;
  const low = chart.view.row_height < 6;
  const few = messages.length <= 150 && !low, heads = new Path2D();
  paint.beginPath();
  for (const [sent, y, received, other_y] of messages) {
    const x = x_of(chart, run, sent), to = x_of(chart, run, received), length = Math.hypot(to - x, other_y - y);
    paint.moveTo(x, y);
    paint.lineTo(to, other_y);
    if (length < 2 * ARROW)
      continue;
    const along = (to - x) / length, across = (other_y - y) / length;
    const back = [to - ARROW * along, other_y - ARROW * across];
    heads.moveTo(to, other_y);
    heads.lineTo(back[0] - ARROW / 2.5 * across, back[1] + ARROW / 2.5 * along);
    heads.lineTo(back[0] + ARROW / 2.5 * across, back[1] - ARROW / 2.5 * along);
    heads.closePath();
  }
  paint.strokeStyle = colors.back; /* around the lines, so that they are seen on any colour */
  paint.lineWidth = few ? 3 : 1.8;
  paint.stroke();
  paint.stroke(heads);
  paint.strokeStyle = paint.fillStyle = colors.message;
  paint.lineWidth = few ? 1.2 : 0.7;
  paint.stroke();
  paint.fill(heads);
  return too_many;
}

/* --- the domino path -------------------------------------------------------------------------- */

function trace_path_lines(chart, run) {
  const {paint} = chart;
  paint.beginPath();
  for (const wait of run.waits) {
    const y = middle_of(chart, run, wait.row), other = middle_of(chart, run, wait.other_row);
    paint.moveTo(x_of(chart, run, wait.from), y);
    paint.lineTo(x_of(chart, run, wait.until), y);
    paint.lineTo(x_of(chart, run, wait.departure), other);
  }
}

/* Time that could be saved. */
function frame_path_waits(chart, run, thick) {
  const {paint, colors, view} = chart;
  for (const wait of run.waits) {
    const from = x_of(chart, run, wait.enter), width = Math.max(2, x_of(chart, run, wait.until) - from);
    const height = Math.max(3, lane_height(chart) - 3), y = middle_of(chart, run, wait.row) - height / 2;
    if (view.only_path) {
      paint.fillStyle = chart.hatch;
      paint.fillRect(from, y, width, height);
    }
    paint.lineWidth = thick - 1;
    paint.strokeStyle = colors.casing;
    paint.strokeRect(from, y, width, height);
    paint.lineWidth = 1;
    paint.strokeStyle = colors.path;
    paint.strokeRect(from, y, width, height);
  }
}

function draw_path(chart, run) {
  const {paint, colors, view} = chart, thick = clamp(view.row_height / 4, 2, 4);
  if (run.waits.length === 0)
    return;
  paint.lineJoin = paint.lineCap = "round";
  frame_path_waits(chart, run, thick);
  trace_path_lines(chart, run);
  paint.lineWidth = thick + 2.5;
  paint.strokeStyle = colors.casing;
  paint.stroke();
  paint.lineWidth = thick;
  paint.strokeStyle = colors.path;
  paint.stroke();
  const last = run.waits[run.waits.length - 1]; /* the begin of the path */
  paint.beginPath();
  paint.arc(x_of(chart, run, last.departure), middle_of(chart, run, last.other_row), thick, 0, 7);
  paint.fillStyle = colors.path;
  paint.fill();
  paint.lineWidth = 1.5;
  paint.strokeStyle = colors.casing;
  paint.stroke();
}

function draw_path_numbers(chart, run) {
  const {view} = chart, taken = []; /* places of numbers, which must not cover each other */
  if (run.waits.length > 0 && view.selected_wait >= 0)
    draw_number(chart, run, view.selected_wait, taken);
  run.waits.forEach((wait, i) => i !== view.selected_wait && draw_number(chart, run, i, taken));
}

function draw_number(chart, run, i, taken) {
  const {paint, colors, view} = chart, wait = run.waits[i], text = String(wait.number), selected = i === view.selected_wait;
  const from = Math.max(x_of(chart, run, wait.enter), LABELS), to = Math.min(x_of(chart, run, wait.until), LABELS + view.width);
  const x = (from + to) / 2, y = middle_of(chart, run, wait.row), half = 8 + 3 * (text.length - 1);
  wait.shown_at = null;
  if (to < from || x < LABELS || x > LABELS + view.width || taken.some(([a, b, c]) => Math.abs(a - x) < c + half && Math.abs(b - y) < 17))
    return;
  taken.push([x, y, half]);
  wait.shown_at = {x, y, half};
  paint.beginPath();
  paint.roundRect(x - half, y - 8, 2 * half, 16, 8);
  paint.fillStyle = selected ? colors.casing : colors.path;
  paint.fill();
  paint.lineWidth = 1.5;
  paint.strokeStyle = selected ? colors.path : colors.casing;
  paint.stroke();
  paint.fillStyle = selected ? colors.path : colors.casing;
  paint.font = "600 11px system-ui, sans-serif";
  paint.textAlign = "center";
  paint.textBaseline = "middle";
  paint.fillText(text, x, y + 0.5);
}

/* --- selection and alignment ------------------------------------------------------------------ */

function draw_selection(chart, run) {
  const {paint, colors, picked} = chart;
  if (!picked || picked.run !== run)
    return;
  const from = x_of(chart, run, run.begin[picked.piece]), width = Math.max(3, x_of(chart, run, run.end[picked.piece]) - from);
  const y = y_of(chart, run, picked.row), height = Math.max(4, lane_height(chart));
  paint.lineWidth = 4;
  paint.strokeStyle = colors.back;
  paint.strokeRect(from, y, width, height);
  paint.lineWidth = 2;
  paint.strokeStyle = colors.accent;
  paint.strokeRect(from, y, width, height);
}

/* The moment that is at the same place in both runs. */
function draw_anchor(chart) {
  const {paint, colors, anchor, view} = chart;
  if (!anchor)
    return;
  const x = x_of(chart, chart.runs[0], anchor.time);
  if (x < LABELS || x > LABELS + view.width)
    return;
  paint.strokeStyle = colors.accent;
  paint.lineWidth = 1.5;
  paint.setLineDash([6, 4]);
  paint.beginPath();
  paint.moveTo(x, AXIS - 4);
  paint.lineTo(x, chart.canvas.clientHeight);
  paint.stroke();
  paint.setLineDash([]);
  paint.font = "11px system-ui, sans-serif";
  paint.textBaseline = "middle";
  const right = x > LABELS + view.width / 2;
  paint.textAlign = right ? "right" : "left";
  paint.fillStyle = colors.accent;
  paint.fillText("aligned: " + anchor.text, x + (right ? -5 : 5), chart.runs[1].panel_top + HEADING / 2);
}
