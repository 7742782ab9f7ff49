/* The visible part of the trace: times begin .. end across the plot, rows from `top` pixels on. */
const canvas = document.getElementById("canvas");
const LABELS = 70, RIGHT = 12; /* pixels left and right of the plot */
let AXIS = 26; /* pixels above the rows: the axis, and the bands */
const LOWEST_ROW = 0.3, FITTING_ROW = 44, HIGHEST_ROW = 80, SHORTEST = 20; /* pixels; ticks */
const view = {
  begin: 0, end: trace.length, top: 0, row_height: 0,
  width: 1, height: 1, /* of the plot */
  only_path: false, messages: true, selected: -1,
};

function x_of(time) {
  return LABELS + (time - view.begin) / (view.end - view.begin) * view.width;
}

function time_of(x) {
  return view.begin + (x - LABELS) / view.width * (view.end - view.begin);
}

function y_of(row) {
  return AXIS + row * view.row_height - view.top;
}

function middle_of(row) {
  return y_of(row) + view.row_height / 2;
}

function row_at(y) {
  const row = Math.floor((y - AXIS + view.top) / view.row_height);
  return y >= AXIS && row >= 0 && row < trace.rows.length ? row : -1;
}

function clamp(value, low, high) {
  return Math.max(low, Math.min(high, value));
}

function fitting_height() {
  return clamp(view.height / Math.max(1, trace.rows.length), LOWEST_ROW, FITTING_ROW);
}

/* Leaves a little room beside the trace, so that its ends are visible. */
function view_set(begin, end) {
  const room = 0.02 * trace.length;
  const span = clamp(end - begin, Math.min(SHORTEST, trace.length), trace.length + 2 * room);
  const middle = (begin + end) / 2;
  view.begin = clamp(middle - span / 2, -room, trace.length + room - span);
  view.end = view.begin + span;
  redraw();
}

function view_zoom(factor, time) {
  const share = (time - view.begin) / (view.end - view.begin);
  const span = clamp((view.end - view.begin) * factor, Math.min(SHORTEST, trace.length), 1.04 * trace.length);
  view_set(time - share * span, time + (1 - share) * span);
}

function view_move(share) {
  const by = share * (view.end - view.begin);
  view_set(view.begin + by, view.end + by);
}

function view_scroll(pixels) {
  const most = Math.max(0, trace.rows.length * view.row_height - view.height);
  view.top = clamp(view.top + pixels, 0, most);
  redraw();
}

function view_row_height(height, y) {
  const row = (y - AXIS + view.top) / view.row_height;
  view.row_height = clamp(height, fitting_height(), HIGHEST_ROW);
  view.top = row * view.row_height - (y - AXIS);
  view_scroll(0);
}

function view_whole() {
  view.row_height = fitting_height();
  view.top = 0;
  view_set(0, trace.length);
}

/* Shows a wait of the path together with what it waits for and what follows. */
function view_wait(index) {
  const wait = trace.waits[index];
  const span = Math.max(wait.leave - Math.min(wait.enter, wait.departure), SHORTEST);
  view.selected = index;
  const apart = Math.abs(wait.row - wait.other_row) + 3;
  view.row_height = clamp(view.height / apart, fitting_height(), Math.max(20, fitting_height()));
  view.top = ((wait.row + wait.other_row + 1) * view.row_height - view.height) / 2;
  view_scroll(0);
  view_set(Math.min(wait.enter, wait.departure) - 0.6 * span, wait.leave + 0.6 * span);
}
