/* Draws the canvas. MPI is red. The colour of another region depends on its name, so that it is the
 * same in all pages. None of these colours can be mistaken for that red (no red, green or brown), and
 * they differ in lightness. */
const paint = canvas.getContext("2d");
const PALETTE = ["#2f5f9e", "#6fa8dc", "#1f3b73", "#a9c7ea", "#6a4fb3", "#9d86d9", "#43307a", "#cfc2f0",
                 "#2b7a8c", "#63b2c2", "#17505c", "#a8d8e0", "#7d8796", "#b3bbc6", "#525b69", "#4a55c8",
                 "#8f97e8"];
const MESSAGES_MOST = 400; /* lines; more would hide each other */
let colors = {}, hatch = null, perturbed = null, pending = false;

function style(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function read_colors() {
  for (const name of ["back", "text", "faint", "line", "mpi", "mpi-light", "message", "path", "casing", "focus",
                      "band-a", "band-b", "cut", "on-cut"])
    colors[name] = style("--" + name);
  hatch = hatched(colors["mpi-light"], colors.mpi);
  perturbed = hatched(colors.back, colors.faint);
}

function hatched(ground, lines) {
  const tile = document.createElement("canvas");
  tile.width = tile.height = 6;
  const brush = tile.getContext("2d");
  brush.fillStyle = ground;
  brush.fillRect(0, 0, 6, 6);
  brush.strokeStyle = lines;
  brush.lineWidth = 1.1;
  for (const shift of [-6, 0, 6]) {
    brush.beginPath();
    brush.moveTo(shift - 1, 7);
    brush.lineTo(shift + 7, -1);
    brush.stroke();
  }
  return paint.createPattern(tile, "repeat");
}

/* FNV-1a */
function hash(text) {
  let value = 2166136261;
  for (let i = 0; i < text.length; i++)
    value = Math.imul(value ^ text.charCodeAt(i), 16777619);
  return value >>> 0;
}

/* Chosen by the hash of the name; if another region has that colour, the next free one. */
const palette_places = new Map();
for (const [name, mpi] of [...data.regions].sort((a, b) => a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0)) {
  const taken = new Set(palette_places.values());
  let place = hash(name) % PALETTE.length;
  for (let i = 0; i < PALETTE.length && taken.size < PALETTE.length && taken.has(place); i++)
    place = (place + 1) % PALETTE.length;
  if (!mpi)
    palette_places.set(name, place);
}

function region_color(region) {
  return region[1] ? colors.mpi : PALETTE[palette_places.get(region[0])];
}

const color_cache = new Map();
function piece_color(row, i, width) {
  if (row.flags[i] & WAITS)
    return width >= 4 && view.row_height >= 4 ? hatch : colors["mpi-light"];
  const callpath = row.callpath[i];
  let color = color_cache.get(callpath);
  if (!color)
    color_cache.set(callpath, color = region_color(region_of(callpath)));
  return color;
}

/* --- rows ------------------------------------------------------------------------------------- */

function draw_piece(row, i, x, width, y, height) {
  paint.fillStyle = piece_color(row, i, width);
  if (row.flags[i] & MIXED && height >= 5 && width >= 5) { /* lower than a single piece */
    y += 0.4 * height;
    height *= 0.6;
  }
  paint.fillRect(x, y, width, height);
  draw_name(row, i, x, x + width, y, height);
}

/* Of pieces that share a column of pixels, the longest is drawn. */
function draw_row(row, y, height) {
  let column = -1, longest = -1, length = 0;
  const flush = () => {
    if (longest >= 0)
      draw_piece(row, longest, column, 1, y, height);
    longest = -1;
    length = 0;
  };
  for (let i = piece_at(row, view.begin); i < row.begin.length && row.begin[i] < view.end; i++) {
    const from = Math.max(x_of(row.begin[i]), LABELS), to = Math.min(x_of(row.end[i]), LABELS + view.width);
    if (to - from < 1) {
      if (Math.floor(from) !== column)
        flush();
      column = Math.floor(from);
      if (row.end[i] - row.begin[i] > length) {
        longest = i;
        length = row.end[i] - row.begin[i];
      }
      continue;
    }
    flush();
    draw_piece(row, i, from, to - from - (to - from > 6 ? 0.5 : 0), y, height);
  }
  flush();
}

function draw_name(row, i, from, to, y, height) {
  if (height < 13 || to - from < 30 || row.flags[i] & WAITS)
    return;
  const name = region_of(row.callpath[i])[0];
  paint.save();
  paint.beginPath();
  paint.rect(from, y, to - from - 3, height);
  paint.clip();
  paint.font = "11px system-ui, sans-serif";
  paint.textAlign = "left";
  paint.textBaseline = "middle";
  paint.lineWidth = 2.5;
  paint.lineJoin = "round";
  paint.strokeStyle = "rgba(0,0,0,0.45)";
  paint.fillStyle = "#fff";
  const middle = y + (height >= 30 ? 9 : height / 2); /* beside the path, if there is room */
  paint.strokeText(name, from + 4, middle);
  paint.fillText(name, from + 4, middle);
  paint.restore();
}

/* Where several ranks share a row of pixels, one of them is drawn: one that the path visits, if any. */
function draw_rows() {
  const gap = view.row_height >= 6 ? Math.min(3, view.row_height / 6) : 0;
  const first = Math.max(0, Math.floor(view.top / view.row_height));
  let last_y = -1;
  for (let r = first; r < trace.rows.length && y_of(r) < AXIS + view.height; r++) {
    const y = y_of(r);
    if (Math.floor(y) === last_y && !trace.rows[r].visited)
      continue;
    last_y = Math.floor(y);
    if (gap > 0)
      draw_row(trace.rows[r], y + gap / 2, view.row_height - gap);
    else /* whole pixels: rows of unequal height, but no stripes between them */
      draw_row(trace.rows[r], last_y, Math.max(1, Math.floor(y + view.row_height) - last_y));
  }
}

/* --- messages --------------------------------------------------------------------------------- */

function messages_in_view() {
  const found = [], from = view.top / view.row_height - 1, to = (view.top + view.height) / view.row_height;
  for (let i = 0; i < trace.messages.length && found.length <= MESSAGES_MOST; i += MESSAGE_NUMBERS) {
    const sent = trace.messages[i + 1], received = sent + trace.messages[i + 3];
    if (received < view.begin || sent > view.end)
      continue;
    const row = trace.row_of_rank.get(trace.messages[i]), other = trace.row_of_rank.get(trace.messages[i + 2]);
    if (Math.max(row, other) >= from && Math.min(row, other) <= to)
      found.push([sent, middle_of(row), received, middle_of(other)]);
  }
  return found;
}

/* Returns whether there are too many messages to draw lines. */
function draw_messages() {
  const messages = messages_in_view();
  if (messages.length > MESSAGES_MOST)
    return true;
  paint.strokeStyle = colors.message;
  paint.lineWidth = messages.length > 100 ? 0.7 : 1.2;
  paint.beginPath();
  for (const [sent, y, received, other_y] of messages) {
    paint.moveTo(x_of(sent), y);
    paint.lineTo(x_of(received), other_y);
  }
  paint.stroke();
  return false;
}

/* --- the path --------------------------------------------------------------------------------- */

function trace_path_lines() {
  paint.beginPath();
  for (const wait of trace.waits) {
    const y = middle_of(wait.row), other = middle_of(wait.other_row);
    paint.moveTo(x_of(wait.from), y);
    paint.lineTo(x_of(wait.until), y);
    paint.lineTo(x_of(wait.departure), other);
  }
}

function draw_path() {
  const thick = clamp(view.row_height / 4, 2, 4);
  paint.lineJoin = paint.lineCap = "round";
  for (const wait of trace.waits) { /* time that could be saved */
    const from = x_of(wait.enter), width = Math.max(2, x_of(wait.until) - from);
    const height = Math.max(3, view.row_height - 3), y = middle_of(wait.row) - height / 2;
    if (view.only_path) {
      paint.fillStyle = hatch;
      paint.fillRect(from, y, width, height);
    }
    paint.lineWidth = thick - 1;
    paint.strokeStyle = colors.casing;
    paint.strokeRect(from, y, width, height);
    paint.lineWidth = 1;
    paint.strokeStyle = colors.path;
    paint.strokeRect(from, y, width, height);
  }
  trace_path_lines();
  paint.lineWidth = thick + 2.5;
  paint.strokeStyle = colors.casing;
  paint.stroke();
  paint.lineWidth = thick;
  paint.strokeStyle = colors.path;
  paint.stroke();
  for (const wait of trace.waits.slice(-1)) { /* the begin of the path */
    paint.beginPath();
    paint.arc(x_of(wait.departure), middle_of(wait.other_row), thick, 0, 7);
    paint.fillStyle = colors.path;
    paint.fill();
    paint.lineWidth = 1.5;
    paint.strokeStyle = colors.casing;
    paint.stroke();
  }
  const taken = []; /* places of numbers, which must not cover each other */
  if (view.selected >= 0)
    draw_number(view.selected, taken);
  trace.waits.forEach((wait, i) => i !== view.selected && draw_number(i, taken));
}

function draw_number(i, taken) {
  const wait = trace.waits[i], text = String(wait.number), selected = i === view.selected;
  const from = Math.max(x_of(wait.enter), LABELS), to = Math.min(x_of(wait.until), LABELS + view.width);
  const x = (from + to) / 2, y = middle_of(wait.row), half = 8 + 3 * (text.length - 1);
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

/* --- axes ------------------------------------------------------------------------------------- */

function draw_time_axis() {
  const per_second = data.ticks_per_second, least = 95 / view.width * (view.end - view.begin) / per_second;
  const power = Math.pow(10, Math.floor(Math.log10(least)));
  const step = [1, 2, 5, 10].map(m => m * power).find(s => s >= least) || 10 * power;
  const largest = Math.max(Math.abs(view.begin), view.end) / per_second;
  const [unit, scale] = largest >= 1 ? ["s", 1] : largest >= 1e-3 ? ["ms", 1e3]
    : largest >= 1e-6 ? ["\u00b5s", 1e6] : ["ns", 1e9];
  const decimals = Math.max(0, Math.ceil(-Math.log10(step * scale) - 1e-9));
  paint.font = "11px system-ui, sans-serif";
  paint.textBaseline = "middle";
  paint.textAlign = "center";
  paint.lineWidth = 1;
  for (let n = Math.ceil(view.begin / per_second / step); n * step * per_second <= view.end; n++) {
    const x = x_of(n * step * per_second);
    paint.strokeStyle = colors.line;
    paint.beginPath();
    paint.moveTo(x, 21);
    paint.lineTo(x, AXIS + view.height);
    paint.stroke();
    paint.fillStyle = colors.faint;
    if (x > LABELS + 20 && x < LABELS + view.width - 20)
      paint.fillText((n * step * scale).toFixed(decimals) + " " + unit, x, 13);
  }
}

/* Shows where the view lies in the whole trace. */
function draw_position() {
  const whole = view.width / trace.length, from = LABELS + Math.max(0, view.begin) * whole;
  const to = LABELS + Math.min(trace.length, view.end) * whole;
  paint.fillStyle = colors.line;
  paint.fillRect(LABELS, 0, view.width, 3);
  paint.fillStyle = colors.faint;
  paint.fillRect(from, 0, Math.max(3, to - from), 3);
}

function draw_ranks() {
  const every = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024].find(n => n * view.row_height >= 15) || 2048;
  paint.font = "11px system-ui, sans-serif";
  paint.textAlign = "right";
  paint.textBaseline = "middle";
  for (let r = Math.max(0, Math.floor(view.top / view.row_height)); r < trace.rows.length; r++) {
    const y = middle_of(r);
    if (y > AXIS + view.height)
      break;
    if (r % every !== 0 || y < AXIS)
      continue;
    paint.fillStyle = colors.text;
    paint.fillText((view.row_height >= 10 ? "rank " : "") + trace.rows[r].rank, LABELS - 8, y);
  }
}

/* --- all of it -------------------------------------------------------------------------------- */

function draw() {
  pending = false;
  const scale = window.devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
  if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
  }
  paint.setTransform(scale, 0, 0, scale, 0, 0);
  paint.clearRect(0, 0, width, height);
  draw_time_axis();
  draw_position();
  draw_bands();
  paint.save();
  paint.beginPath();
  paint.rect(LABELS, AXIS, view.width, view.height);
  paint.clip();
  paint.globalAlpha = view.only_path ? 0.22 : 1;
  draw_rows();
  const too_many = view.messages && draw_messages();
  paint.globalAlpha = 1;
  draw_path();
  paint.restore();
  draw_ranks();
  document.getElementById("too-many").hidden = !too_many;
}

function redraw() {
  if (!pending)
    requestAnimationFrame(draw);
  pending = true;
}
