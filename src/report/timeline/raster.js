/* Rows as pixels. Each column of a row has the shares of computation, MPI and waiting of its time: from below,
 * one above the other, where a row has a few pixels; mixed to one colour where rows are lower. Nothing is left
 * out: a call shorter than a pixel has its part of the pixel. */
const STACKED_ROW = 5; /* pixels: lower rows have mixed colours */
const LINES_APART = 6; /* pixels: lines across waiting */
const MANY_ROWS = 300;
const LISTED_REGIONS = 12; /* of the summary; the others are one colour */

/* Room for one row: shares [column] in 255ths of a pixel; the computation's mean colour, times its share. */
function make_columns(width) {
  const column = () => new Float32Array(width);
  return {width, computes: column(), mpi: column(), waits: column(), r: column(), g: column(), b: column(), dimmed: column()};
}

function clear_columns(columns) {
  for (const name of ["computes", "mpi", "waits", "r", "g", "b", "dimmed"])
    columns[name].fill(0);
}

function add_share(columns, summary, column, part, run, piece, color, dim) {
  const {shares} = run, at = 3 * piece, computes = shares[at] * part;
  if (computes > 0) {
    columns.computes[column] += computes;
    columns.r[column] += computes * color.r;
    columns.g[column] += computes * color.g;
    columns.b[column] += computes * color.b;
    summary[column] += computes;
  }
  columns.mpi[column] += shares[at + 1] * part;
  columns.waits[column] += shares[at + 2] * part;
  if (dim)
    columns.dimmed[column] += part;
}

/* Adds a row's pieces between the columns' times; the computation also to the run's summary. */
function fill_columns(chart, run, row, columns) {
  const {view} = chart, {width} = columns, first_time = view.begin + run.shift, {summary, slots} = run;
  const scale = width / (view.end - view.begin), {begin, end, path, focus} = run, {region} = run.paths;
  for (let i = piece_at(run, row, first_time); i < row.end; i++) {
    const from = Math.max(0, (begin[i] - first_time) * scale), to = Math.min(width, (end[i] - first_time) * scale);
    if (from >= width)
      break;
    const first = Math.floor(from), last = Math.min(width - 1, Math.floor(to)), of = region[path[i]];
    const dim = focus && !focus[path[i]], color = run.shades[of][dim ? 1 : 0], sums = summary.computes[slots[of]];
    if (first === last) {
      add_share(columns, sums, first, to - from, run, i, color, dim);
      continue;
    }
    add_share(columns, sums, first, first + 1 - from, run, i, color, dim);
    for (let column = first + 1; column < last; column++)
      add_share(columns, sums, column, 1, run, i, color, dim);
    add_share(columns, sums, last, to - last, run, i, color, dim);
  }
}

/* --- one picture ------------------------------------------------------------------------------ */

/* The pixels of a run's rows: {canvas, image, words}; kept from picture to picture. */
function picture_of(run, name, width, height) {
  let picture = run[name];
  if (!picture || picture.canvas.width !== width || picture.canvas.height !== height) {
    const canvas = Object.assign(document.createElement("canvas"), {width, height});
    const paint = canvas.getContext("2d"), image = paint.createImageData(width, height);
    picture = run[name] = {canvas, paint, image, words: new Uint32Array(image.data.buffer)};
  }
  picture.words.fill(0);
  return picture;
}

/* Of a column: are most of its pieces dimmed? */
const is_dimmed = (columns, x) => columns.dimmed[x] > 0.5 * (columns.computes[x] + columns.mpi[x] + columns.waits[x]) / SHARES;

/* One stacked row from line y on: waiting on top, MPI, computation at the bottom. Time outside all regions stays
 * empty, above. */
function put_stacked(chart, columns, words, y, height) {
  const {width} = columns, {shades} = chart, pixels = [0, 1].map(dim => ({
    mpi: pixel(shades.mpi[dim]), wait: pixel(shades.wait[dim]), line: pixel(shades.wait_line[dim]),
  }));
  for (let x = 0; x < width; x++) {
    const computes = columns.computes[x], mpi = columns.mpi[x], waits = columns.waits[x], all = computes + mpi + waits;
    if (all === 0)
      continue;
    const of = pixels[is_dimmed(columns, x) ? 1 : 0], unit = height / SHARES;
    const color = computes === 0 ? of.mpi
      : (0xff000000 | columns.b[x] / computes << 16 | columns.g[x] / computes << 8 | columns.r[x] / computes) >>> 0;
    const filled_lines = Math.min(height, Math.max(1, Math.round(all * unit))), first = height - filled_lines;
    const waiting = Math.min(height, first + Math.round(waits * unit));
    const until = computes === 0 ? height : Math.min(height, first + Math.round((waits + mpi) * unit));
    let line = first, at = (y + first) * width + x;
    for (; line < waiting; line++, at += width)
      words[at] = (x + y + line) % LINES_APART < 2 ? of.line : of.wait;
    for (; line < until; line++, at += width)
      words[at] = of.mpi;
    for (; line < height; line++, at += width)
      words[at] = color;
  }
}

/* Adds a low row's mixed colours to the sums of a line of pixels. */
function add_mixed(chart, columns, sums) {
  const {shades} = chart, {width} = columns;
  for (let x = 0; x < width; x++) {
    const mpi = columns.mpi[x], waits = columns.waits[x], all = columns.computes[x] + mpi + waits;
    if (all === 0)
      continue;
    const dim = is_dimmed(columns, x) ? 1 : 0, m = shades.mpi[dim], w = shades.wait[dim];
    sums[4 * x] += columns.r[x] + mpi * m.r + waits * w.r;
    sums[4 * x + 1] += columns.g[x] + mpi * m.g + waits * w.g;
    sums[4 * x + 2] += columns.b[x] + mpi * m.b + waits * w.b;
    sums[4 * x + 3] += all;
  }
}

function put_mixed(sums, words, from, to, width) {
  for (let x = 0; x < width; x++) {
    const all = sums[4 * x + 3];
    if (all === 0)
      continue;
    const word = (0xff000000 | Math.round(sums[4 * x + 2] / all) << 16 | Math.round(sums[4 * x + 1] / all) << 8 |
      Math.round(sums[4 * x] / all)) >>> 0;
    for (let y = from; y < to; y++)
      words[y * width + x] = word;
  }
  sums.fill(0);
}

/* Adds a row's MPI and waiting to the run's summary. */
function add_to_summary(columns, summary) {
  for (let x = 0; x < columns.width; x++) {
    summary.waits[x] += columns.waits[x];
    summary.mpi[x] += columns.mpi[x];
  }
}

function finish_line(chart, columns, sums, summary, words, from, to) {
  add_to_summary(columns, summary);
  add_mixed(chart, columns, sums);
  put_mixed(sums, words, from, to, columns.width);
}

/* Draws all visible rows of a run, and adds up its summary. `scale`: pixels of the screen in one of CSS. */
function draw_raster(chart, run, scale) {
  const {view} = chart, many = view.height / view.row_height > MANY_ROWS, height = Math.round(view.height * scale);
  const width = Math.max(1, Math.round(view.width * scale / (many ? 2 : 1))); /* wider columns keep the picture quick */
  const {canvas, paint, image, words} = picture_of(run, "picture", width, height), columns = run.columns?.width === width
    ? run.columns : run.columns = make_columns(width);
  const sums = run.sums?.length === 4 * width ? run.sums : run.sums = new Float32Array(4 * width);
  const row_height = view.row_height * scale, lane = lane_height(chart) * scale, top = view.top * scale;
  const gap = row_height >= 6 ? Math.min(3 * scale, Math.max(1, row_height / 8)) : 0;
  const first = Math.max(0, Math.floor(top / row_height));
  const summary = run.summary = {
    rows: 0, waits: new Float32Array(width), mpi: new Float32Array(width),
    computes: Array.from({length: LISTED_REGIONS + 1}, () => new Float32Array(width)),
  };
  let line = -1;
  sums.fill(0);
  for (let r = first; r < run.rows.length && r * row_height - top < height; r++) {
    const y = r * row_height - top, at = Math.max(0, Math.floor(y));
    summary.rows++;
    if (row_height >= STACKED_ROW) {
      clear_columns(columns);
      fill_columns(chart, run, run.rows[r], columns);
      add_to_summary(columns, summary);
      const from = Math.max(0, Math.round(y + gap / 2)), until = Math.min(height, Math.round(y + Math.min(lane, row_height - gap / 2)));
      if (until > from)
        put_stacked(chart, columns, words, from, until - from);
      continue;
    }
    if (at !== line) {
      if (line >= 0)
        finish_line(chart, columns, sums, summary, words, line, Math.max(line + 1, at));
      clear_columns(columns);
      line = at;
    }
    fill_columns(chart, run, run.rows[r], columns); /* ranks that share a line of pixels are added up */
  }
  if (line >= 0)
    finish_line(chart, columns, sums, summary, words, line,
      Math.min(height, Math.max(line + 1, Math.floor(Math.min(height, run.rows.length * row_height - top)))));
  paint.putImageData(image, 0, 0);
  chart.paint.drawImage(canvas, LABELS, run.rows_top, view.width, view.height);
}

/* --- the summary ------------------------------------------------------------------------------ */

/* slots[region]: its place in the summary. */
function choose_slots(chart) {
  for (const run of chart.runs)
    run.slots = run.regions.map(region => region.mpi ? LISTED_REGIONS : Math.min(LISTED_REGIONS, chart.names.indexOf(region.name)));
}

/* Of all visible ranks together: from below, computation by function, MPI, waiting. */
function draw_summary(chart, run, scale) {
  const {view, shades, paint} = chart, {summary} = run;
  if (!view.summary || summary.rows === 0)
    return;
  const width = summary.mpi.length, height = Math.round(SUMMARY * scale);
  const {canvas, paint: brush, image, words} = picture_of(run, "summary_picture", width, height);
  const place = new Map(run.regions.map((region, i) => [run.slots[i], region.place]));
  const layers = summary.computes.map((values, slot) => [values, slot < LISTED_REGIONS && place.has(slot)
    ? pixel(shades.palette[place.get(slot)][0]) : pixel(color_parts(chart.colors.muted))]);
  layers.push([summary.mpi, pixel(shades.mpi[0])], [summary.waits, 0]);
  const wait = pixel(shades.wait[0]), lines = pixel(shades.wait_line[0]), unit = height / SHARES / summary.rows;
  for (let x = 0; x < width; x++) {
    let sum = 0, y = height;
    for (const [values, color] of layers) {
      sum += values[x];
      for (const stop = height - Math.round(sum * unit); y > stop && y > 0;) {
        y--;
        words[y * width + x] = color || ((x + y) % LINES_APART < 2 ? lines : wait);
      }
    }
  }
  brush.putImageData(image, 0, 0);
  paint.drawImage(canvas, LABELS, run.summary_top, view.width, SUMMARY);
}
