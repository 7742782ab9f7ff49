/* POP's efficiencies: the tree of the whole run, its windows over time, iterations, regions. */
const MOST_REGIONS = 12; /* that are visible at once */

function change_cell(before, after) {
  if (before === null || after === null || before === undefined || after === undefined)
    return number_cell("\u2013");
  const points = Math.round(1e4 * (after - before)) / 100;
  return number_cell((points > 0 ? "+" : "") + number_text(points, 3) + " points");
}

/* The rows of a part in one run. */
function pop_rows(pop, part) {
  return pop ? pop.rows.filter(row => row.part === part) : [];
}

function draw_pop_tree() {
  const {before, after} = report.pop, of = pop => pop ? pop_rows(pop, "run")[0].factors : null;
  const sides = before ? [of(before), of(after)] : [of(after)], last = sides[sides.length - 1];
  const hybrid = last.threads !== null;
  const factors = hybrid ? [FACTORS[0], HYBRID[0], ...FACTORS.slice(1).map(([key, name, depth, meaning]) => [key, name, depth + 1, meaning]), ...HYBRID.slice(1)] : FACTORS;
  const known = factors.filter(([key]) => sides.some(side => side[key] !== null && side[key] !== undefined));
  const names = sides.length === 2 ? report.names : [""];
  const two = sides.length === 2, dash = "\u2013";
  const rows = known.map(([key, name, depth, meaning]) => table_row([[{class: `factor-${depth}`}, (depth === 0 ? "" : "\u00d7 ") + name],
    ...sides.map(side => [{class: judged(side[key])}, share_text(side[key])]), two ? change_cell(sides[0][key], last[key]) : null, share_cell(last[key])], {title: meaning}));
  for (const [key, name] of [["time_s", "T, MPI_Init to MPI_Finalize"], ["ideal_s", "... on an ideal network"], ["computation_mean_s", "computation, mean rank"], ["computation_max_s", "computation, longest rank"]])
    if (sides.some(side => side[key] > 0))
      rows.push([name, ...sides.map(side => number_cell(side[key] === null ? dash : time_text(side[key]))),
        two ? number_cell(sides[0][key] === null || last[key] === null ? dash : value_text(difference_of(sides[0][key], last[key]), "sec", true)) : null, ""]);
  byid("pop-tree").append(table(["", ...names.map(name => number_cell(name)), two ? number_cell("difference") : null, names[names.length - 1]], rows));
  byid("pop-note").append("Each factor is the product of those below it; 100 % is ideal.",
    ...key_of("poor", `below ${100 * POOR} %`), ...key_of("fair", `below ${100 * FAIR} %`));
  const why = (before && before.why) || after.why;
  if (why)
    byid("pop-note").append(element("br"), `Serialisation and transfer are not known: ${why}`);
}

function draw_pop_time() {
  const sides = [report.pop.before, report.pop.after].filter(pop => pop).map(pop => pop_rows(pop, "window"));
  if (sides.some(rows => rows.length < 2))
    return;
  const lines = factor_lines(sides, row => row.begin, row => row.end, "time", window_times(sides.flat()));
  byid("pop-time").append(figure("Efficiency over time", `${sides[sides.length - 1].length} windows`, lines, lines_legend(sides.length === 2 ? report.names[0] : null, lines)));
}

/* A run has iterations of its longest loop; of two runs, these may begin with different calls. */
function draw_pop_iterations() {
  const sides = [report.pop.before, report.pop.after].filter(pop => pop).map(pop => pop_rows(pop, "iteration"));
  if (sides.some(rows => rows.length < 2))
    return;
  const last = d3.max(sides.flat(), row => row.first + row.count), names = new Set(sides.flat().map(row => row.name).filter(name => name));
  const lines = factor_lines(sides, row => row.first, row => row.first + row.count, "iteration", value => Number.isInteger(value) ? String(value) : "");
  byid("pop-iterations").append(element("div", {class: "figures"},
    figure("Efficiency by iteration", `${last} iterations${names.size > 0 ? " of " + [...names].join(", ") : ""}`, lines, lines_legend(sides.length === 2 ? report.names[0] : null, lines))));
}

function draw_pop_regions() {
  const after = pop_rows(report.pop.after, "region"), before = new Map(pop_rows(report.pop.before, "region").map(row => [row.name, row]));
  if (after.length === 0)
    return;
  byid("pop-regions").hidden = false;
  byid("pop-regions").open = true;
  const two = report.pop.before !== null, factors = FACTORS.slice(0, 5);
  const titles = ["region", two ? number_cell(`time ${report.names[0]}`) : null, number_cell(two ? `time ${report.names[1]}` : "time"), ...factors.map(([, name]) => number_cell(name))];
  const row_of = row => {
    const old = before.get(row.name);
    return [row.name, two ? number_cell(old ? time_text(old.factors.time_s) : "\u2013") : null, number_cell(time_text(row.factors.time_s)),
      ...factors.map(([key]) => [{class: judged(row.factors[key])}, (two && old ? share_text(old.factors[key]) + " \u2192 " : "") + share_text(row.factors[key])])];
  };
  byid("pop-regions").append(...table_of_many(titles, after.map(row_of), MOST_REGIONS));
}

function start_efficiency() {
  if (!report.pop || !report.pop.after)
    return;
  byid("efficiency").hidden = false;
  draw_pop_tree();
  draw_pop_time();
  draw_pop_iterations();
  draw_pop_regions();
}
