/* Plots: an SVG with axes, and marks in it. Their sizes are in units of a plot that is 620 wide, which is scaled to its place. */
function plot(label, {width = 620, height = 250, left = 46, right = 12, top = 10, bottom = 40} = {}) {
  const svg = d3.create("svg").attr("viewBox", [0, 0, width, height]).attr("role", "img").attr("aria-label", label);
  return {svg, width, height, left, top, right: width - right, bottom: height - bottom};
}

/* `ticks`: about how many, or a list of values. */
function axis_of(axis, group, {ticks = 5, format = null, grid = 0}) {
  if (Array.isArray(ticks))
    axis.tickValues(ticks);
  else
    axis.ticks(ticks);
  group.call(axis.tickFormat(format).tickSizeInner(grid ? -grid : 6).tickSizeOuter(0).tickPadding(grid ? 7 : 3));
  group.selectAll(".tick text").text(function () { return this.textContent.replace("-", "\u2212"); });
  group.classed("grid", grid > 0).selectAll(".tick").filter(value => grid > 0 && value === 0).attr("class", "tick zero");
}

const TICK_LETTER = 6.5; /* about the width of a letter of a tick */

/* The last label ends where the plot ends. */
function keep_labels_inside(group, width) {
  group.selectAll(".tick").each(function () {
    const text = d3.select(this).select("text"), x = Number(/translate\(([^,)]*)/.exec(this.getAttribute("transform"))[1]);
    if (x + text.text().length * TICK_LETTER / 2 > width)
      text.attr("text-anchor", "end").attr("x", width - x);
  });
}

/* Axes below and left of a plot. `grid`: lines across the plot; `name`: what the values are. */
function axis_below(drawn, scale, {name = "", grid = false, ...options} = {}) {
  const group = drawn.svg.append("g").attr("transform", `translate(0,${drawn.bottom})`);
  axis_of(d3.axisBottom(scale), group, {...options, grid: grid ? drawn.bottom - drawn.top : 0});
  keep_labels_inside(group, drawn.width);
  drawn.svg.append("text").attr("class", "faint").attr("x", (drawn.left + drawn.right) / 2).attr("y", drawn.height - 5).attr("text-anchor", "middle").text(name);
}

function axis_left(drawn, scale, {name = "", grid = false, ...options} = {}) {
  axis_of(d3.axisLeft(scale), drawn.svg.append("g").attr("transform", `translate(${drawn.left},0)`), {...options, grid: grid ? drawn.right - drawn.left : 0});
  drawn.svg.append("text").attr("class", "faint").attr("transform", `translate(13,${(drawn.top + drawn.bottom) / 2}) rotate(-90)`).attr("text-anchor", "middle").text(name);
}

/* An interval from one point to another, dashed if it is none with a confidence. */
function interval(group, x, y, claimed = true) {
  const cap = x[0] === x[1] ? "m-4,0h8" : "m0,-4v8";
  return group.append("path").attr("class", claimed ? "interval" : "interval weak").attr("d", `M${x[0]},${y[0]}L${x[1]},${y[1]}${claimed ? `M${x[0]},${y[0]}${cap}M${x[1]},${y[1]}${cap}` : ""}`);
}

/* The first and last letters of a text that is too long for its place. */
function cut_in_middle(text, most) {
  const letters = [...text], first = Math.ceil((most - 1) / 2);
  return letters.length <= most ? text : letters.slice(0, first).join("") + "\u2026" + letters.slice(letters.length - (most - 1 - first)).join("");
}

/* The first letters of a name that is too long for its place, or its last ones. */
function shortened(name, most, keep_end = false) {
  const letters = [...name];
  return letters.length <= most ? name : keep_end ? "\u2026" + letters.slice(1 - most).join("") : letters.slice(0, most - 1).join("") + "\u2026";
}
