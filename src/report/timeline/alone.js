/* The time lines of one run as a page. */
{
  const data = JSON.parse(document.getElementById("data").textContent), run = data.runs[0];
  const seconds = run.length / run.ticks_per_second, name = run.trace || "trace";
  document.title = "Time line of " + name;
  document.getElementById("title").textContent = name;
  document.getElementById("summary").textContent = run.ranks + (run.ranks === 1 ? " rank, T " : " ranks, T ") +
    Number(seconds.toPrecision(5)) + " s" + (run.predicted ? ", predicted" : ", as recorded");
  globalThis.shown = timelines.open(document.getElementById("timelines"), data, {alone: true});
}
