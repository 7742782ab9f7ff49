"""The panel of what-ifs in Chromium: panel.py PAGE TRACE, panel.py --refused PAGE, panel.py --damaged PAGE, panel.py --beyond POLLS THREADS, or
panel.py --shares (PAGE TRACE)... Prints "0 what" for each check that holds."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "report"))
from devtools import Browser


def check(holds, what):
    print(0 if holds else 1, what)


def refused(page):
    with Browser(page) as browser:
        check(browser.value("byid('live-panel').hidden && !byid('live-why').hidden"), "a page that does not compute says why")
        check(browser.problems == [], f"no problems on the console {browser.problems}")


def beyond(polls, threads):
    """Pages of recordings with polling loops and with threads (recordings.py)."""
    for page, change, expected in ((polls, {"kind": "region", "name": "main", "value": 100}, "rounds of a polling loop"),
                                   (threads, {"kind": "region", "name": "kernel", "value": 0.5}, "other threads than the main ones"),
                                   (threads, {"kind": "region", "name": "serial", "value": 0}, "before all their threads are free")):
        with Browser(page) as browser:
            check(browser.value("!byid('live-panel').hidden"), f"there is a panel: {page}")
            browser.value("live.has_ideal = false; draw_live_pop(); 1")
            check("Serialisation and transfer are not known" in browser.value("byid('live-pop').textContent"), "if it knows no factor of the network, the panel says why")
            browser.value("live.has_ideal = true; live.state.latency = {text: '50 us', value: 5e-5}; live_show(); 1")
            check(browser.value("live.time > live.facts.time"), "the latency can be changed")
            browser.value(f"live.state.changes.push({change!r}); live_show(); 1")
            check(browser.value("live.time === null") and expected in browser.value("byid('live-result').textContent") and "silas-model" in browser.value("byid('live-result').textContent"),
                  f"what the page leaves to silas-model: {expected}")
            browser.value("byid('live-undo').click(); byid('live-reset').click(); 1")
            check(browser.value("live.time === live.facts.time"), "... and reset")
            check(browser.problems == [], f"no problems {browser.problems}")


def parts_in_mpi(trace):
    """For each rank the part of its time that the profile has in MPI calls and below."""
    calls = {path for path, mpi in zip(trace.profile["call_path"], trace.profile["mpi"]) if mpi}
    inside = lambda path: any(path == call or path.startswith(call + "/") for call in calls)
    sums = [[0, 0] for _ in range(trace.ranks)]
    for rank, thread, path, seconds in zip(*(trace.profile[name] for name in ("rank", "thread", "call_path", "time_exc"))):
        if thread == 0:
            sums[rank][0] += seconds * inside(path)
            sums[rank][1] += seconds
    return [mpi / time for mpi, time in sums]


def shares(*files):
    """The time line of the unchanged run has the parts of the profile."""
    import silas
    for page, trace_path in zip(files[::2], files[1::2]):
        trace = silas.open(trace_path)
        with Browser(page) as browser:
            drawn = browser.value("[...Array(live.lanes).keys()].map(live_lane_parts).map(one => one.mpi + one.waiting)")
            browser.wait("document.documentElement.dataset.liveRest !== undefined")
            check(browser.value("live.has_ideal && live.now.ideal > 0"), f"{page}: T on an ideal network is that of silas-pop")
            profile = parts_in_mpi(trace)
            check(len(drawn) == len(profile) and all(abs(one - other) < 1e-3 for one, other in zip(drawn, profile)), f"{page}: the time line has the MPI calls of the profile: {drawn} {profile}")
            first = browser.value("byid('live-time').getContext('2d').getImageData(0, 0, 1, byid('live-time').height / 2 - 3).data[4 * (byid('live-time').height / 2 - 4) + 3]")
            times = list(trace.events["time"])
            late = next(time for time, rank in zip(times, trace.events["rank"]) if rank == trace.ranks - 1) - min(times) > 0.01 * trace.duration * trace.ticks_per_second
            check(first == 0 or not late, f"... and is empty before the first event of a rank: {first} {late}")


def damaged(page):
    with open(page, encoding="utf-8") as file:
        text = file.read()
    at = text.index('id="live-data">') + 400
    for number, changed in enumerate((text[:at] + "AAAA" + text[at + 4:], text[:at] + '"' + text[at + 1:])):
        path = f"damaged-{number}.html"
        with open(path, "w", encoding="utf-8") as file:
            file.write(changed)
        with Browser(path) as browser:
            check(browser.value("byid('live-panel').hidden && byid('live-why').textContent.includes('damaged')"), "a page whose what-ifs are damaged says so")
            check(browser.value("!byid('explore').hidden"), "... and the rest of the page is there")


def old_browser(page):
    with Browser(page, script="delete globalThis.WebAssembly") as browser:
        check("too old" in browser.value("byid('live-why').textContent"), "a browser without WebAssembly gets a sentence")
        check(browser.value("!byid('explore').hidden"), "... and the rest of the page")


def panel(page, trace_path):
    import silas
    trace = silas.open(trace_path)
    with Browser(page) as browser:
        check(browser.value("!byid('live-panel').hidden"), "the panel is there")
        check(browser.problems == [] and browser.requests == [browser.address], f"no problems, no requests {browser.problems}")
        check(browser.value("[...byid('live-panel').querySelectorAll('input, button, pre, output, [role=group]')].every(one => one.textContent || one.getAttribute('aria-label') || one.id === 'live-result' || one.hidden)"),
              "every control has a name")
        name = browser.value("[...live.regions.keys()].sort()[0]")
        browser.value(f"byid('live-search').value = {name!r}; byid('live-add').click(); 1")
        check(browser.value("document.activeElement.type === 'range' && document.activeElement.getAttribute('aria-label').startsWith('Time of')"),
              "a region that is added has the focus on its slider")
        browser.value("document.activeElement.value = 0.5; document.activeElement.dispatchEvent(new Event('input')); 1")
        browser.value("byid('live-search').value = 'rank 2'; byid('live-add').click(); 1")
        browser.value("let field = [...byid('live-changes').querySelectorAll('input.field')][1]; field.value = '1.25';"
                      "field.dispatchEvent(new Event('input')); field.dispatchEvent(new Event('change')); 1")
        browser.value("byid('live-search').value = %r; byid('live-balance').click(); 1" % browser.value("[...live.regions.keys()].sort()[1]"))
        check(browser.value("document.activeElement.tagName === 'SELECT' && document.activeElement.getAttribute('aria-label').startsWith('balance of')"), "a balance has the focus on its modes")
        browser.value("document.activeElement.value = 'instance'; document.activeElement.dispatchEvent(new Event('change')); 1")
        browser.value("let rate = byid('live-changes').querySelectorAll('input.field')[3]; rate.value = '2.5 GB/s';"
                      "rate.dispatchEvent(new Event('input')); rate.dispatchEvent(new Event('change')); 1")
        browser.value("let wide = byid('live-changes').querySelectorAll('input.field')[2]; wide.value = '3';"
                      "wide.dispatchEvent(new Event('input')); wide.dispatchEvent(new Event('change')); 1")
        browser.wait("live.waiting === false")
        sections = browser.value("byid('live-config').textContent.replace(/^[^]*?\\n\\n(?=\\[scale what-if)/, '')")
        expected = trace.what_if(sections).time_after
        ticks = browser.value("live.time")
        check(ticks == round(expected * trace.ticks_per_second), f"its configuration has its T: {ticks} ticks")
        browser.wait("document.documentElement.dataset.liveRest !== undefined")
        ours, after = browser.value("live_factors(live.now)"), trace.what_if(sections).pop_after
        theirs = {key: after[key] if key in after else after[key + "_efficiency"] for key in ours}
        check(browser.value("live.has_ideal") and all(abs(theirs[key] - value) < 1e-9 for key, value in ours.items()),
              f"POP's efficiencies are those of silas-model: {ours} {theirs}")
        check(all(one in sections for one in ("latency = 3", "speed = 1.25", "factor = 0.5", "mode = instance", "bandwidth = 2.5 GB/s")), "... and all changes")
        check(browser.value("byid('live-result').textContent.includes('T ')"), "the result is in words")
        link = browser.value("location.href")
        browser.value("byid('live-keep').click(); byid('live-reset').click(); 1")
        check(browser.value("live.time === live.facts.time && location.hash === ''"), "reset")
        check(browser.value("byid('live-states').textContent.includes('kept:')"), "a state that is kept is beside the present one")
        check(browser.value("live.kept.time") == ticks and browser.value("byid('live-pop').querySelector('thead, tr').textContent.includes('kept') && byid('live-above').textContent.startsWith('kept')"),
              "... in the efficiencies and the time line, too")
        browser.wait("document.documentElement.dataset.liveRest !== undefined")
        check(browser.value("live_profile_changes().reduce((most, one) => Math.max(most, Math.abs(one.by)), 0) > 0 && live.kept.shares.some((share, i) => share !== live_shares()[i])"),
              "... with its own times")
        browser.value("byid('live-undo').click(); 1")
        check(browser.value("live.time") == ticks and browser.value("location.href") == link, "undo")
        browser.value("byid('live-search').value = 'no such'; byid('live-add').click(); 1")
        check("no such" in browser.value("byid('live-note').textContent"), "an unknown region is named")
        near = [*name[1:-1], name[-1], name[-1]] if len(name) > 2 else [name, "x"]
        browser.value("byid('live-search').value = %r; byid('live-add').click(); 1" % "".join(near))
        check(f'"{name}"' in browser.value("byid('live-note').textContent"), "... with the nearest names")
        browser.value("field = byid('live-changes').querySelector('input.field'); field.value = '-1'; field.dispatchEvent(new Event('input')); 1")
        check(browser.value("field.getAttribute('aria-invalid')") == "true" and browser.value("live.time") == ticks, "a negative factor is refused")
        reason = "document.getElementById(field.getAttribute('aria-describedby')).textContent"
        check(browser.value(reason) == "A value is not negative.", "... with the reason beside the field")
        for text, words in (("x", "A value is a number"), ("3 us", "Not a unit here"), ("1e9", "A factor is from 0 to 1000000.")):
            browser.value(f"field.value = '{text}'; field.dispatchEvent(new Event('input')); 1")
            check(words in browser.value(reason), f"... {words}")
        browser.value("field.dispatchEvent(new Event('change')); 1")
        check(browser.value("field.value") == "0.5" and "A factor is" in browser.value(reason), "the field has its value again, and the reason remains")
        browser.value("field.value = '80 %'; field.dispatchEvent(new Event('input')); field.dispatchEvent(new Event('change')); 1")
        check(browser.value("live.state.changes[0].value === 0.8 && field.value === '0.8'"), "a field takes a percentage")
        browser.value("byid('live-time').focus(); 1")
        browser.press("ArrowDown")
        check(browser.value("byid('live-lane').textContent").startswith("rank 0: ends after"), "arrow keys mark a row of the time line, and say what is there")
        browser.press("ArrowDown")
        browser.press("ArrowDown")
        browser.press("ArrowDown")
        browser.press("Enter")
        check(browser.value("live.state.changes.some(one => one.kind === 'rank' && one.rank === 3)"), "... and Enter adds the rank")
        browser.value("byid('live-states').querySelector('button').click(); 1")
        check(browser.value("live.kept === null && byid('live-above').textContent === 'without the panel'"), "a kept state can be removed")
        browser.value("byid('live-reset').click(); 1")
        browser.wait("live.unprofiled === 0")
        browser.value("byid('live-profile').querySelector('button').click(); 1")
        check(browser.value("live.state.changes.length === 1 && live.state.changes[0].kind === 'region'"), "a click on a call path of the profile adds its region")
        check(browser.value("document.documentElement.scrollWidth <= innerWidth"), "the page fits the window")
        browser.value("live.labels = live.labels.map(one => one + '/a_region_with_a_long_name_and_without_blanks'); draw_live(); byid('live-rest').open = true; 1")
        browser.wait("live.unprofiled === 0")
        for width in (1400, 1000, 700):
            browser.resize(width, 1000, 1)
            check(browser.value("[...document.querySelectorAll('#live-profile table, #live-all table')].every(one => one.getBoundingClientRect().right <= one.parentElement.getBoundingClientRect().right + 1)"),
                  f"the profile fits the panel, also with long names: {width} pixels")
        check(browser.value("document.documentElement.scrollWidth <= innerWidth"), "... also a narrow one")
        check(browser.value("byid('live-result').getBoundingClientRect().bottom <= Math.min(byid('live-changes').getBoundingClientRect().top, byid('live-pop').getBoundingClientRect().top)"),
              "... where T comes first")
    with Browser(page + "#" + link.split("#")[1]) as browser:
        check(browser.value("live.time") == ticks, "a link restores the state")
    with Browser(page + "#what-if=" + "%5B%5B%22region%22%2C%22x%22%2C1%5D%5D") as browser:
        check(browser.value("live.time === live.facts.time && byid('live-note').textContent !== ''"), "a link to something unknown says so")
    old_browser(page)


if sys.argv[1] == "--refused":
    refused(sys.argv[2])
elif sys.argv[1] == "--beyond":
    beyond(*sys.argv[2:])
elif sys.argv[1] == "--shares":
    shares(*sys.argv[2:])
elif sys.argv[1] == "--damaged":
    damaged(sys.argv[2])
else:
    panel(*sys.argv[1:])
print(0, "all checks done")
