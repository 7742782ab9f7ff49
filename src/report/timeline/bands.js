/* Bands above the rows of a run: what repeats in it, one band for each level; the next level shows what is
 * inside of the representative iteration. Without a structure in the data there are none. */
const TITLE = 14, STRIP = 14, BAND_GAP = 4; /* pixels: a band has a title above its strip */
const BANDS_MOST = 6; /* levels; deeper ones are only in the list */

function make_bands(run) {
  run.bands = {
    stretches: [], /* as bands.h has them, with `at`: [boundaries] */
    levels: 0, selected: null, iteration: -1, /* the one that the keys have chosen */
  };
  for (const stretch of run.data.bands || []) {
    stretch.begin *= run.tick;
    stretch.end *= run.tick;
    if (stretch.iterations) {
      let time = stretch.begin;
      stretch.period *= run.tick;
      stretch.at = Float64Array.from([0, ...stretch.bounds], length => time += length * run.tick);
      stretch.callpath = stretch.callpath < 0 ? -1 : run.paths.index.get(stretch.callpath);
    }
    run.bands.stretches.push(stretch);
    run.bands.levels = Math.min(BANDS_MOST, Math.max(run.bands.levels, stretch.level));
  }
}

function bands_height(chart, run) {
  return chart.view.bands && run.bands.levels > 0 ? run.bands.levels * (TITLE + STRIP + BAND_GAP) + 2 : 0;
}

function band_y(run, level) {
  return run.bands_top + (level - 1) * (TITLE + STRIP + BAND_GAP);
}

/* --- words ------------------------------------------------------------------------------------ */

function stretch_name(run, stretch, most) {
  return stretch.callpath < 0 ? "" : path_text(run, stretch.callpath, most) + (stretch.calls > 1 ? " \u2026" : "");
}

function stretch_title(run, stretch, calls) {
  if (stretch.flushing)
    return "perturbed";
  return stretch.iterations + " \u00d7 " + time_text(stretch.period) + (calls > 0 ? "  " + stretch_name(run, stretch, calls) : "");
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

function iteration_text(run, stretch, i) {
  const first = i * stretch.stride, last = Math.min(stretch.iterations, first + stretch.stride) - 1;
  const length = stretch.at[i + 1] - stretch.at[i], usual = stretch.period * (last - first + 1);
  const holds = (from, to) => first < to && last >= from;
  return (first === last ? "iteration " + (first + 1) : "iterations " + (first + 1) + " to " + (last + 1)) +
    " of " + stretch.iterations + ": " + time_text(length) + ", " + percent_text(length / usual - 1) +
    " from the median of " + time_text(usual) +
    (stretch.callpath < 0 ? "" : "\neach begins with " + stretch_name(run, stretch, 40)) +
    (holds(stretch.representative, stretch.representative + 1) ? "\nthe most typical iteration; its inside is shown below" : "") +
    (holds(stretch.cut, stretch.cut + stretch.cut_count) ? "\ncut out as a separate trace" : "");
}

function stretch_text(run, stretch, time) {
  if (stretch.iterations)
    return iteration_text(run, stretch, iteration_at(stretch, time)) + "\nfrom " + time_text(stretch.at[iteration_at(stretch, time)], 9);
  return (stretch.flushing ? "perturbed: buffers were flushed or cores lost" : "does not repeat") + "\nfrom " +
    time_text(stretch.begin, 9) + ", for " + time_text(stretch.end - stretch.begin, 5);
}

function stretch_at(chart, run, x, y) {
  if (bands_height(chart, run) === 0 || x < LABELS)
    return null;
  const time = time_of(chart, run, x);
  return run.bands.stretches.find(stretch => time >= stretch.begin && time < stretch.end &&
    y >= band_y(run, stretch.level) && y < band_y(run, stretch.level) + TITLE + STRIP) || null;
}

function stretches_of_level(run, level) {
  return run.bands.stretches.filter(stretch => stretch.iterations && stretch.level === level);
}

/* The begin of the iteration at `time` in one run and of the same iteration in the other. null: none. */
function iteration_pair(run, other, time) {
  const level = run.bands.selected ? run.bands.selected.level : 1;
  const stretches = stretches_of_level(run, level), others = stretches_of_level(other, level);
  let place = stretches.findIndex(stretch => time < stretch.end);
  place = place < 0 ? stretches.length - 1 : place;
  const stretch = stretches[place], partner = others[place];
  if (!stretch || !partner)
    return null;
  const i = clamp(iteration_at(stretch, time), 0, stretch.at.length - 2), number = i * stretch.stride;
  const j = clamp(Math.floor(number / partner.stride), 0, partner.at.length - 2);
  return {here: stretch.at[i], there: partner.at[j], number: number + 1};
}

/* --- drawing ---------------------------------------------------------------------------------- */

/* Iterations side by side in two shades; where they are narrower than two pixels, one shade. */
function draw_iterations(chart, run, stretch, y) {
  const {paint, colors, view} = chart, x = i => x_of(chart, run, stretch.at[i]);
  const last = Math.min(stretch.at.length - 2, iteration_at(stretch, view.end + run.shift));
  const first = iteration_at(stretch, view.begin + run.shift), from = x(first), to = x(last + 1);
  paint.fillStyle = colors.band_a;
  paint.fillRect(from, y, to - from, STRIP);
  if ((to - from) / (last - first + 1) >= 2) {
    paint.fillStyle = colors.band_b;
    for (let i = first; i <= last; i++)
      if (i % 2 === 1)
        paint.fillRect(x(i), y, x(i + 1) - x(i), STRIP);
  }
  mark_iterations(chart, run, stretch, y, first, last);
  number_iterations(chart, stretch, y, first, last, x);
}

/* Cut out: filled. Selected: framed. Representative: a line below. */
function mark_iterations(chart, run, stretch, y, first, last) {
  const {paint, colors} = chart, {stride} = stretch, {bands} = run, x = i => x_of(chart, run, stretch.at[i]);
  const mark = (from, to, draw_it) => {
    const left = x(Math.floor(from / stride)), right = x(Math.min(stretch.at.length - 1, Math.ceil(to / stride)));
    draw_it(left, Math.max(2, right - left));
  };
  if (stretch.cut_count > 0)
    mark(stretch.cut, stretch.cut + stretch.cut_count, (left, width) => {
      paint.fillStyle = colors.cut;
      paint.fillRect(left, y, width, STRIP);
      paint.fillStyle = colors.back;
      for (let i = Math.ceil(stretch.cut / stride) + 1; i * stride < stretch.cut + stretch.cut_count; i++)
        paint.fillRect(x(i) - 0.5, y, 1, STRIP);
    });
  if (bands.selected === stretch && bands.iteration >= first && bands.iteration <= last)
    mark(bands.iteration * stride, (bands.iteration + 1) * stride, (left, width) => {
      paint.strokeStyle = colors.accent;
      paint.lineWidth = 2;
      paint.strokeRect(left + 1, y + 1, width - 2, STRIP - 2);
    });
  mark(stretch.representative, stretch.representative + 1, (left, width) => {
    paint.fillStyle = colors.text;
    paint.fillRect(left, y + STRIP - 2, width, 3);
  });
}

function number_iterations(chart, stretch, y, first, last, x) {
  const {paint, colors, view} = chart;
  paint.font = "10px system-ui, sans-serif";
  paint.textAlign = "center";
  paint.textBaseline = "middle";
  const mean = (x(last + 1) - x(first)) / (last - first + 1), needed = 8 + 6 * String(last + 1).length;
  const every = [1, 2, 5, 10, 20, 50, 100, 200, 500].find(n => n * mean >= needed) || 1000;
  for (let i = first; i <= last && stretch.stride === 1; i++) {
    const from = Math.max(LABELS, x(i)), to = Math.min(LABELS + view.width, x(i + 1));
    const text = (is_cut(stretch, i) && to - from > 50 ? "cut: " : "") + (i + 1);
    paint.fillStyle = is_cut(stretch, i) ? colors.on_cut : colors.text;
    if ((i + 1) % every === 0 && (every > 1 || to - from >= needed - 4))
      paint.fillText(text, (from + to) / 2, y + STRIP / 2);
  }
}

/* A title may go on until the next one of its level. */
function title_end(chart, run, stretch) {
  const next = run.bands.stretches.find(other => other.level === stretch.level && other.begin >= stretch.end &&
    (other.iterations || other.flushing));
  return Math.min(LABELS + chart.view.width, next ? x_of(chart, run, next.begin) : Infinity);
}

/* With less of the call path if there is not enough room. */
function draw_stretch_title(chart, run, stretch, from, y) {
  const {paint, colors} = chart, end = title_end(chart, run, stretch), width = end - from - 7;
  paint.save();
  paint.beginPath();
  paint.rect(from, y, end - from - 6, TITLE);
  paint.clip();
  paint.font = "11px system-ui, sans-serif";
  paint.textAlign = "left";
  paint.textBaseline = "middle";
  paint.fillStyle = colors.text;
  const titles = [2, 1, 0].map(calls => stretch_title(run, stretch, calls));
  if (end - from > 40)
    paint.fillText(titles.find(title => paint.measureText(title).width <= width) || titles[2], from + 1, y + TITLE / 2);
  paint.restore();
}

function draw_stretch(chart, run, stretch) {
  const {paint, colors, view} = chart, y = band_y(run, stretch.level);
  const from = Math.max(LABELS, x_of(chart, run, stretch.begin));
  const to = Math.min(LABELS + view.width, x_of(chart, run, stretch.end));
  if (stretch.iterations) {
    draw_iterations(chart, run, stretch, y + TITLE);
  } else if (stretch.flushing) {
    paint.fillStyle = chart.perturbed;
    paint.fillRect(from, y + TITLE, Math.max(1, to - from), STRIP);
  } else {
    paint.fillStyle = colors.line;
    paint.fillRect(from, y + TITLE + STRIP / 2 - 1, to - from, 2);
    return;
  }
  draw_stretch_title(chart, run, stretch, from, y);
}

function draw_bands(chart, run) {
  const {paint, colors, view} = chart, height = bands_height(chart, run);
  if (height === 0)
    return;
  paint.save();
  paint.beginPath();
  paint.rect(LABELS, run.bands_top, view.width, height);
  paint.clip();
  for (const stretch of run.bands.stretches)
    if (stretch.level <= run.bands.levels && stretch.end > view.begin + run.shift && stretch.begin < view.end + run.shift)
      draw_stretch(chart, run, stretch);
  paint.restore();
  paint.font = "11px system-ui, sans-serif";
  paint.textAlign = "right";
  paint.textBaseline = "middle";
  paint.fillStyle = colors.text;
  for (let level = 1; level <= run.bands.levels; level++)
    paint.fillText("level " + level, LABELS - 8, band_y(run, level) + TITLE + STRIP / 2);
}

/* --- going from iteration to iteration -------------------------------------------------------- */

/* Shows an iteration with a little of its neighbours. */
function show_iteration(chart, run, stretch, i) {
  const length = stretch.at[i + 1] - stretch.at[i];
  run.bands.selected = stretch;
  run.bands.iteration = i;
  view_set(chart, stretch.at[i] - 0.15 * length - run.shift, stretch.at[i + 1] + 0.15 * length - run.shift);
}

function show_stretch(chart, run, stretch) {
  const length = stretch.end - stretch.begin;
  run.bands.selected = stretch.iterations ? stretch : null;
  run.bands.iteration = -1;
  view_set(chart, stretch.begin - 0.02 * length - run.shift, stretch.end + 0.02 * length - run.shift);
}

/* The keys go through the iterations of the stretch that was chosen last; from the representative
 * one of the first stretch that repeats if none was. */
function step_iteration(chart, by) {
  const run = chart.runs[0], {bands} = run, stretch = bands.selected || bands.stretches.find(s => s.iterations);
  if (!stretch)
    return;
  const at = bands.selected === stretch && bands.iteration >= 0 ? bands.iteration + by
    : Math.floor(stretch.representative / stretch.stride);
  show_iteration(chart, run, stretch, clamp(at, 0, stretch.at.length - 2));
}
