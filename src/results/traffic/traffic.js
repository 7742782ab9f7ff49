/* What ranks send to each other (write.c): a matrix, what is in flight over time, sizes, pairs, and collective operations. */
const data = JSON.parse(byid("data").textContent);
const MOST_CELLS = 128; /* rows and columns of the matrix; more ranks are drawn in blocks */
const MOST_ROWS = 20; /* of a table that are visible at once */
const {pairs} = data;
const SUMS = {bytes: i => pairs.bytes[i] + pairs.transferred_bytes[i], messages: i => pairs.messages[i] + pairs.transfers[i]};
const nodes = 1 + d3.max(data.node), numbers = d3.range(pairs.from.length);

function amount_text(value, unit) {
  return unit === "bytes" ? bytes_text(value) : Number.isInteger(value) ? count_text(value) : number_text(value);
}

/* A whole number with all its digits. */
function count_text(value) {
  return String(value).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

/* The rows of the matrix: ranks, blocks of consecutive ranks, or nodes. */
function divisions() {
  const block = Math.ceil(data.ranks / MOST_CELLS);
  const of_ranks = {count: Math.ceil(data.ranks / block), of: rank => Math.floor(rank / block), name: block > 1 ? `blocks of ${block} ranks` : "ranks",
    label: i => block > 1 ? `ranks ${i * block} to ${Math.min(data.ranks, (i + 1) * block) - 1}` : `rank ${i}`};
  const of_nodes = {count: nodes, of: rank => data.node[rank], name: "nodes", label: i => `node ${i}`};
  return nodes > 1 && nodes < data.ranks && nodes <= MOST_CELLS ? [of_ranks, of_nodes] : [of_ranks];
}

function cells_of(division, unit) {
  const sums = d3.rollups(numbers, list => d3.sum(list, SUMS[unit]), i => division.of(pairs.from[i]), i => division.of(pairs.to[i]));
  return sums.flatMap(([from, row]) => row.map(([to, value]) => ({from, to, value}))).filter(cell => cell.value > 0);
}

function draw_matrix(division, unit) {
  const drawn = plot(`${unit} from each to each of the ${division.name}`, {height: 590, left: 60, bottom: 44, right: 16});
  const side = Math.min(drawn.right - drawn.left, drawn.bottom - drawn.top) / division.count, cells = cells_of(division, unit);
  const paint = color_scale(0, d3.max(cells, cell => cell.value) || 1);
  const frame = drawn.svg.append("rect").attr("x", drawn.left).attr("y", drawn.top).attr("width", side * division.count).attr("height", side * division.count);
  frame.attr("fill", "none").style("stroke", "var(--line)");
  drawn.svg.append("g").selectAll("rect").data(cells).join("rect").attr("x", cell => drawn.left + side * cell.to).attr("y", cell => drawn.top + side * cell.from)
    .attr("width", Math.max(1, side - (side > 6 ? 1 : 0))).attr("height", Math.max(1, side - (side > 6 ? 1 : 0))).attr("fill", cell => paint(cell.value))
    .on("mousemove", (event, cell) => show_tip(`${division.label(cell.from)} to ${division.label(cell.to)}: ${amount_text(cell.value, unit)}${unit === "bytes" ? "" : " messages"}`, event))
    .on("mouseleave", event => show_tip("", event));
  const step = Math.ceil(division.count / 16);
  for (const i of d3.range(0, division.count, step)) {
    drawn.svg.append("text").attr("class", "faint").attr("x", drawn.left - 6).attr("y", drawn.top + side * (i + 0.5) + 4).attr("text-anchor", "end").text(i);
    drawn.svg.append("text").attr("class", "faint").attr("x", drawn.left + side * (i + 0.5)).attr("y", drawn.top + side * division.count + 15).attr("text-anchor", "middle").text(i);
  }
  drawn.svg.append("text").attr("class", "faint").attr("x", drawn.left + side * division.count / 2).attr("y", drawn.top + side * division.count + 32).attr("text-anchor", "middle").text("to");
  drawn.svg.append("text").attr("class", "faint").attr("x", 14).attr("y", drawn.top + side * division.count / 2).text("from");
  return drawn.svg.node();
}

/* The matrix, and what it shows. */
function matrix_figure() {
  const choices = divisions(), place = element("div", {}), rows = element("select", {"aria-label": "rows and columns"}, ...choices.map((one, i) => element("option", {value: i}, one.name)));
  const unit = element("select", {"aria-label": "values"}, ...Object.keys(SUMS).map(name => element("option", {value: name}, name)));
  const draw = () => place.replaceChildren(draw_matrix(choices[rows.value], unit.value));
  rows.addEventListener("change", draw);
  unit.addEventListener("change", draw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  draw();
  return figure("Communication matrix", "", element("p", {class: "note"}, rows, " ", unit), place);
}

function flight_figure(unit) {
  const {window_s, mean, most} = data.in_flight, values = data.in_flight[unit], drawn = plot(`${unit} in flight over time`, {left: 70});
  const x = d3.scaleLinear().domain([0, data.length_s]).range([drawn.left, drawn.right]), y = d3.scaleLinear().domain([0, 1.05 * d3.max(values) || 1]).range([drawn.bottom, drawn.top]);
  axis_left(drawn, y, {grid: true, format: value => unit === "bytes" ? bytes_text(value).replace(/(\.\d*?)0+(?=\u202f)/, "$1").replace(".\u202f", "\u202f") : String(value)});
  axis_below(drawn, x, {format: axis_times(data.length_s), name: `means of windows of ${time_text(window_s, 3)}`});
  const steps = values.flatMap((value, i) => [[x(i * window_s), y(value)], [x((i + 1) * window_s), y(value)]]);
  drawn.svg.append("path").attr("d", d3.area().y0(drawn.bottom)(steps)).style("fill", "var(--compute)").style("fill-opacity", 0.6);
  drawn.svg.append("path").attr("d", d3.line()(steps)).attr("fill", "none").style("stroke", "var(--accent)").attr("stroke-width", 1.2);
  return figure(unit === "bytes" ? "Bytes in flight" : "Messages in flight", `mean ${amount_text(mean[unit], unit)}, at most ${amount_text(most[unit], unit)}`, drawn.svg.node());
}

function size_text(size) {
  return size.least_bytes < 2 ? `${size.least_bytes}` : `${bytes_text(size.least_bytes)} \u2013 ${bytes_text(2 * size.least_bytes - 1)}`;
}

function part_text(value, whole) {
  return whole > 0 ? percent_text(100 * value / whole) : "\u2013";
}

/* The pairs with the most bytes first. */
function pairs_table() {
  const order = d3.sort(numbers, (a, b) => d3.descending(SUMS.bytes(a), SUMS.bytes(b)) || d3.ascending(a, b)), whole = d3.sum(numbers, SUMS.bytes);
  return table_of_many(["from", "to", "messages", "bytes", "of all"].map(title => number_cell(title)),
    order.map(i => [String(pairs.from[i]), String(pairs.to[i]), count_text(SUMS.messages(i)), bytes_text(SUMS.bytes(i)), part_text(SUMS.bytes(i), whole)].map(text => number_cell(text))), MOST_ROWS);
}

const transfers = d3.sum(pairs.transfers);
byid("title").textContent = document.title = `Traffic in ${data.trace}`;
byid("verdict").append(`${plural(data.ranks, "rank")} on ${plural(nodes, "node")} send ${data.sent.messages === 1 ? "1 message" : `${count_text(data.sent.messages)} messages`} with ${bytes_text(data.sent.bytes)} in ${time_text(data.length_s)}.`);
append_to(byid("main"), facts_list([["within nodes", data.sent.messages > 0 ? `${part_text(data.within_nodes.messages, data.sent.messages)} of the messages, ${part_text(data.within_nodes.bytes, data.sent.bytes)} of the bytes` : "\u2013"],
  ["from send to receive", data.send_to_receive_s === null ? "\u2013" : `${time_text(data.send_to_receive_s)}, mean of all messages`],
  ...(transfers > 0 ? [["one-sided transfers", `${count_text(transfers)}, ${bytes_text(d3.sum(pairs.transferred_bytes))}; matrix and pairs contain them`]] : []),
  ...(data.unmatched > 0 ? [["without the other end", `${data.unmatched} ends of messages, in none of the sums`]] : [])]),
pairs.from.length > 0 ? section("Who sends to whom", element("div", {class: "figures"}, matrix_figure(), element("div", {}, ...pairs_table()))) : null,
data.sent.messages > 0 ? section("In flight", element("div", {class: "figures"}, flight_figure("bytes"), flight_figure("messages")),
  element("p", {class: "note"}, "A message is in flight from its send to its receive.")) : null,
data.sizes.length > 0 ? section("Sizes of messages", table(["bytes", number_cell("messages"), number_cell(""), number_cell("sum"), number_cell("")],
  data.sizes.map(size => [size_text(size), number_cell(count_text(size.messages)), number_cell(part_text(size.messages, data.sent.messages)),
    number_cell(bytes_text(size.bytes)), number_cell(part_text(size.bytes, data.sent.bytes))]))) : null,
data.collectives.length > 0 ? section("Collective operations", table(["", number_cell("calls"), number_cell("bytes sent")],
  data.collectives.map(one => [one.operation, number_cell(count_text(one.calls)), number_cell(bytes_text(one.bytes))]))) : null);
document.documentElement.dataset.ready = ""; /* for tests: all is drawn */
