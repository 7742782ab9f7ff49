"""Clicks through reports in Chromium: html_pages.py KIND PAGE. Prints "0|1 DESCRIPTION" for each check; 0 passes.
KIND: two (html_runs.py's runs, by silas-diff), threads (tests/live/recordings.py), old (the same in a browser that cannot unpack), older (one that does not understand the scripts), one, replay."""
import sys

from devtools import Browser
from html_runs import EVIL

failed = False


def is_(got, expected, what):
    good = got == expected
    print(int(not good), what if good else f"{what}: got {got!r}, not {expected!r}")


def has(text, part, what):
    print(int(part not in text), what if part in text else f"{what}: {part!r} is not in {text!r}")


def names(browser, box):
    return [name.strip() for _, name in browser.rows(box)]


def values(browser, box):
    return [value.replace("\u202f", " ").replace("\u2212", "-") for value, _ in browser.rows(box)]


def row_of(browser, box, name):
    """Clicks the row with that name."""
    at = browser.value(f"(() => {{ const all = [...document.querySelectorAll('#{box} .row')];"
                       f"return all.findIndex(row => row.querySelector('.name').innerText.trim() === {name!r}); }})()")
    browser.click(f"#{box} .row", at)


def check_safe(browser):
    is_(browser.problems, [], "no errors on the console")
    is_([one for one in browser.requests if one != browser.address], [], "no request leaves")
    is_(browser.value("typeof window.hacked"), "undefined", "no name of the trace is executed")


def canvas_colors(browser):
    return browser.value("(() => { const c = document.getElementById('heat-map'); const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;"
                         "const s = new Set(); for (let i = 0; i < d.length; i += 4) if (d[i + 3] === 255) s.add(d[i] << 16 | d[i + 1] << 8 | d[i + 2]); return s.size; })()")


def check_panels(browser):
    is_(browser.text("#verdict"), "The second run takes 20.00 % less time: 4.000 s after 5.000 s.", "two runs: the verdict")
    is_(names(browser, "metrics"), ["Time", "Late Sender", "Wait at Barrier", "Visits"], "the tree of metrics")
    is_(values(browser, "metrics"), ["-1.250 s", "-975.0 ms", "0", "0"], "... with differences of the means over the ranks")
    has(browser.text("#metric-text"), "(time)", "... and the description")
    row_of(browser, "metrics", "Time")
    browser.press("c")
    browser.press("Home")
    browser.press("*")
    is_(names(browser, "paths"), ["main", "\"'\\&amp;/slash", "MPI_Recv", EVIL, "café", "MPI_Barrier"],
        "call paths: the largest change first, all branches open by *")
    is_(values(browser, "paths"), ["-1.250 s", "-1.250 s", "-1.250 s", "-125.0 ms", "+125.0 ms", "0"], "... differences, callees included")
    row_of(browser, "paths", "MPI_Recv")
    is_(values(browser, "ranks"), ["-2.900 s", "-1.800 s", "-700.0 ms", "+400.0 ms"], "a click on a call path fills the ranks")
    browser.press("b")
    is_(values(browser, "ranks"), ["3.000 s", "2.000 s", "1.000 s", "0"], "before")
    browser.click("#view button", 1)
    is_(values(browser, "ranks"), ["100.0 ms", "200.0 ms", "300.0 ms", "400.0 ms"], "after")
    row_of(browser, "metrics", "Late Sender")
    is_(values(browser, "ranks"), ["0", "100.0 ms", "200.0 ms", "300.0 ms"], "a click on a metric fills call paths and ranks")
    browser.press("u")
    is_(values(browser, "paths")[0], "600.0 ms", "sums over the ranks")
    browser.press("u")
    is_(values(browser, "paths")[0], "4.03 %", "percent of all time")
    is_(values(browser, "ranks"), ["0 %", "2.63 %", "5.13 %", "8.57 %"], "... of a rank's time")
    browser.press("u")
    row_of(browser, "metrics", "Time")
    browser.press("p")
    is_(values(browser, "metrics")[0], "3.550 s", "a metric without its parts")
    browser.press("p")
    browser.press("i")
    is_(values(browser, "paths")[0], "500.0 ms", "call paths alone")
    browser.press("f")
    is_(names(browser, "paths")[0], "main/" + EVIL.replace("/", "\\/"), "... as a list, the largest first")
    browser.press("f")
    browser.press("i")


def check_ranks(browser):
    row_of(browser, "paths", "MPI_Recv")
    browser.value("change('rank_sort', 'value')")
    is_([name.split()[1] for name in names(browser, "ranks")], ["3", "2", "1", "0"], "ranks, the largest first")
    browser.click("#tabs button", 1)
    is_(browser.value("document.getElementById('heat').hidden"), False, "the map of ranks")
    print(int(not canvas_colors(browser) >= 4), "... has a colour for each value")
    browser.click_at(*browser.value("(() => { byid('heat-map').scrollIntoView({block: 'nearest'}); const box = byid('heat-map').getBoundingClientRect();"
                                    "return [box.left + map.left + 1.5 * map.cell, box.top + 0.5 * map.cell]; })()"))
    has(browser.text("#rank-text"), "rank 1 on node<b>: before", "... a click tells of a rank")
    browser.press("ArrowDown")
    browser.press("ArrowLeft")
    has(browser.text("#rank-text"), "rank 2 on", "... arrow keys, too")
    browser.value("set_columns(4)")
    print(int(browser.value("map.columns") != 4), "... with other grids")
    browser.click("#tabs button", 2)
    has(browser.text("#spread").replace("\u202f", " "), "median", "the distribution")
    has(browser.text("#spread").replace("\u202f", " "), "3.000 s", "... with the highest value before")
    browser.click("#tabs button", 0)


def check_search(browser):
    browser.press("/")
    browser.type("barrier")
    has(browser.text("#found"), "1 call path", "/ searches")
    is_(browser.text("#path-text"), "main/café/MPI_Barrier", "... and selects the match")
    browser.press("Enter")
    browser.press("Escape")
    browser.press("/")
    browser.type("rank 3")
    has(browser.text("#rank-text"), "rank 3", "... ranks, too")
    browser.press("Escape")


def check_keys(browser):
    browser.press("?")
    is_(browser.value("document.getElementById('help').open"), True, "? opens the help")
    browser.press("Escape")
    is_(browser.value("document.getElementById('help').open"), False, "... Esc closes it")
    dark = browser.value("getComputedStyle(document.body).backgroundColor")
    browser.press("t")
    print(int(browser.value("getComputedStyle(document.body).backgroundColor") == dark), "T changes the colours")
    browser.press("m")
    browser.press("ArrowDown")
    is_(browser.value("document.activeElement.id"), "metrics", "M goes to the metrics")
    has(browser.text("#metric-text"), "mpi_latesender", "... arrow keys select there")
    reached = set()
    for _ in range(40):
        browser.press("Tab")
        reached.add(browser.value("document.activeElement.id"))
    print(int(not {"search", "metrics", "paths", "ranks"} <= reached), "Tab reaches every panel")


def check_labels(browser):
    """The critical path has no mean; call paths are told apart by their last calls."""
    is_(browser.value("""(() => { state.unit = "mean"; metrics.push({merge: "sum", name: "critical_path"}, {merge: "sum", name: "other"});
        const made = [of_run(12, metrics.length - 2, 0), of_run(12, metrics.length - 1, 0) * store.counts[0]];
        metrics.length -= 2; return made.join(); })()"""), "12,12", "the critical path is shown by its length, other metrics by their mean")
    is_(browser.value("""(() => { const from = paths.length;
        paths.push({name: "main", parent: -1}, {name: "a", parent: from}, {name: "b", parent: from},
                   {name: "MPI_Bcast", parent: from + 1}, {name: "MPI_Bcast", parent: from + 2}, {name: "c", parent: from});
        const made = labels_of_paths([from + 3, from + 4, from + 5]); paths.length = from; return made.join(); })()"""),
        "a/MPI_Bcast,b/MPI_Bcast,c", "labels have as many calls as tell them apart")
    is_(browser.value("cut_in_middle('abcdefghij', 5) + cut_in_middle('abc', 5)"), "ab\u2026ijabc", "... and are cut in the middle")


def check_two(browser):
    check_labels(browser)
    check_panels(browser)
    check_ranks(browser)
    check_search(browser)
    check_keys(browser)
    has(browser.text("#efficiency"), "load balance", "efficiencies")
    print(int(browser.value("document.querySelectorAll('#figures svg').length") < 2), "plots")
    browser.click("#figures g[style*=pointer] rect")
    has(browser.text("#path-text"), "MPI_Recv", "... a step of the waterfall selects its call path")
    pdf = browser.call("Page.printToPDF", printBackground=True)["data"]
    print(int(len(pdf) < 20000), "it can be printed")
    check_print(browser)


def check_print(browser):
    browser.value("metric_rows.set([...metric_rows.items, ...Array.from({length: 250}, (unused, i) => ({...metric_rows.items[0], key: 1000 + i}))]);"
                  "dispatchEvent(new Event('beforeprint')); 1")
    browser.call("Emulation.setEmulatedMedia", media="print")
    is_(browser.value("byid('metrics').querySelectorAll('.row').length"), 200, "on paper, a panel has its first rows")
    is_(browser.value("byid('metrics').scrollHeight <= byid('metrics').clientHeight"), True, "... in full height")
    has(browser.value("getComputedStyle(byid('metrics'), '::after').content"), "and 54 more", "... and how many there are more")
    browser.call("Emulation.setEmulatedMedia", media="")
    browser.value("dispatchEvent(new Event('afterprint')); 1")
    is_(browser.value("byid('metrics').querySelectorAll('.row').length < 100 && getComputedStyle(byid('metrics'), '::after').content"), "none", "... and scrolls again on the screen")
    browser.value("draw_all(); 1")


def check_old(browser):
    is_(names(browser, "metrics"), ["Time", "Late Sender", "Wait at Barrier", "Visits"], "without DecompressionStream: metrics")
    is_(values(browser, "paths")[0], "-1.250 s", "... and call paths")
    has(browser.text("#rank-text"), "cannot unpack", "... and why there are no ranks")


def check_older(browser):
    text = browser.value("document.body.innerText")
    has(text, "JavaScript, in a browser of 2021 or newer", "a browser that does not understand the scripts gets a sentence")
    has(text, "B - A", "... and shows the report as text")
    is_(browser.value("[...document.body.children].filter(one => one.offsetHeight > 0).length"), 1, "... and nothing else")
    browser.problems.clear()


def check_one(browser):
    has(browser.text("#verdict"), "T is", "one run: the verdict")
    is_(browser.value("document.getElementById('view').hidden"), True, "... no second run to choose")
    print(int(len(browser.rows("ranks")) == 0), "... ranks have values")
    check_axes(browser)
    for tab in "hxl":
        browser.press(tab)


def check_axes(browser):
    """Windows of a short run that begins late."""
    browser.value("const rows_at_end = d3.range(7).map(i => ({begin: 1.549 + 0.0005 * i, end: 1.5495 + 0.0005 * i, factors: {parallel: 1, load_balance: 1, serialisation: 1, transfer: 1}}));"
                  "globalThis.lines_at_end = factor_lines([rows_at_end], row => row.begin, row => row.end, 'time', window_times(rows_at_end)); 1")
    ticks = "[...lines_at_end.querySelectorAll('.tick text')].filter(one => one.textContent.endsWith('s'))"
    is_(browser.value(f"{ticks}.map(one => one.textContent.replace('\u202f', ' '))"), ["1.549 s", "1.5495 s", "1.55 s", "1.5505 s", "1.551 s", "1.5515 s", "1.552 s", "1.5525 s"],
        "a short run that begins late: each tick has its own label")
    is_(browser.value(f"[{ticks}.pop(), {ticks}[2]].map(one => one.getAttribute('text-anchor'))"), ["end", None], "... and the last one is not cut off")


def check_replay(browser):
    has(browser.text("#verdict"), "instead of", "a what-if: the verdict")
    has(browser.text("#facts"), "What if", "... its hypothesis")
    has(browser.text("#facts"), "To repeat it", "... and how to repeat it")
    is_(browser.value("document.querySelectorAll('#view button[aria-pressed=true]').length"), 1, "... before, after, difference")
    print(int(len(browser.rows("paths")) == 0), "... call paths")


def check_grids(browser):
    options = browser.value("[...document.querySelectorAll('#grids option')].map(one => one.textContent)")
    is_(options[:2], ["grid 2 x 2 x 3 (<grid>)", "grid 4 x 3 (<grid>)"], "grids of the program; none of a few ranks")
    browser.press("h")
    is_(browser.value("document.getElementById('grids').value"), "grid0", "the grid with all ranks is shown first")
    is_(browser.value("[map.width, map.height]"), [7, 2], "... as two planes with a gap")
    is_(browser.value("[11, 6, 5, 0].map(i => map.at[i])"), [[0, 0], [2, 1], [4, 0], [6, 1]], "... each rank at its place")
    browser.click_at(*browser.value("(() => { byid('heat-map').scrollIntoView({block: 'nearest'}); const box = byid('heat-map').getBoundingClientRect();"
                                    "return [box.left + map.left + 2.5 * map.cell, box.top + 0.5 * map.cell]; })()"))
    has(browser.text("#rank-text"), "rank 9 at (0, 0, 2)", "... a click tells of a rank and its coordinates")
    browser.press("ArrowRight")
    has(browser.text("#rank-text"), "rank 5 at (1, 0, 0)", "... an arrow key goes over the gap")
    browser.press("ArrowDown")
    has(browser.text("#rank-text"), "rank 2 at (1, 1, 0)", "... and down")
    browser.value("choose_grid('grid1')")
    is_(browser.value("[map.at[6], map.at[7] || null]"), [[0, 2], None], "ranks without a place are not shown")
    browser.value("choose_grid('4')")
    is_(browser.value("map.at[5]"), [1, 1], "rows of four ranks instead")
    is_(browser.value("document.getElementById('columns-label').hidden"), False, "... of any number")


def check_sizes(browser):
    is_(values(browser, "paths"), ["-4.000 s", "-4.000 s"], "2 and 4 ranks: differences of means over the ranks of each run")
    has(browser.text("#facts"), "2 before, 4 after", "... which are named")
    has(browser.text("#summary"), "100\u202f%\n10.00\u202fs", "... where the time goes")
    has(browser.text("#summary"), "\u22124.00\u202fs", "... also where it changes most")
    has(browser.text("#figures"), "before\n10.00\u202fs", "... and in the waterfall, before")
    has(browser.text("#figures"), "after\n6.000\u202fs", "... and after")
    browser.click("#view button", 1)
    is_(values(browser, "paths"), ["6.000 s", "6.000 s"], "... after")


def check_threads(browser):
    options = browser.value("[...byid('unit').options].map(one => one.textContent)")
    is_(options, ["mean of the locations", "sum of the locations", "percent"], "threads: values are means and sums over locations")
    for part in ("Where the time goes", "Where most time goes"):
        has(browser.value(f"[...document.querySelectorAll('#summary figure')].find(one => one.textContent.startsWith('{part}')).textContent"), "mean of the locations", f"... {part}")
    is_(browser.value("live.engine === null || byid('live-profile').textContent.includes('mean of the main threads')"), True, "... the panel of what-ifs has those of main threads")
    mean = browser.value("metrics[0].total[0] / locations.length")
    is_(values(browser, "metrics")[0], browser.value(f"value_text({mean}, 'sec')").replace("\u202f", " "), "... and so are the numbers")
    figure = "[...document.querySelectorAll('#figures figure')].find(one => one.textContent.startsWith('Time of each rank and thread'))"
    is_(browser.value(f"[...{figure}.querySelectorAll('text.faint')].map(one => one.textContent).slice(-7)"), ["0.0", "0.1", "0.2", "1.0", "1.1", "1.2", "rank.thread"], "the bars of threads have names")
    is_(browser.value("report.rank_times[0][2].every((waiting, i) => waiting > 0)"), True, "... all threads wait for others")
    has(browser.text("#verdict"), "The ranks and their threads spend", "the verdict says whose time it is")


CHECKS = {"threads": check_threads, "sizes": check_sizes, "grids": check_grids, "two": check_two, "old": check_old, "older": check_older, "one": check_one, "replay": check_replay}


def main():
    kind, page = sys.argv[1:]
    script = "delete window.DecompressionStream" if kind == "old" else None
    with Browser(page, limit=100, script=script) as browser:
        CHECKS[kind](browser)
        check_safe(browser)
    print("0 " + kind + ": all checks done")


main()
