/* Colours. MPI is red and waiting is amber with lines across it, in all pages. The colour of another region
 * depends on its name, so that it is the same in all pages; none of them is red, orange, yellow, green or
 * brown, so that nobody mistakes one for MPI or waiting, whatever colours they see. */
const PALETTE = ["#2f62b5", "#a9d3f5", "#142a55", "#b0469f", "#f0bde6", "#5c1c56", "#1d8ea0", "#9be3ea", "#0d4750",
                 "#7a5fd0", "#d9d0f7", "#3c2a86", "#8a929f", "#d0d5dc", "#454c59", "#5a6bff", "#d87fc8"];
const COLOR_NAMES = ["back", "text", "muted", "line", "accent", "mpi", "wait", "wait-line", "message", "path", "casing",
                     "band-a", "band-b", "cut", "on-cut"];
const DIMMED = 0.18; /* what is left of the colours that a search does not mean */

/* FNV-1a */
function hash(text) {
  let value = 2166136261;
  for (let i = 0; i < text.length; i++)
    value = Math.imul(value ^ text.charCodeAt(i), 16777619);
  return value >>> 0;
}

/* What people see who lack the cones for red or for green, as matrices for linear red, green and blue (Machado, Oliveira,
 * Fernandes 2009: protanopia, deuteranopia). */
const DICHROMATS = [[[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
                    [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]];

function seen_by(matrix, {r, g, b}) {
  const linear = [r, g, b].map(part => (part / 255) ** 2.2);
  const [red, green, blue] = matrix.map(row => 255 * Math.min(1, Math.max(0, row[0] * linear[0] + row[1] * linear[1] + row[2] * linear[2])) ** (1 / 2.2));
  return {r: red, g: green, b: blue};
}

/* How much two colours differ for those who see the least difference. */
function color_distance(a, b) {
  const between = (one, other) => Math.hypot(one.r - other.r, one.g - other.g, one.b - other.b);
  return Math.min(between(a, b), ...DICHROMATS.map(matrix => between(seen_by(matrix, a), seen_by(matrix, b))));
}

/* The first free colour from a place on that differs most clearly from those taken. */
function free_place(start, taken) {
  const parts = free_place.parts ||= PALETTE.map(color_parts);
  const distances = free_place.distances ||= parts.map(one => parts.map(other => color_distance(one, other)));
  for (const least of [120, 80, 50, 30, 1])
    for (let i = 0; i < PALETTE.length; i++) {
      const place = (start + i) % PALETTE.length;
      if (taken.every(other => distances[place][other] >= least))
        return place;
    }
  return start;
}

/* Chosen by the hash of the name, those with most time first; if that colour is too much like one that is
 * taken, the next. The same for the regions of both runs. */
function choose_places(chart) {
  const totals = new Map(), places = new Map();
  for (const run of chart.runs)
    for (const region of run.regions)
      if (!region.mpi)
        totals.set(region.name, (totals.get(region.name) || 0) + region.total);
  const names = [...totals.keys()].sort((a, b) => totals.get(b) - totals.get(a) || (a < b ? -1 : 1));
  let taken = [];
  for (const name of names) {
    const place = free_place(hash(name) % PALETTE.length, taken);
    taken.push(place);
    if (taken.length === PALETTE.length)
      taken = [];
    places.set(name, place);
  }
  for (const run of chart.runs)
    for (const region of run.regions)
      region.place = region.mpi ? -1 : places.get(region.name);
  chart.names = names;
}

/* A CSS colour as {r, g, b}, by painting it. */
function color_parts(color) {
  const brush = color_parts.brush ||= Object.assign(document.createElement("canvas"), {width: 1, height: 1})
    .getContext("2d", {willReadFrequently: true});
  brush.fillStyle = color;
  brush.fillRect(0, 0, 1, 1);
  const [r, g, b] = brush.getImageData(0, 0, 1, 1).data;
  return {r, g, b};
}

const mixed = (a, b, share) => ({
  r: a.r * share + b.r * (1 - share), g: a.g * share + b.g * (1 - share), b: a.b * share + b.b * (1 - share),
});
const pixel = ({r, g, b}) => (0xff000000 | Math.round(b) << 16 | Math.round(g) << 8 | Math.round(r)) >>> 0;
const css = ({r, g, b}) => "rgb(" + Math.round(r) + "," + Math.round(g) + "," + Math.round(b) + ")";

function hatched(chart, ground, lines) {
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
  return chart.paint.createPattern(tile, "repeat");
}

/* Reads the colours of the page, which follow the user's wish for light or dark. Shades are [plain, dimmed]. */
function read_colors(chart) {
  const style = getComputedStyle(chart.element), colors = chart.colors = {};
  for (const name of COLOR_NAMES)
    colors[name.replace("-", "_")] = style.getPropertyValue("--tl-" + name).trim();
  const back = color_parts(colors.back), shades = color => {
    const parts = color_parts(color);
    return [parts, mixed(parts, back, DIMMED)];
  };
  chart.shades = {back, palette: PALETTE.map(shades), mpi: shades(colors.mpi), wait: shades(colors.wait), wait_line: shades(colors.wait_line)};
  for (const run of chart.runs)
    run.shades = run.regions.map(region => region.mpi ? chart.shades.mpi : chart.shades.palette[region.place]);
  chart.hatch = hatched(chart, colors.wait, colors.wait_line);
  chart.perturbed = hatched(chart, colors.back, colors.muted);
}

function region_color(chart, region) {
  return region.mpi ? chart.colors.mpi : PALETTE[region.place];
}
