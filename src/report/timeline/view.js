/* What is visible: times begin .. end of the first run across the plot; the second run is shifted so that
 * the aligned moments are one above the other. Rows from `top` pixels on, the same in both runs. */
const LABELS = 78, RIGHT = 12, AXIS = 42; /* pixels left, right and above */
const HEADING = 20, SUMMARY = 40, SPACE = 6; /* of a run: its heading, its summary; pixels below */
const LOWEST_ROW = 0.05, FITTING_ROW = 200, HIGHEST_ROW = 600, SHORTEST = 20; /* pixels; ticks */
const LANE = [14, 48], LAYER = [8, 36]; /* lowest and highest lane of a row, and call of its stack */
const LOWEST_CANVAS = 480; /* pixels, with legend and notes: the lists beside it need room */
const LOWEST_ROWS = 100; /* of a run, pixels */

const clamp = (value, low, high) => Math.max(low, Math.min(high, value));

function make_view(chart) {
  return {
    begin: 0, end: chart.length, top: 0, row_height: 0, width: 1, height: 1, /* of one run's rows */
    only_path: false, messages: true, own_messages: false, bands: true, summary: true, selected_wait: -1,
  };
}

function x_of(chart, run, time) {
  const {view} = chart;
  return LABELS + (time - run.shift - view.begin) / (view.end - view.begin) * view.width;
}

function time_of(chart, run, x) {
  const {view} = chart;
  return view.begin + run.shift + (x - LABELS) / view.width * (view.end - view.begin);
}

function y_of(chart, run, row) {
  return run.rows_top + row * chart.view.row_height - chart.view.top;
}

/* The height of a row's own lane: below it is the stack, if there is room. */
function lane_height(chart) {
  return stack_layer(chart) > 0 ? clamp(chart.view.row_height * 0.3, ...LANE) : chart.view.row_height;
}

/* The height of a call of the stack; 0: there is no room for stacks. */
function stack_layer(chart) {
  const {view} = chart, layer = (view.row_height - clamp(view.row_height * 0.3, ...LANE) - 4) / chart.deepest;
  return layer >= LAYER[0] ? Math.min(LAYER[1], layer) : 0;
}

function middle_of(chart, run, row) {
  return y_of(chart, run, row) + lane_height(chart) / 2;
}

function row_at(chart, run, y) {
  const row = Math.floor((y - run.rows_top + chart.view.top) / chart.view.row_height);
  return y >= run.rows_top && y < run.rows_top + chart.view.height && row >= 0 && row < run.rows.length ? row : -1;
}

/* The run whose part of the canvas holds y. */
function run_at(chart, y) {
  return chart.runs.find(run => y >= run.panel_top && y < run.panel_top + run.panel_height) || null;
}

function row_count(chart) {
  return Math.max(1, ...chart.runs.map(run => run.rows.length));
}

/* Two ranks fill the plot; rows that are higher show nothing more. */
function useful_height(chart) {
  return Math.min(FITTING_ROW, 4 + LANE[1] + LAYER[1] * chart.deepest);
}

function fitting_height(chart) {
  return clamp(chart.view.height / row_count(chart), LOWEST_ROW, useful_height(chart));
}

/* Few rows do not need all of the canvas: in a page with other parts it becomes lower. In a low window it becomes
 * higher, so that rows can be told apart. `fixed`: pixels of all that is not rows. */
function limit_canvas(chart, fixed) {
  const {parts, runs} = chart, around = AXIS + fixed + parts.legend.offsetHeight + parts.notes.offsetHeight;
  const rows = runs.length * row_count(chart) * useful_height(chart), least = around + runs.length * Math.min(LOWEST_ROWS, 8 * row_count(chart)) + "px";
  parts.plot.style.minHeight = least;
  if (!chart.hooks.alone)
    Object.assign(parts.main.style, {maxHeight: Math.max(LOWEST_CANVAS, around + rows) + "px", minHeight: least});
}

/* Shares out the canvas. Rows that filled the plot before fill it again. */
function lay_out(chart) {
  const {view, runs} = chart, fits = view.row_height === 0 || view.row_height === fitting_height(chart);
  const heading = runs.length > 1 ? HEADING : 0, summary = view.summary ? SUMMARY + SPACE : 0;
  const fixed = runs.map(run => heading + bands_height(chart, run) + summary + SPACE);
  const all_fixed = fixed.reduce((a, b) => a + b, 0);
  limit_canvas(chart, all_fixed);
  const left = chart.canvas.clientHeight - AXIS - all_fixed, most = row_count(chart) * Math.max(view.row_height, useful_height(chart));
  view.width = Math.max(1, chart.canvas.clientWidth - LABELS - RIGHT);
  view.height = clamp(Math.floor(left / runs.length), 20, most);
  let y = AXIS;
  runs.forEach((run, i) => {
    run.panel_top = y;
    run.panel_height = fixed[i] + view.height;
    run.bands_top = y + heading;
    run.summary_top = run.bands_top + bands_height(chart, run);
    run.rows_top = run.summary_top + summary;
    y += run.panel_height;
  });
  if (fits)
    view.row_height = fitting_height(chart);
  view_scroll(chart, 0);
}

/* --- moving ----------------------------------------------------------------------------------- */

/* The times that there are, in those of the first run. */
function whole_span(chart) {
  return [Math.min(...chart.runs.map(run => -run.shift)), Math.max(...chart.runs.map(run => run.length - run.shift))];
}

/* Leaves a little room beside the trace, so that its ends are visible. */
function view_set(chart, begin, end) {
  const {view} = chart, [first, last] = whole_span(chart), room = 0.02 * (last - first);
  const span = clamp(end - begin, Math.min(SHORTEST * chart.tick, last - first), last - first + 2 * room);
  view.begin = clamp((begin + end - span) / 2, first - room, last + room - span);
  view.end = view.begin + span;
  align(chart);
  redraw(chart);
}

function view_zoom(chart, factor, time) {
  const {view} = chart, share = (time - view.begin) / (view.end - view.begin);
  const [first, last] = whole_span(chart);
  const span = clamp((view.end - view.begin) * factor, SHORTEST * chart.tick, 1.04 * (last - first));
  view_set(chart, time - share * span, time + (1 - share) * span);
}

function view_move(chart, share) {
  const by = share * (chart.view.end - chart.view.begin);
  view_set(chart, chart.view.begin + by, chart.view.end + by);
}

/* Moves the middle of the view to a place of the strip above the axis, which stands for all times. */
function view_jump(chart, x) {
  const {view} = chart, [first, last] = whole_span(chart), half = (view.end - view.begin) / 2;
  const middle = first + clamp((x - LABELS) / view.width, 0, 1) * (last - first);
  view_set(chart, middle - half, middle + half);
}

function view_scroll(chart, pixels) {
  const {view} = chart, most = Math.max(0, row_count(chart) * view.row_height - view.height);
  view.top = clamp(view.top + pixels, 0, most);
  redraw(chart);
}

/* `y`: what is there stays there, in pixels from the top of the rows. */
function view_row_height(chart, height, y) {
  const {view} = chart, row = (y + view.top) / view.row_height;
  view.row_height = clamp(height, Math.min(fitting_height(chart), HIGHEST_ROW), HIGHEST_ROW);
  view.top = row * view.row_height - y;
  lay_out(chart);
}

function view_whole(chart) {
  chart.view.row_height = fitting_height(chart);
  chart.view.top = 0;
  view_set(chart, ...whole_span(chart));
}

function show_row(chart, row) {
  const {view} = chart, y = row * view.row_height - view.top;
  if (y < 0 || y + view.row_height > view.height)
    view_scroll(chart, y - (view.height - view.row_height) / 2);
}

/* A rank's row becomes so high that its stack unfolds; or all rows fit again. */
function unfold(chart, row) {
  const {view} = chart, height = Math.min(HIGHEST_ROW, Math.max(30 + 14 * chart.deepest, fitting_height(chart)));
  view.row_height = stack_layer(chart) > 0 && view.row_height > fitting_height(chart) ? fitting_height(chart) : height;
  view.top = row * view.row_height - (view.height - view.row_height) / 2;
  view_scroll(chart, 0);
}

/* Shows a wait of the path together with what it waits for and what follows. */
function view_wait(chart, run, index) {
  const {view} = chart, wait = run.waits[index];
  const span = Math.max(wait.leave - Math.min(wait.enter, wait.departure), SHORTEST * run.tick);
  view.selected_wait = index;
  const apart = Math.abs(wait.row - wait.other_row) + 3;
  view.row_height = Math.max(fitting_height(chart), Math.min(view.height / apart, 20));
  view.top = ((wait.row + wait.other_row + 1) * view.row_height - view.height) / 2;
  view_scroll(chart, 0);
  view_set(chart, Math.min(wait.enter, wait.departure) - 0.6 * span - run.shift, wait.leave + 0.6 * span - run.shift);
}

/* --- alignment of two runs -------------------------------------------------------------------- */

/* The same visit in the other run: the rank's call of the same number. While pieces are merged it is the
 * piece that holds that call. -1: the rank has no row or not so many calls. */
function same_call(run, piece, row, other) {
  const {rank, thread} = run.rows[row], other_row = other.all_rows.find(each => each.rank === rank && each.thread === thread);
  if (!other_row)
    return -1;
  let low = other_row.first, high = other_row.end;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (other.calls[middle] < run.calls[piece])
      low = middle + 1;
    else
      high = middle;
  }
  return low < other_row.end ? low : -1;
}

/* Sets the second run's shift. By iteration, the iteration in the middle of the picture begins at the same
 * place in both. */
function align(chart) {
  const [run, other] = chart.runs;
  chart.anchor = null;
  if (!other)
    return;
  if (chart.align === "start") {
    other.shift = 0;
  } else if (chart.align === "iteration") {
    const pair = iteration_pair(run, other, (chart.view.begin + chart.view.end) / 2);
    if (pair) {
      other.shift = pair.there - pair.here;
      chart.anchor = {time: pair.here, text: "iteration " + pair.number};
    }
  } else if (chart.aligned_call) {
    other.shift = chart.aligned_call.there - chart.aligned_call.here;
    chart.anchor = {time: chart.aligned_call.here, text: chart.aligned_call.text};
  }
}

/* Aligns at the selected piece. False if it has no counterpart. */
function align_at_selection(chart) {
  const picked = chart.picked;
  if (!picked || chart.runs.length < 2)
    return false;
  const index = chart.runs.indexOf(picked.run), other = chart.runs[1 - index];
  const there = same_call(picked.run, picked.piece, picked.row, other);
  if (there < 0)
    return false;
  const times = [picked.run.begin[picked.piece], other.begin[there]];
  chart.aligned_call = {
    here: times[index], there: times[1 - index],
    text: region_of(picked.run, picked.run.path[picked.piece]).name + ", " + row_name(picked.run.rows[picked.row]),
  };
  chart.align = "call";
  view_set(chart, chart.view.begin, chart.view.end);
  return true;
}
