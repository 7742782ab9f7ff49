#!/usr/bin/env python3
"""worst_cases.py NAME CALLS: prints the text of a trace (tests/trace/make_trace.c) on two ranks in
which a search for repeats has most to do. worst_cases.py --list prints the names."""
import random
import sys


def random_calls(count):
    return [random.randrange(5) for _ in range(count)]


def equal(count):
    return [0] * count


def all_different(count):
    return [(0, 8 * i) for i in range(count)]


def random_sizes(count):
    return [(0, 8 * random.randrange(count)) for _ in range(count)]


def varying_inner_loops(count):
    calls = []
    while len(calls) < count:
        calls += [1] * random.randrange(1, 60) + [0]
    return calls


def growing_inner_loops(count):
    calls = []
    for i in range(count):
        calls += [0] * i + [1]
        if len(calls) >= count:
            return calls


def fibonacci(count):
    """The word with most repetitions."""
    a, b = [0], [0, 1]
    while len(b) < count:
        a, b = b, b + a
    return b[:count]


def thue_morse(count):
    """The word without three repeats in a row."""
    return [bin(i).count("1") & 1 for i in range(count)]


def blocks(count):
    """Forty different bodies in random order."""
    bodies = [[(random.randrange(4), 8 * random.randrange(50)) for _ in range(random.randrange(3, 30))]
              for _ in range(40)]
    calls = []
    while len(calls) < count:
        calls += random.choice(bodies)
    return calls


def counters(count):
    """Loops of two in loops of two, and so on."""
    return [(0, 8 * (i & -i).bit_length()) for i in range(1, count)]


CASES = [random_calls, equal, all_different, random_sizes, varying_inner_loops, growing_inner_loops, fibonacci,
         thue_morse, blocks, counters]
OPERATIONS = [("MPI_Allreduce", 11, -1), ("MPI_Bcast", 1, 0), ("MPI_Barrier", 0, -1), ("MPI_Gather", 3, 0),
              ("MPI_Alltoall", 7, -1)]


def main():
    if sys.argv[1] == "--list":
        print("\n".join(case.__name__ for case in CASES))
        return
    random.seed(5)
    calls = {case.__name__: case for case in CASES}[sys.argv[1]](int(sys.argv[2]))
    print("ranks 2")
    for rank in range(2):
        print("rank %d\n0 enter main" % rank)
        for i, call in enumerate(calls):
            number, size = call if isinstance(call, tuple) else (call, 8)
            name, operation, root = OPERATIONS[number]
            now = 10 * i + 1
            print("%d enter %s\n%d begin\n%d end %d world %d %d %d\n%d leave %s"
                  % (now + rank, name, now + rank, now + 5, operation, root, size, size, now + 6, name))
        print("%d leave main" % (10 * len(calls) + 10))


main()
