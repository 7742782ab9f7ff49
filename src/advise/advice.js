/* Advice as a page (html.c): the verdict, and a card for each change, best first, with its saving as a bar. */
const {advice, titles, command} = JSON.parse(byid("data").textContent);
const share = value => percent_text(100 * value);

function head_of(item) {
  return item.parts.map(part => part.kind).join(" and ") + ": " + item.parts.map(part => part.region || part.callpath || "everywhere").join(" + ");
}

/* The saving and its interval, on the same scale for all items. */
function saving_bar(saving, most) {
  const x = d3.scaleLinear().domain([0, most]).range([0, 1000]).clamp(true);
  const svg = d3.create("svg").attr("class", "saving-bar").attr("viewBox", "0 0 1000 16").attr("preserveAspectRatio", "none").attr("role", "img").attr("aria-label", share(saving.median) + " of T");
  svg.append("rect").attr("class", "track").attr("y", 7).attr("width", 1000).attr("height", 2);
  svg.append("rect").attr("class", "bar").attr("y", 3).attr("width", x(saving.median)).attr("height", 10);
  svg.append("path").attr("class", "range").attr("vector-effect", "non-scaling-stroke").attr("d", `M${x(saving.low)},8H${x(saving.high)}`);
  return svg.node();
}

function place_of(part) {
  const line = part.file && part.line ? ` (${part.file}:${part.line})` : "";
  return `${part.callpath || part.region || "everywhere"}${line}, on ${part.ranks} of ${plural(advice.ranks, "rank")}`;
}

function moves_of(term, paint, moves) {
  return moves.map(move => [element("span", {class: paint}, term),
    `${titles[move.metric]} in ${move.callpath}: ${time_text(move.before)} \u2192 ${time_text(move.after)}`]);
}

function draw_item(item, number, most) {
  const facts = item.parts.flatMap(part => [["Change", part.change], ["Where", place_of(part)], ...(part.check ? [["Check", part.check]] : []),
    ["Effort", `${part.effort}; read ${part.page}`]]);
  facts.push(...moves_of("Less", "less", item.less), ...moves_of("More", "more", item.more),
    ...item.alternatives.map(other => ["Instead", `${other.change} (${share(other.saving)}, ${other.kind}, effort ${other.effort}): a remedy for the same waits`]));
  return element("li", {},
    element("div", {class: "head"}, element("span", {class: "saving"}, `${number + 1}. ${share(item.saving.median)} of T`), element("h2", {}, head_of(item)),
      element("span", {class: "note"}, `${share(item.saving.low)} to ${share(item.saving.high)}, engine ${item.engine}`)),
    saving_bar(item.saving, most),
    item.trustworthy ? null : element("p", {class: "warning"}, "Not trustworthy: the replays did not have a core for each rank, or lost it for too long."),
    item.parts.length > 1 ? element("p", {class: "note"}, "Make both changes: with only one of them, most of the waiting moves elsewhere.") : null,
    facts_list(facts),
    element("details", {}, element("summary", {}, "Configuration that repeats it (silas-model, silas-replay)"), element("pre", {}, item.config)));
}

function draw_verdict() {
  const best = advice.advice[0], count = advice.advice.length;
  byid("verdict").textContent = count === 0 ? `No change that was tried saves more than ${share(advice.resolution)} of T.`
    : `${share(best.saving.median)} of T can be saved (${share(best.saving.low)} to ${share(best.saving.high)}): ${best.parts.map(part => part.change).join(" ")}` +
      (count > 1 ? ` This is the best of ${count} changes.` : "");
}

document.title = "Advice for " + advice.trace;
byid("title").textContent = `${advice.trace}, ${plural(advice.ranks, "rank")}: T ${time_text(advice.time, 5)}`;
draw_verdict();
const most = d3.max(advice.advice, item => Math.max(item.saving.high, item.saving.median)) || 1;
byid("main").append(element("p", {class: "note"}, `${plural(advice.tried, "change")} tried. Savings below ${share(advice.resolution)} of T are within the error.`),
  ...(command ? [facts_list([["To repeat it", command_line(command)]])] : []),
  element("ol", {class: "items"}, ...advice.advice.map((item, i) => draw_item(item, i, most))));
document.documentElement.dataset.ready = ""; /* for tests: all is drawn */
