#!/usr/bin/env python3
"""random_nests.py FOLDER FIRST LAST [edges] [sites]: random programs with nested loops, one for each number from FIRST to LAST. Writes
the text of a trace (tests/trace/make_trace.c) to FOLDER/NUMBER, and prints "NUMBER ITERATIONS", with the iterations of the
outermost loops, separated by commas; loops with less than 6 % of the calls are in parentheses. With "edges" the calls before and
after a loop may be those that it makes, too. With "sites" each place in the program that calls MPI is a call site.

random_nests.py --check ITERATIONS FOUND: exit code 0 if the numbers that were found are those, apart from loops in
parentheses, and from up to four equal calls in a row that happen to be between loops."""
import copy
import random
import sys

import loops


class Call:
    """An exchange or a collective operation, perhaps in a region."""

    sites = 0

    def __init__(self, regions):
        self.region = random.choice(regions + [None])
        self.kind = random.choice(["exchange"] * 3 + ["line"] + ["nonblocking"] * 2 + ["sum"] * 2 + ["broadcast", "barrier"])
        self.tag = random.choice([0, 0, 1, 2])
        self.size = random.choice([8, 800, 800, 8000])
        self.distance = random.choice([1, 1, -1, 2])
        self.us = random.choice([2, 10, 50])
        self.site = 0

    def at_new_site(self):
        """The same call in another place of the program."""
        Call.sites += 1
        call = copy.copy(self)
        call.site = Call.sites
        return call

    def key(self):
        if self.kind in ("exchange", "line", "nonblocking"):
            return (self.region, self.kind, self.tag, self.distance if self.kind != "line" else 0, self.size)
        return (self.region, self.kind)

    def run(self, p):
        p.compute(self.us)
        p.site = self.site
        if self.region:
            p.enter(self.region)
        distance = self.distance % p.ranks or 1
        if self.kind == "exchange":
            p.exchange(self.tag, self.size, distance)
        elif self.kind == "line":
            loops.line(p, self.tag, self.size)
        elif self.kind == "nonblocking":
            exchange_nonblocking(p, self.tag, self.size, distance)
        elif self.kind == "sum":
            p.collective()
        elif self.kind == "broadcast":
            p.broadcast()
        else:
            p.barrier()
        if self.region:
            p.leave(self.region)


class Loop:
    """`least` to `most` iterations, each perhaps in a region."""

    def __init__(self, least, most, body, region=None):
        self.least, self.most, self.body, self.region = least, most, body, region

    def run(self, p):
        for _ in range(random.randint(self.least, self.most)):
            if self.region:
                p.enter(self.region)
            for item in self.body:
                item.run(p)
            if self.region:
                p.leave(self.region)

    def keys(self):
        return set().union(*[item.keys() if isinstance(item, Loop) else {item.key()} for item in self.body])

    def own_keys(self):
        return {item.key() for item in self.body if isinstance(item, Call)}

    def form(self):
        return [item.key() if isinstance(item, Call) else ("loop", *item.form()) for item in self.body]


class Run(loops.Run):
    """Writes call sites if it is told to."""

    def __init__(self, ranks, noise, sites):
        super().__init__(ranks, noise)
        self.sites, self.site = sites, 0

    def put(self, rank, text):
        if self.sites and text.startswith(("enter MPI_", "leave MPI_")):
            text += "@%d" % self.site
        super().put(rank, text)


request = 0


def exchange_nonblocking(p, tag, size, distance):
    global request
    requests, sent = [], []
    for r in p.all:
        request += 2
        requests.append(request)
        p.put(r, "enter MPI_Irecv")
        p.put(r, "irecv_request %d" % request)
        p.now[r] += 200
        p.put(r, "leave MPI_Irecv")
        p.now[r] += 50
        p.put(r, "enter MPI_Isend")
        p.put(r, "isend %d world %d %d %d" % ((r + distance) % p.ranks, tag, size, request + 1))
        sent.append(p.now[r])
        p.now[r] += 200
        p.put(r, "leave MPI_Isend")
        p.now[r] += 50
    for r in p.all:
        source = (r - distance) % p.ranks
        p.put(r, "enter MPI_Waitall")
        p.now[r] = max(p.now[r], sent[source] + 1000) + 100
        p.put(r, "irecv %d world %d %d %d" % (source, tag, size, requests[r]))
        p.put(r, "isend_complete %d" % (requests[r] + 1))
        p.now[r] += 100
        p.put(r, "leave MPI_Waitall")
        p.now[r] += 50


def some(pool, least, most):
    return [random.choice(pool).at_new_site() for _ in range(random.randint(least, most))]


def repeats(form):
    """Whether it is a shorter form several times: then that is the loop."""
    return any(len(form) % n == 0 and form == form[:n] * (len(form) // n) for n in range(1, len(form)))


def inner_loop(pool, depth):
    while True:
        calls = some(pool, 1, 4)
        if len({call.key() for call in calls}) == len(calls):
            break
    if depth < 2 and random.random() < 0.2:
        calls.insert(random.randint(0, len(calls)), inner_loop(pool, depth + 1))
    if random.random() < 0.3:
        return Loop(random.randint(2, 5), random.randint(6, 12), calls)
    count = random.randint(2, 12)
    return Loop(count, count, calls)


def outer_loop(pool, regions):
    """A loop with calls that the loops inside do not make."""
    while True:
        body = some(pool, 2, 6)
        if random.random() < 0.5:
            for _ in range(random.choice([1, 1, 2])):
                body.insert(random.randint(0, len(body)), inner_loop(pool, 1))
        count = random.randint(6, 40)
        loop = Loop(count, count, body, "step" if regions and random.random() < 0.3 else None)
        inside = set().union(*[item.keys() for item in body if isinstance(item, Loop)])
        if len(loop.own_keys()) >= 2 and loop.own_keys() - inside and not repeats(loop.form()):
            return loop


def calls_between(pool, least, most, near, edges):
    if edges:
        return some(pool, least, most)
    made = set().union(*[loop.keys() for loop in near])
    others = [call for call in pool if call.key() not in made]
    return [call.at_new_site() for call in random.sample(others, min(len(others), random.randint(least, most)))]


def write(number, name, edges, sites):
    """Returns the iterations."""
    random.seed(number)
    ranks = random.choice([2, 3, 4, 5, 6, 8])
    regions = ["r%d" % i for i in range(random.choice([0, 2, 4]))]
    pool = [Call(regions) for _ in range(random.choice([5, 8, 12]))]
    outer = [outer_loop(pool, regions) for _ in range(random.choice([1, 1, 1, 2, 2, 3]))]
    p = Run(ranks, random.choice([0.02, 0.2, 0.4]), sites)
    p.enter("main")
    p.compute(100)
    for call in calls_between(pool, 0, 4, outer[:1], edges):
        call.run(p)
    events = []
    for i, loop in enumerate(outer):
        before = sum(map(len, p.lines))
        loop.run(p)
        events.append(sum(map(len, p.lines)) - before)
        for call in calls_between(pool, 0 if edges else 1, 3, outer[i : i + 2], edges):
            call.run(p)
    p.compute(100)
    p.leave("main")
    with open(name, "w") as file:
        print("ranks %d" % ranks, file=file)
        for r in p.all:
            print("rank %d" % r, file=file)
            print("\n".join(p.lines[r]), file=file)
    least = 0.06 * sum(map(len, p.lines))
    return ",".join(("%d" if n >= least else "(%d)") % loop.least for loop, n in zip(outer, events))


def agree(found, expected):
    if not expected:
        return all(count <= 4 for count in found)
    if found and found[0] <= 4 and agree(found[1:], expected):
        return True
    optional, count = expected[0][0] == "(", int(expected[0].strip("()"))
    if optional and agree(found, expected[1:]):
        return True
    return bool(found) and abs(found[0] - count) <= optional and agree(found[1:], expected[1:])


def main():
    if sys.argv[1] == "--check":
        found = [int(count) for count in sys.argv[3].split(",")] if sys.argv[3] else []
        sys.exit(not agree(found, sys.argv[2].split(",")))
    for number in range(int(sys.argv[2]), int(sys.argv[3]) + 1):
        print(number, write(number, "%s/%d" % (sys.argv[1], number), "edges" in sys.argv[4:], "sites" in sys.argv[4:]))


if __name__ == "__main__":
    main()
