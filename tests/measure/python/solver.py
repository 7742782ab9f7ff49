import asyncio
import json
import sys
import threading

import mpi


class Grid:
    class Edge:
        def swap(self):
            mpi.barrier()

    def __init__(self):
        self.edge = Grid.Edge()

    @classmethod
    def make(cls):
        return cls()

    @staticmethod
    def twice(x):
        return 2 * x

    @property
    def size(self):
        return self.twice(1)

    def step(self, n):
        if n:
            self.step(n - 1)
        else:
            self.edge.swap()


def numbers(n):
    for i in range(n):
        yield i
    try:
        yield -1
    except ValueError:
        yield -2


def all_numbers():
    yield from numbers(1)


def fails(n):
    if n == 0:
        raise KeyError("x")
    fails(n - 1)


def generators():
    g = numbers(2)
    for i in g:
        if i == -1:
            break
    g.throw(ValueError)
    list(g)
    next(numbers(1))  # never ended
    list(all_numbers())
    sum(Grid.twice(i) for i in [Grid.twice(j) for j in range(2)])


async def inner():
    await asyncio.sleep(0)


async def coroutine():
    await inner()


def in_thread():
    Grid.twice(5)


def main():
    grid = Grid.make()
    grid.size
    grid.step(2)
    generators()
    try:
        fails(2)
    except KeyError:
        pass
    asyncio.run(coroutine())
    thread = threading.Thread(target=in_thread)
    thread.start()
    thread.join()
    sorted([3, 1], key=lambda x: x)
    json.loads("[1]")
    exec(compile("def dynamic(): pass\ndynamic()", "<string>", "exec"), {"__name__": "made"})
    if mpi.rank() == 0:
        mpi.send(10, 1)
    else:
        mpi.receive(10, 0)
    mpi.finalize()
    sys.exit(3 if len(sys.argv) > 1 else 0)


mpi.init()
main()
