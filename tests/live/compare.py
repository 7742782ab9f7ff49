"""compare.py TRACE PAGE COUNT NODE...: random what-ifs by the page's module (node's command line, without the page) and by the model in
import silas, which is silas-model's. Prints how many of them have the same T to the tick, and those that do not. "left": what-ifs that the
page leaves to silas-model, because polling loops or teams of threads would change (src/live/program.h)."""
import json
import random
import re
import subprocess
import sys

import silas

trace_path, page, count, *node = sys.argv[1:]


def ask(states):
    text = "".join(json.dumps(state) + "\n" for state in states)
    done = subprocess.run([node[0], node[1], page, *node[2:]], input=text, capture_output=True, text=True, check=True, timeout=300)
    return [json.loads(line) for line in done.stdout.splitlines()]


def dragged(state, chance):
    """A movement of a slider: the same changes, one of them with another value."""
    changes = [dict(change) for change in state["changes"]]
    moved = chance.choice([change for change in changes if change["kind"] != "balance"])
    moved["value"] = 0.1 + 3 * chance.random()
    return {**state, "changes": changes}


def random_state(facts, chance):
    changes = []
    for _ in range(chance.choice([0, 1, 2, 3, 12])): # more than a page paces at once (LIVE_PACES)
        if facts["names"] and chance.random() < 0.3:
            changes.append({"kind": "balance", "name": chance.choice(facts["names"]), "value": chance.choice(["global", "instance"])})
        elif facts["names"] and chance.random() < 0.6:
            changes.append({"kind": "region", "name": chance.choice(facts["names"]), "value": chance.choice([0, 0.5, 2, 1.37, chance.random(), 3 * chance.random()])})
        else:
            changes.append({"kind": "rank", "rank": chance.randrange(facts["ranks"]), "value": chance.choice([0.5, 2, 0.1 + 3 * chance.random()])})
    factor = lambda: chance.choice([1, 1, 0.5, 10, 0.1 + 5 * chance.random()])
    latency, rate = round(10 * chance.random(), 3), round(20 * chance.random() + 0.1, 2)
    return {"changes": changes, "latency": chance.choice([factor(), f"{latency} us"]), "bandwidth": chance.choice([factor(), f"{rate} GB/s"])}


facts = ask([])[0]
if "why" in facts:
    print(f"no panel: {facts['why']}")
    sys.exit()
# The hypotheses of the page's configuration come first.
base = "".join(part for part in re.split(r"(?m)^(?=\[)", facts["config"]) if not re.match(r"\[(trace|output|replay|model)\]", part))
chance = random.Random(int(count))
states = []
for _ in range(int(count)):
    states.append(random_state(facts, chance))
    if chance.random() < 0.4 and any(change["kind"] != "balance" for change in states[-1]["changes"]):
        states.append(dragged(states[-1], chance))
trace = silas.open(trace_path)
polls = sum(1 for path in trace.events["call_path"] if re.search(r"/MPI_(I|Im)?(Test|Probe|probe)[a-z]*$", path or ""))
equal = refused = profiles = left = 0


def profile_is(what_if, spent):
    sums = {}
    table = what_if.profile_after
    for path, thread, seconds in zip(table["call_path"], table["thread"], table["time_exc"]):
        if not thread: # the page has the times of main threads
            sums[path] = sums.get(path, 0) + seconds * trace.ticks_per_second
    # The events of a polling loop are rounded to ticks.
    return all(abs(sums.get(path, 0) - ticks) < 1e-9 * ticks + 1 + polls for path, ticks in spent.items())


for state, answer in zip(states, ask(states)[1:]):
    try:
        what_if = trace.what_if(base + answer["sections"])
        ticks = round(what_if.time_after * trace.ticks_per_second)
        if profiles < 5 and answer["time"] is not None: # each takes as long as silas-model
            profiles += 1
            if not profile_is(what_if, answer["spent"]):
                print("another profile:", state)
                ticks = -1
    except silas.Error as error:
        if answer["time"] is None: # there is nothing to balance
            equal += 1
        else:
            refused += 1
            print("refused:", error)
        continue
    if answer["time"] is None and answer["why"].startswith("Not computed here"):
        left += 1
        continue
    equal += ticks == answer["time"]
    if ticks != answer["time"]:
        print("different:", ticks, answer["time"], state)
print(f"equal {equal} of {len(states) - refused - left}, refused {refused}" + (f", left {left}" if left else ""))
