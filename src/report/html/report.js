/* Puts the page together: what is above the panels, keys, colours, printing. */
function draw_head() {
  document.title = report.title;
  byid("title").textContent = report.title;
  byid("verdict").textContent = report.verdict.sentence;
  byid("verdict").classList.add(report.verdict.kind);
  byid("trust").textContent = report.verdict.trust;
  byid("trust").hidden = report.verdict.trust === "";
  byid("trust").classList.toggle("untrustworthy", !report.verdict.trustworthy);
  byid("facts").append(facts_list([...report.facts, ...(report.command ? [["To repeat it", command_line(report.command)]] : [])]));
}

function draw_sections() {
  for (const section of document.querySelectorAll("main > section[data-title]"))
    if (!section.hidden)
      byid("sections").append(element("a", {href: "#" + section.id}, section.dataset.title));
}

function set_theme(dark) {
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  theme_changed();
}

function is_dark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

/* Canvases and some figures have colours of their own. */
function theme_changed() {
  if (store)
    draw_ranks();
  if (live.now)
    draw_live_picture();
}

/* --- keys ------------------------------------------------------------------------------------- */

const FOCUS = {m: "metrics", c: "paths"};
const VIEWS = {b: "before", a: "after", d: "difference"};
const TABS = {l: "list", h: "heat", x: "spread"};
const SELECTS = {u: "unit", i: "depth", p: "parts", f: "shape", o: "sort"};

function rank_focus() {
  byid(state.tab === "list" ? "ranks" : state.tab === "heat" ? "heat-map" : "spread").focus();
}

function page_key(event) {
  const inside = event.target.closest("input, select, textarea, dialog, #timelines-view");
  if (inside || event.ctrlKey || event.metaKey || event.altKey)
    return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (key === "?")
    byid("help").showModal();
  else if (key === "t")
    set_theme(!is_dark());
  else if (!store)
    return;
  else if (key === "/")
    byid("search").focus();
  else if (FOCUS[key])
    byid(FOCUS[key]).focus();
  else if (key === "r")
    rank_focus();
  else if (VIEWS[key] && run_count === 2)
    change("view", VIEWS[key]);
  else if (TABS[key])
    change("tab", TABS[key]);
  else if (SELECTS[key])
    next_of(SELECTS[key]);
  else
    return;
  event.preventDefault();
}

/* --- start ------------------------------------------------------------------------------------ */

function start_explorer() {
  start_panels();
  start_ranks();
  byid("explore").hidden = false;
  byid("rounding").textContent = store.note;
  draw_all();
}

/* The time lines and the panels follow each other's selection. Opens the time lines when they come into sight, when the rest of the page has been drawn, or before
 * printing. Returns a function that opens them and promises to have drawn them. */
function start_timelines() {
  const script = byid("timelines-data"), box = byid("timelines-view");
  if (!script || typeof timelines === "undefined")
    return async () => {};
  let opened = null, visible = false, behind = false; /* the panels' selection is not shown yet */
  const open = () => {
    if (!opened) {
      opened = timelines.open(box, JSON.parse(script.textContent), {picked: (text, rank) => store && select_from_outside(text, rank)});
      script.remove();
    }
    return opened.ready;
  };
  byid("timelines").hidden = false;
  const follow = () => {
    if (visible && opened && behind)
      opened.select(paths[state.path].text, state.rank >= 0 ? locations[state.rank].rank : -1);
    behind = behind && !(visible && opened);
  };
  new IntersectionObserver(entries => {
    visible = entries[entries.length - 1].isIntersecting;
    if (visible)
      open();
    follow();
  }, {rootMargin: "300px"}).observe(box);
  if (store)
    told_of_selection.push(() => {
      if (!behind) /* the panels are drawn first; of quick selections the last is followed */
        setTimeout(() => requestAnimationFrame(() => setTimeout(follow, 0)), 60);
      behind = true;
    });
  if (/^#(wait|iteration)=/.test(location.hash))
    open().then(() => box.scrollIntoView());
  return open;
}

/* Lists are printed from their beginning, in full height, and pictures in the colours of paper. */
function print_all(all) {
  for (const rows of [metric_rows, path_rows, rank_rows])
    if (rows) {
      rows.all = all;
      rows.draw();
    }
  theme_changed();
}

async function start() {
  draw_head();
  byid("theme").addEventListener("click", () => set_theme(!is_dark()));
  byid("show-help").addEventListener("click", () => byid("help").showModal());
  document.addEventListener("keydown", page_key);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", theme_changed);
  addEventListener("beforeprint", () => print_all(true));
  addEventListener("afterprint", () => print_all(false));
  start_efficiency();
  if (store) {
    make_store();
    start_explorer();
    if (has_ranks)
      await load_metric(state.metric);
    await draw_ranks();
  }
  start_summary();
  start_plots();
  await start_live();
  const open_timelines = start_timelines();
  addEventListener("beforeprint", open_timelines);
  draw_sections();
  document.documentElement.dataset.ready = Math.round(performance.now());
  await open_timelines();
  await load_rest();
  document.documentElement.dataset.complete = Math.round(performance.now());
}

/* Unpacks the other metrics while the user reads. */
async function load_rest() {
  for (const metric of has_ranks ? metrics : []) {
    await new Promise(resolve => setTimeout(resolve, 30));
    await load_metric(metric.number);
  }
}

start();
