/* POP's efficiencies: factors as cells, and as lines over windows of time or iterations. */
const FACTORS = [
  ["parallel", "Parallel efficiency", 0, "mean computation / T"],
  ["load_balance", "load balance", 1, "mean computation / longest computation"],
  ["communication", "communication efficiency", 1, "longest computation / T"],
  ["serialisation", "serialisation", 2, "longest computation / T on an ideal network: below 100 % if ranks wait for each other"],
  ["transfer", "transfer", 2, "T on an ideal network / T: below 100 % by latency, overhead and bandwidth"],
];
const HYBRID = [
  ["mpi_parallel", "MPI parallel efficiency", 1, "mean computation of the master threads / T"],
  ["threads", "thread efficiency", 1, "parallel efficiency / MPI parallel efficiency"],
  ["thread_balance", "load balance of threads", 2, "mean / longest useful time of all threads, divided by the load balance of the ranks"],
  ["thread_communication", "synchronisation of threads", 2, "longest useful time of a thread / T, divided by the communication efficiency of the ranks"],
];
const POOR = 0.6, FAIR = 0.85; /* as POP's analysts judge */

function share_text(value) {
  return value === null || value === undefined ? "\u2013" : percent_text(100 * value);
}

function judged(value) {
  return value === null || value === undefined ? "number" : value < POOR ? "number poor" : value < FAIR ? "number fair" : "number";
}

function share_cell(value) {
  const share = element("span", {class: "share", "aria-hidden": "true"}), inner = element("i");
  inner.style.width = Math.max(0, Math.min(1, value || 0)) * 100 + "%";
  share.append(inner);
  return share;
}

const LINES = [["parallel", "parallel efficiency", "text"], ["load_balance", "load balance", "less"], ["serialisation", "serialisation", "wait"], ["transfer", "transfer", "mpi"]];

/* The ticks of windows of time. */
function window_times(rows) {
  return axis_times(d3.max(rows, row => row.end), 3, d3.min(rows, row => row.begin));
}

/* Steps of each factor; the run before is dashed. */
function factor_lines(sides, from, to, x_label, tick) {
  const drawn = plot(`Efficiencies over ${x_label}`), {svg} = drawn, all = sides.flat();
  const x = d3.scaleLinear().domain([d3.min(all, from), d3.max(all, to)]).range([drawn.left, drawn.right]);
  const y = d3.scaleLinear().domain([0, 1]).range([drawn.bottom, drawn.top]);
  axis_left(drawn, y, {grid: true, format: value => percent_text(100 * value, 0)});
  axis_below(drawn, x, {ticks: 6, format: tick, name: x_label});
  sides.forEach((rows, k) => {
    for (const [key, name, paint] of LINES) {
      let path = "", goes_on = false; /* a window without a value is a gap */
      for (const row of rows) {
        const known = row.factors[key] !== null;
        if (known)
          path += `${goes_on ? "L" : "M"}${x(from(row))},${y(Math.min(1, row.factors[key]))}H${x(to(row))}`;
        goes_on = known;
      }
      svg.append("path").attr("d", path).attr("class", "factor " + key).attr("fill", "none").style("stroke", `var(--${paint})`).attr("stroke-width", key === "parallel" ? 2.2 : 1.4)
        .attr("stroke-dasharray", sides.length === 2 && k === 0 ? "4 3" : null).append("title").text(name);
    }
  });
  return svg.node();
}

/* Names of the lines; a click hides or shows one. `dashed`: the first of two runs, or null; of two, too many lines would cross. */
function lines_legend(dashed, drawn) {
  const two = dashed !== null, legend = element("p", {class: "note legend-lines"});
  for (const [key, name, paint] of LINES) {
    const mark = element("span", {class: "key"}), button = element("button", {type: "button", class: "plain"}, mark, name);
    mark.style.background = `var(--${paint})`;
    const show = on => {
      button.setAttribute("aria-pressed", on);
      for (const line of drawn.querySelectorAll(".factor." + key))
        line.style.display = on ? "" : "none";
    };
    button.addEventListener("click", () => show(button.getAttribute("aria-pressed") === "false"));
    show(!two || key === "parallel" || key === "load_balance");
    legend.append(button);
  }
  if (two)
    legend.append(` (${dashed}: dashed)`);
  return legend;
}
