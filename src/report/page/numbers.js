/* Numbers as people read them, and colours of maps of values. */
/* "1.234 ms": the unit suits this value. */
function time_text(seconds, digits = 4) {
  const size = Math.abs(seconds);
  if (size === 0 || !isFinite(size))
    return size === 0 ? "0" : "";
  const [unit, scale] = size >= 1 ? ["s", 1] : size >= 1e-3 ? ["ms", 1e3] : size >= 1e-6 ? ["\u00b5s", 1e6] : ["ns", 1e9];
  return number_text(seconds * scale, digits) + "\u202f" + unit;
}

/* How the ticks of an axis from `least` to `most` are written, all in the unit that suits its end. `digits`: of the axis's length. */
function axis_times(most, digits = 3, least = 0) {
  const size = Math.abs(most), length = Math.abs(most - least), more = length > 0 && length < size ? Math.ceil(Math.log10(size / length)) : 0;
  const [unit, scale] = size >= 1 ? ["s", 1] : size >= 1e-3 ? ["ms", 1e3] : size >= 1e-6 ? ["\u00b5s", 1e6] : ["ns", 1e9];
  return value => Number((value * scale).toPrecision(Math.min(15, digits + more))).toString().replace("-", "\u2212") + "\u202f" + unit;
}

function number_text(value, digits = 4) {
  const size = Math.abs(value);
  if (value === 0 || !isFinite(value))
    return value === 0 ? "0" : "";
  if (size >= 1e15 || size < 1e-6)
    return value.toExponential(digits - 1).replace("-", "\u2212");
  const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(size)));
  const text = value.toFixed(Math.min(decimals, 9));
  return text.replace("-", "\u2212").replace(/^\u2212?\d{5,}/, whole => whole.replace(/\B(?=(\d{3})+$)/g, "\u202f"));
}

function bytes_text(value) {
  const size = Math.abs(value);
  const [unit, scale] = size >= 1e12 ? ["TB", 1e12] : size >= 1e9 ? ["GB", 1e9] : size >= 1e6 ? ["MB", 1e6] : size >= 1e3 ? ["kB", 1e3] : ["B", 1];
  return number_text(value / scale) + "\u202f" + unit;
}

/* The difference of two values; 0 where only rounding tells them apart. */
function difference_of(before, after) {
  return Math.abs(after - before) < 1e-9 * Math.max(Math.abs(before), Math.abs(after)) ? 0 : after - before;
}

function percent_text(value, decimals = 1) {
  if (!isFinite(value))
    return "";
  const text = value.toFixed(value !== 0 && Math.abs(value) < 0.1 ? 2 : decimals);
  return (Number(text) === 0 ? "0" : text.replace("-", "\u2212")) + "\u202f%";
}

/* A value in a metric's unit. Differences have their sign. */
function value_text(value, unit, signed) {
  const text = unit === "sec" ? time_text(value) : unit === "bytes" ? bytes_text(value)
    : unit === "percent" ? percent_text(value, 2)
    : number_text(value) + (unit === "occ" || !unit || value === 0 ? "" : "\u202f" + unit);
  return signed && value > 0 && !/^0\b(?!\.)/.test(text) ? "+" + text : text;
}

function color(name) {
  return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
}

/* Colours of a map of values: from the page's background to the accent, or for differences from
 * blue (less) to red (more). */
function color_scale(low, high, difference) {
  const middle = color("panel");
  if (!difference) {
    const scale = d3.interpolateRgb(d3.interpolateRgb(middle, color("accent"))(0.05), color("accent"));
    const dark = d3.interpolateRgb(color("accent"), color("text"));
    const span = high - low || 1;
    return value => {
      const at = Math.max(0, Math.min(1, (value - low) / span));
      return at < 0.75 ? scale(at / 0.75) : dark((at - 0.75) * 2.4);
    };
  }
  const most = Math.max(Math.abs(low), Math.abs(high)) || 1;
  const more = d3.interpolateRgb(middle, color("more")), less = d3.interpolateRgb(middle, color("less"));
  return value => value >= 0 ? more(Math.min(1, value / most)) : less(Math.min(1, -value / most));
}
