/* Bands above the rows: what repeats in the trace, one band for each level; the next level shows what
 * is inside of the representative iteration. Without a structure in the data there are none. */
const TITLE = 14, STRIP = 14, BAND_GAP = 4; /* pixels: a band has a title above its strip */
const BANDS_MOST = 6; /* levels; deeper ones are only in the list */
const bands = {
  stretches: [],      /* as json.c has them, with `at`: [boundaries] */
  levels: 0, top: 24, /* pixels from the top of the canvas */
  shown: true, selected: null, iteration: -1, /* the one that the keys have chosen */
};

for (const stretch of data.bands || []) {
  if (stretch.iterations) {
    stretch.at = new Float64Array(stretch.bounds.length + 1);
    stretch.at[0] = stretch.begin;
    stretch.bounds.forEach((length, i) => { stretch.at[i + 1] = stretch.at[i] + length; });
    stretch.bounds = null;
  }
  bands.stretches.push(stretch);
  bands.levels = Math.min(BANDS_MOST, Math.max(bands.levels, stretch.level));
}

function bands_height() {
  return bands.shown && bands.levels > 0 ? bands.levels * (TITLE + STRIP + BAND_GAP) + 2 : 0;
}

function band_y(level) {
  return bands.top + (level - 1) * (TITLE + STRIP + BAND_GAP);
}

/* --- words ------------------------------------------------------------------------------------ */

function stretch_name(stretch, most) {
  return stretch.callpath < 0 ? "" : callpath_text(stretch.callpath, most) + (stretch.calls > 1 ? " \u2026" : "");
}

function stretch_title(stretch, calls) {
  if (stretch.flushing)
    return "perturbed";
  return stretch.iterations + " \u00d7 " + time_text(stretch.period) + (calls > 0 ? "  " + stretch_name(stretch, calls) : "");
}

function percent_text(share) {
  return (share < 0 ? "\u2212" : "+") + Math.abs(100 * share).toFixed(1) + "\u202f%";
}

function is_cut(stretch, iteration) {
  return iteration >= stretch.cut && iteration < stretch.cut + stretch.cut_count;
}

/* The iteration of a stretch at a time, as the index of its piece of `stride` iterations. */
function iteration_at(stretch, time) {
  let low = 0, high = stretch.at.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (stretch.at[middle] <= time)
      low = middle;
    else
      high = middle;
  }
  return low;
}

function iteration_text(stretch, i) {
  const first = i * stretch.stride, last = Math.min(stretch.iterations, first + stretch.stride) - 1;
  const length = stretch.at[i + 1] - stretch.at[i], usual = stretch.period * (last - first + 1);
  const holds = (from, to) => first < to && last >= from;
  return (first === last ? "iteration " + (first + 1) : "iterations " + (first + 1) + " to " + (last + 1)) +
    " of " + stretch.iterations + ": " + time_text(length) + ", " + percent_text(length / usual - 1) +
    " beside the median of " + time_text(usual) +
    (stretch.callpath < 0 ? "" : "\neach begins with " + stretch_name(stretch, 40)) +
    (holds(stretch.representative, stretch.representative + 1) ? "\nmost like the others: what is inside of it is shown below" : "") +
    (holds(stretch.cut, stretch.cut + stretch.cut_count) ? "\ncut out as a trace of its own" : "");
}

function stretch_text(stretch, time) {
  if (stretch.iterations)
    return iteration_text(stretch, iteration_at(stretch, time)) + "\nfrom " + time_text(stretch.at[iteration_at(stretch, time)], 9);
  return (stretch.flushing ? "perturbed: buffers were flushed or cores lost" : "does not repeat") + "\nfrom " +
    time_text(stretch.begin, 9) + ", for " + time_text(stretch.end - stretch.begin, 5);
}

function stretch_at(x, y) {
  if (bands_height() === 0 || x < LABELS)
    return null;
  const time = time_of(x);
  return bands.stretches.find(stretch => time >= stretch.begin && time < stretch.end &&
    y >= band_y(stretch.level) && y < band_y(stretch.level) + TITLE + STRIP) || null;
}

/* --- drawing ---------------------------------------------------------------------------------- */

/* Iterations side by side in two shades; where they are narrower than two pixels, one shade. */
function draw_iterations(stretch, y) {
  const last = Math.min(stretch.at.length - 2, iteration_at(stretch, view.end));
  const first = iteration_at(stretch, view.begin);
  const from = x_of(stretch.at[first]), to = x_of(stretch.at[last + 1]);
  paint.fillStyle = colors["band-a"];
  paint.fillRect(from, y, to - from, STRIP);
  if ((to - from) / (last - first + 1) >= 2) {
    paint.fillStyle = colors["band-b"];
    for (let i = first; i <= last; i++)
      if (i % 2 === 1)
        paint.fillRect(x_of(stretch.at[i]), y, x_of(stretch.at[i + 1]) - x_of(stretch.at[i]), STRIP);
  }
  mark_iterations(stretch, first, last, y);
  number_iterations(stretch, first, last, y);
}

/* Cut out: filled. Selected: framed. Representative: a line below. */
function mark_iterations(stretch, first, last, y) {
  const stride = stretch.stride, mark = (from, to, draw_it) => {
    const x = x_of(stretch.at[Math.floor(from / stride)]);
    const end = x_of(stretch.at[Math.min(stretch.at.length - 1, Math.ceil(to / stride))]);
    draw_it(x, Math.max(2, end - x));
  };
  if (stretch.cut_count > 0)
    mark(stretch.cut, stretch.cut + stretch.cut_count, (x, width) => {
      paint.fillStyle = colors.cut;
      paint.fillRect(x, y, width, STRIP);
      paint.fillStyle = colors.back;
      for (let i = Math.ceil(stretch.cut / stride) + 1; i * stride < stretch.cut + stretch.cut_count; i++)
        paint.fillRect(x_of(stretch.at[i]) - 0.5, y, 1, STRIP);
    });
  if (bands.selected === stretch && bands.iteration >= first && bands.iteration <= last)
    mark(bands.iteration * stride, (bands.iteration + 1) * stride, (x, width) => {
      paint.strokeStyle = colors.focus;
      paint.lineWidth = 2;
      paint.strokeRect(x + 1, y + 1, width - 2, STRIP - 2);
    });
  mark(stretch.representative, stretch.representative + 1, (x, width) => {
    paint.fillStyle = colors.text;
    paint.fillRect(x, y + STRIP - 2, width, 3);
  });
}

function number_iterations(stretch, first, last, y) {
  paint.font = "10px system-ui, sans-serif";
  paint.textAlign = "center";
  paint.textBaseline = "middle";
  const mean = (x_of(stretch.at[last + 1]) - x_of(stretch.at[first])) / (last - first + 1);
  const needed = 8 + 6 * String(last + 1).length;
  const every = [1, 2, 5, 10, 20, 50, 100, 200, 500].find(n => n * mean >= needed) || 1000;
  for (let i = first; i <= last && stretch.stride === 1; i++) {
    const from = Math.max(LABELS, x_of(stretch.at[i])), to = Math.min(LABELS + view.width, x_of(stretch.at[i + 1]));
    const text = (is_cut(stretch, i) && to - from > 50 ? "cut: " : "") + (i + 1);
    paint.fillStyle = is_cut(stretch, i) ? colors["on-cut"] : colors.text;
    if ((i + 1) % every === 0 && (every > 1 || to - from >= needed - 4))
      paint.fillText(text, (from + to) / 2, y + STRIP / 2);
  }
}

/* A title may go on until the next one of its level. */
function title_end(stretch) {
  const next = bands.stretches.find(other => other.level === stretch.level && other.begin >= stretch.end &&
    (other.iterations || other.flushing));
  return Math.min(LABELS + view.width, next ? x_of(next.begin) : Infinity);
}

/* With less of the call path if there is not enough room. */
function fitting_title(stretch, width) {
  const titles = [2, 1, 0].map(calls => stretch_title(stretch, calls));
  return titles.find(title => paint.measureText(title).width <= width) || titles[2];
}

function draw_stretch(stretch) {
  const y = band_y(stretch.level), from = Math.max(LABELS, x_of(stretch.begin));
  const to = Math.min(LABELS + view.width, x_of(stretch.end));
  if (stretch.iterations) {
    draw_iterations(stretch, y + TITLE);
  } else if (stretch.flushing) {
    paint.fillStyle = perturbed;
    paint.fillRect(from, y + TITLE, Math.max(1, to - from), STRIP);
  } else {
    paint.fillStyle = colors.line;
    paint.fillRect(from, y + TITLE + STRIP / 2 - 1, to - from, 2);
    return;
  }
  paint.save();
  paint.beginPath();
  paint.rect(from, y, title_end(stretch) - from - 6, TITLE);
  paint.clip();
  paint.font = "11px system-ui, sans-serif";
  paint.textAlign = "left";
  paint.textBaseline = "middle";
  paint.fillStyle = colors.text;
  if (title_end(stretch) - from > 40)
    paint.fillText(fitting_title(stretch, title_end(stretch) - from - 7), from + 1, y + TITLE / 2);
  paint.restore();
}

function draw_bands() {
  if (bands_height() === 0)
    return;
  paint.save();
  paint.beginPath();
  paint.rect(LABELS, bands.top, view.width, bands_height());
  paint.clip();
  for (const stretch of bands.stretches)
    if (stretch.level <= bands.levels && stretch.end > view.begin && stretch.begin < view.end)
      draw_stretch(stretch);
  paint.restore();
  paint.font = "11px system-ui, sans-serif";
  paint.textAlign = "right";
  paint.textBaseline = "middle";
  paint.fillStyle = colors.text;
  for (let level = 1; level <= bands.levels; level++)
    paint.fillText("level " + level, LABELS - 8, band_y(level) + TITLE + STRIP / 2);
}

/* --- going from iteration to iteration -------------------------------------------------------- */

/* Shows an iteration with a little of its neighbours. */
function show_iteration(stretch, i) {
  const length = stretch.at[i + 1] - stretch.at[i];
  bands.selected = stretch;
  bands.iteration = i;
  view_set(stretch.at[i] - 0.15 * length, stretch.at[i + 1] + 0.15 * length);
}

function show_stretch(stretch) {
  const length = stretch.end - stretch.begin;
  bands.selected = stretch.iterations ? stretch : null;
  bands.iteration = -1;
  view_set(stretch.begin - 0.02 * length, stretch.end + 0.02 * length);
}

/* The keys go through the iterations of the stretch that was chosen last; from the representative
 * one of the first stretch that repeats if none was. */
function step_iteration(by) {
  const stretch = bands.selected || bands.stretches.find(s => s.iterations);
  if (!stretch)
    return;
  const at = bands.selected === stretch && bands.iteration >= 0 ? bands.iteration + by
    : Math.floor(stretch.representative / stretch.stride);
  show_iteration(stretch, clamp(at, 0, stretch.at.length - 2));
}
