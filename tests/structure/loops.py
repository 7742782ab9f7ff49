#!/usr/bin/env python3
"""loops.py NAME RANKS [NOISE]: prints the text of a trace (tests/trace/make_trace.c) of a program
with a known structure, from a seeded generator. loops.py --list prints the names, each with the
iterations of the loops at the outermost level, and of those inside the representative iteration
(- none, * any, +N: N of the longest one). loops.py --write FOLDER writes the text of each line
"NAME RANKS NOISE" of the standard input to the file NAME-RANKS in that folder."""
import random
import sys


class Run:
    def __init__(self, ranks, noise):
        self.ranks, self.noise = ranks, noise
        self.now = [0] * ranks
        self.lines = [[] for _ in range(ranks)]
        self.all = range(ranks)
        self.comms = []  # of all ranks

    def put(self, rank, text):
        self.lines[rank].append("%d %s" % (self.now[rank], text))

    def compute(self, us, rank=None):
        for r in self.all if rank is None else [rank]:
            self.now[r] += int(1000 * us * (1 + self.noise * (random.random() - 0.5)))

    def enter(self, region):
        for r in self.all:
            self.put(r, "enter " + region)

    def leave(self, region):
        for r in self.all:
            self.put(r, "leave " + region)
            self.now[r] += 1

    def send(self, rank, to, tag, size):
        self.put(rank, "enter MPI_Send")
        self.put(rank, "send %d world %d %d" % (to, tag, size))
        sent = self.now[rank]
        self.now[rank] += 500
        self.put(rank, "leave MPI_Send")
        self.now[rank] += 100
        return sent

    def receive(self, rank, source, tag, size, sent):
        self.put(rank, "enter MPI_Recv")
        self.now[rank] = max(self.now[rank] + 300, sent + 1500)
        self.put(rank, "recv %d world %d %d" % (source, tag, size))
        self.put(rank, "leave MPI_Recv")
        self.now[rank] += 100

    def exchange(self, tag=1, size=800, distance=1):
        n = self.ranks
        sent = [self.send(r, (r + distance) % n, tag, size) for r in self.all]
        for r in self.all:
            self.receive(r, (r - distance) % n, tag, size, sent[(r - distance) % n])

    def collective(self, region="MPI_Allreduce", op=11, root=-1, size=8, comm="world"):
        for r in self.all:
            self.put(r, "enter " + region)
            self.put(r, "begin")
        last = max(self.now) + 2000
        for r in self.all:
            self.now[r] = last
            self.put(r, "end %d %s %d %d %d" % (op, comm, root, size, size))
            self.put(r, "leave " + region)
            self.now[r] += 100

    def gather(self):
        self.collective("MPI_Gather", 3, 0, 80)

    def broadcast(self, root=0, size=80):
        self.collective("MPI_Bcast", 1, root, size)

    def barrier(self):
        self.collective("MPI_Barrier", 0, -1, 0)


def nested(p):
    for _ in range(12):
        for _ in range(8):
            p.compute(100)
            p.exchange()
        p.compute(250)
        p.collective()


def deep(p):
    for _ in range(6):
        for _ in range(5):
            for _ in range(7):
                p.compute(20)
                p.exchange(1)
            p.collective(size=80)
        p.exchange(3, 80000)
        p.broadcast()


def varying(p):
    for i in range(14):
        p.broadcast()
        for _ in range([3, 9, 5, 12, 4, 7][i * 5 % 6]):
            p.compute(50)
            p.exchange(2)
            p.compute(30)
            p.collective()
        p.compute(90)
        p.exchange(7, 8000)


def cg(p, steps=lambda i: 25):
    p.collective()
    for i in range(15):
        p.compute(30)
        p.exchange()
        p.collective()
        for _ in range(steps(i)):
            p.compute(50)
            p.exchange()
            p.collective()
            p.compute(10)
            p.collective()
        p.compute(20)
        p.exchange()
        p.collective()


def cg_varying(p):
    cg(p, lambda i: 20 + i * 7 % 11)


def wavefront(p, iterations=12, blocks=10, octants=8):
    columns = 2 if p.ranks % 2 == 0 else 1
    rows = p.ranks // columns
    for _ in range(iterations):
        for octant in range(octants):
            dx, dy = (1 if octant & 1 else -1), (1 if octant & 2 else -1)
            order = sorted(p.all, key=lambda r: (dx * (r % columns) + dy * (r // columns)))
            arrived = {}
            for block in range(blocks):
                for r in order:
                    x, y = r % columns, r // columns
                    if 0 <= x - dx < columns:
                        p.receive(r, r - dx, 1, 800, arrived[r, block, 0])
                    if 0 <= y - dy < rows:
                        p.receive(r, r - dy * columns, 2, 400, arrived[r, block, 1])
                    p.compute(40, r)
                    if 0 <= x + dx < columns:
                        arrived[r + dx, block, 0] = p.send(r, r + dx, 1, 800)
                    if 0 <= y + dy < rows:
                        arrived[r + dy * columns, block, 1] = p.send(r, r + dy * columns, 2, 400)
        if octants > 1:
            p.collective()


def pipeline(p):
    wavefront(p, 40, 1, 1)


def stalls(p):
    for i in range(12):
        for k in range(10):
            p.compute(50)
            if (i, k) in ((3, 3), (7, 5)):
                p.compute(3000, i % p.ranks)
            p.exchange(1 + k % 2)
        p.collective()


def output(p):
    """Every tenth step writes, from the first one on."""
    for i in range(97):
        p.compute(80)
        p.exchange()
        p.exchange(2)
        p.collective()
        if i % 10 == 0:
            p.compute(300)
            p.gather()


def sizes(p):
    for i in range(60):
        p.compute(100)
        p.exchange(1, 800 if i % 2 else 80000)


def three_kinds(p):
    for i in range(60):
        p.compute(100)
        p.exchange(1)
        p.exchange(2)
        if i % 3 == 1:
            p.broadcast()
        if i % 3 == 2:
            p.exchange(5, 8000)


def checkpoints(p):
    for i in range(60):
        p.exchange()
        p.compute(90)
        p.collective()
        if i % 15 == 14:
            p.barrier()
            p.gather()
            p.barrier()


def newton(p):
    """Time steps of three to six iterations, each with an inner solver."""
    for i in range(8):
        p.broadcast()
        for k in range(3 + i * 5 % 4):
            p.exchange(9, 9000)
            p.exchange(8, 9000)
            for _ in range(5 + (i + k) * 3 % 7):
                p.exchange()
                p.compute(20)
                p.collective()


def neighbour_lists(p):
    """Lists every tenth step, a sum every twentieth: loops of ten steps, of two kinds."""
    for i in range(120):
        if i % 10 == 0:
            p.exchange(3, 20000)
            p.exchange(4, 30000)
        p.compute(70)
        p.exchange(1)
        if i % 20 == 0:
            p.collective()
            p.gather()


def idle_rank(p):
    """The last rank only takes part in the end."""
    for _ in range(30):
        sent = [p.send(r, (r + 1) % (p.ranks - 1), 1, 800) for r in range(p.ranks - 1)]
        p.compute(100)
        for r in range(p.ranks - 1):
            source = (r - 1) % (p.ranks - 1)
            p.receive(r, source, 1, 800, sent[source])
    p.barrier()


def rare(p):
    for i in range(80):
        p.compute(60)
        p.exchange(1)
        p.collective()
        if i in (7, 21, 22, 50, 63):
            p.exchange(9, 100000)


def linpack(p):
    n = 64
    for k in range(n):
        p.compute(4 * (n - k))
        p.collective(size=16)
        p.broadcast(k % p.ranks, 800 * (n - k))
        p.compute((n - k) ** 2 / 8)


def ring_broadcast(p):
    """The root of a broadcast along the ring goes around."""
    n = 60
    for k in range(n):
        root, size = k % p.ranks, 800 * (n - k)
        p.compute(4 * (n - k), root)
        sent = None
        for d in range(p.ranks):
            r = (root + d) % p.ranks
            if d > 0:
                p.receive(r, (r - 1) % p.ranks, 1, size, sent)
            if d + 1 < p.ranks:
                sent = p.send(r, (r + 1) % p.ranks, 1, size)
            p.compute((n - k) ** 2 / 8, r)


def liso(p):
    for _ in range(5):
        for _ in range(6):
            p.compute(180)
            p.exchange(1, 80000)
            p.compute(150)
            p.exchange(2, 80000)
            p.compute(95)
        p.compute(970)
        for _ in range(3):
            p.compute(180)
            p.exchange(5, 80000)
            p.compute(150)
            p.exchange(6, 80000)
            p.compute(95)
        p.compute(3180)


def liso_alike(p):
    for _ in range(5):
        for count, after in ((6, 970), (3, 3180)):
            for _ in range(count):
                p.compute(180)
                p.exchange(1, 80000)
                p.compute(150)
                p.exchange(2, 80000)
                p.compute(95)
            p.compute(after)


def phases(p):
    for _ in range(10):
        p.compute(200)
        p.exchange()
    p.barrier()
    for _ in range(25):
        p.compute(70)
        p.collective()
    p.barrier()
    for _ in range(7):
        p.compute(150)
        p.exchange(2, 80000)
        p.compute(150)
        p.collective(size=800)


def warm_up(p):
    for _ in range(5):
        p.compute(60)
        p.exchange()
    p.barrier()
    for _ in range(50):
        p.compute(60)
        p.exchange()
    p.collective()


def first_differs(p):
    """The first step has nothing to receive, the last one nothing to send."""
    n, sent = 50, {}
    for i in range(n):
        for r in p.all:
            if i > 0:
                p.receive(r, (r - 1) % p.ranks, 1, 800, sent[(r - 1) % p.ranks])
        p.compute(80)
        p.collective()
        if i + 1 < n:
            sent = {r: p.send(r, (r + 1) % p.ranks, 1, 800) for r in p.all}


def ring(p):
    for i in range(200):
        p.compute(40)
        p.exchange()


def lu(p):
    """The norm is computed in the first, each twentieth, and the last step."""
    p.broadcast()
    p.collective(size=40)
    p.barrier()
    for i in range(1, 51):
        for tag in (1, 2):
            for _ in range(10):
                p.compute(10)
                p.exchange(tag, 200)
        p.exchange(3, 8000)
        if i in (1, 50) or i % 20 == 0:
            p.collective(size=40)
    p.collective(size=40)


def instrumented(p):
    for i in range(30):
        p.enter("step")
        p.enter("solve")
        for _ in range(3 + i * 5 % 7):
            p.compute(30)
            p.exchange()
        p.leave("solve")
        if i % 5 == 0:
            p.enter("output")
            p.gather()
            p.leave("output")
        p.leave("step")


def halo(p):
    """Posts, computes, waits; rank 0 also reports."""
    for i in range(40):
        for r in p.all:
            p.send(r, (r + 1) % p.ranks, i, 800)
        sent = p.now[:]
        p.compute(100)
        for r in p.all:
            p.receive(r, (r - 1) % p.ranks, i, 800, sent[(r - 1) % p.ranks])
        p.collective(size=8)


def random_calls(p):
    for _ in range(200):
        p.compute(2 ** (10 * random.random()))
        if random.random() < 0.5:
            p.exchange(int(1000 * random.random()), int(100000 * random.random()))
        else:
            p.collective(size=int(1000 * random.random()))


def random_few(p):
    for _ in range(300):
        p.compute(20 * random.random())
        random.choice([p.exchange, p.collective, p.broadcast, p.barrier, p.gather])()


def growing(p):
    for i in range(9):
        for k in range(i * i):
            p.exchange(i, 8 * i + 8)
        [p.collective, p.broadcast, p.gather, p.barrier][i * i % 4]()
        for k in range(i % 3):
            p.exchange(50 + i, 80, 1)


def tree(p):
    """Divides a problem: no two parts do the same."""
    def part(depth, number):
        p.compute(100 / (depth + 1))
        p.exchange(number, 100000 >> depth)
        if depth < 5 and random.random() < 0.85:
            part(depth + 1, 2 * number)
            part(depth + 1, 2 * number + 1)
        p.collective(size=number)
    part(0, 1)


def once(p):
    p.broadcast()
    p.exchange(1, 100)
    p.compute(500)
    p.collective()
    p.exchange(2, 10000)
    p.compute(900)
    p.gather()
    p.barrier()


def pair(p, a, b, tag=1, size=800):
    """Ranks a and b exchange."""
    sa = p.send(a, b, tag, size)
    sb = p.send(b, a, tag, size)
    p.receive(a, b, tag, size, sb)
    p.receive(b, a, tag, size, sa)


def line(p, tag=1, size=800):
    """Neighbours on a line exchange."""
    sent = {}
    for r in p.all:
        if r + 1 < p.ranks:
            sent[r, 1] = p.send(r, r + 1, tag, size)
        if r > 0:
            sent[r, -1] = p.send(r, r - 1, tag, size)
    for r in p.all:
        if r > 0:
            p.receive(r, r - 1, tag, size, sent[r - 1, 1])
        if r + 1 < p.ranks:
            p.receive(r, r + 1, tag, size, sent[r + 1, -1])


def turns(p):
    """A broadcast along the ring whose root goes around, always of one size."""
    n = 60
    for k in range(n):
        root = k % p.ranks
        p.compute(50, root)
        sent = None
        for d in range(p.ranks):
            r = (root + d) % p.ranks
            if d > 0:
                p.receive(r, (r - 1) % p.ranks, 1, 8000, sent)
            if d + 1 < p.ranks:
                sent = p.send(r, (r + 1) % p.ranks, 1, 8000)
            p.compute(300, r)


def turns_and_sum(p):
    """The same, after a sum over all ranks."""
    n = 48
    for k in range(n):
        root = k % p.ranks
        p.compute(50)
        p.collective(size=16)
        sent = None
        for d in range(p.ranks):
            r = (root + d) % p.ranks
            if d > 0:
                p.receive(r, (r - 1) % p.ranks, 1, 8000, sent)
            if d + 1 < p.ranks:
                sent = p.send(r, (r + 1) % p.ranks, 1, 8000)
            p.compute(300, r)


def turns_of_stars(p):
    """In each iteration, the next rank sends to all others."""
    n = 40
    for k in range(n):
        root = k % p.ranks
        p.compute(40, root)
        for r in p.all:
            if r != root:
                p.receive(r, root, 5, 8000, p.send(root, r, 5, 8000))
        for j in range((n - k) // 8):
            p.compute(30)
        p.compute(100)


def patches(p):
    """A random number of patches, each exchanged by two random ranks."""
    rnd = random.Random(7)
    for i in range(30):
        p.collective(size=8)
        for _ in range(rnd.randrange(2, 9)):
            a = rnd.randrange(p.ranks)
            b = (a + rnd.randrange(1, p.ranks)) % p.ranks
            pair(p, a, b, rnd.randrange(5), 100 * rnd.randrange(1, 50))
            p.compute(30)
        p.compute(100)


def retried(p):
    """Steps that are sometimes tried again."""
    rnd = random.Random(3)
    for i in range(40):
        p.broadcast()
        while True:
            p.exchange(1)
            p.compute(80)
            p.exchange(2)
            p.collective()
            if rnd.random() > 0.3:
                break
        p.compute(40)
        p.exchange(7, 8000)


def extra(p):
    """Another exchange in random iterations."""
    rnd = random.Random(8)
    for i in range(70):
        p.compute(60)
        p.exchange(1)
        p.compute(20)
        p.exchange(2, 800, -1)
        if rnd.random() < 0.35:
            p.exchange(9, 100000)


def neighbours(p):
    """Ranks with different numbers of neighbours."""
    rnd = random.Random(2)
    edges = [(a, b) for a in p.all for b in p.all if a < b and (b == a + 1 or rnd.random() < 0.4)]
    for i in range(50):
        sent = {}
        for a in p.all:
            for (x, y) in edges:
                if a == x:
                    sent[x, y] = p.send(x, y, 3, 100 + 10 * y)
                if a == y:
                    sent[y, x] = p.send(y, x, 3, 100 + 10 * x)
        for a in p.all:
            for (x, y) in edges:
                if a == x:
                    p.receive(x, y, 3, 100 + 10 * x, sent[y, x])
                if a == y:
                    p.receive(y, x, 3, 100 + 10 * y, sent[x, y])
        p.compute(120)


def coupled(p):
    """Two codes on a part of the ranks each, with other steps."""
    half = max(1, p.ranks // 2)
    first, second = list(range(half)), list(range(half, p.ranks))

    def shift(ranks, tag, us):
        if len(ranks) > 1:
            sent = [p.send(r, ranks[(i + 1) % len(ranks)], tag, 500) for i, r in enumerate(ranks)]
            for i, r in enumerate(ranks):
                p.receive(r, ranks[i - 1], tag, 500, sent[i - 1])
        for r in ranks:
            p.compute(us, r)
    for i in range(30):
        for _ in range(2):
            shift(first, 1, 80)
        for _ in range(3):
            shift(second, 2, 50)
        m = max(len(first), len(second))
        done = set()
        for k in range(m):
            a, b = first[k % len(first)], second[k % len(second)]
            if (a, b) not in done:
                pair(p, a, b, 9, 4000)
                done.add((a, b))


def there_and_back(p):
    """A wavefront on a row of ranks, in blocks, without any collective operation."""
    n = p.ranks
    for it in range(14):
        for direction in (1, -1):
            got = {}
            for block in range(7):
                for r in (p.all if direction == 1 else reversed(p.all)):
                    if 0 <= r - direction < n:
                        p.receive(r, r - direction, 1, 800, got[r, block])
                    p.compute(40, r)
                    if 0 <= r + direction < n:
                        got[r + direction, block] = p.send(r, r + direction, 1, 800)


def levels(p):
    """V cycles whose levels differ in size only."""
    for i in range(16):
        for level in list(range(5)) + list(reversed(range(4))):
            p.exchange(1, 8000 >> level)
            p.exchange(2, 8000 >> level, -1)
            p.compute(80 >> level)


def solved_again(p, start=lambda: None, norms=(2, 2)):
    """Four V cycles whose levels differ in size only, after one for warm-up and a new start."""
    def sweep(level):
        for tag in range(3):
            p.exchange(tag, 64000 >> 2 * level)
            p.exchange(tag, 64000 >> 2 * level, -1)
        p.compute(400 >> level)

    for cycles_of_part in (1, 4):
        for _ in range(20):
            p.collective(size=8)
            p.collective(size=32)
        start()
        for sums in norms:
            sweep(0)
            for _ in range(sums):
                p.collective()
        for _ in range(cycles_of_part):
            for level in [1, 2, 3, 4, 4, 3, 3, 2, 2, 1, 1, 0, 0, 0]:
                sweep(level)
    p.collective()
    p.collective()


def solved_after_norms(p):
    solved_again(p, norms=(1, 2))


def solved_after_barrier(p):
    solved_again(p, p.barrier)


def cycles(p):
    """Steps with three to six V cycles each."""
    rnd = random.Random(55)
    for i in range(10):
        p.exchange(20, 8000)
        p.compute(90)
        for c in range(rnd.randrange(3, 7)):
            for level in list(range(4)) + list(reversed(range(3))):
                p.exchange(level, 8000 >> level)
                p.compute(40 >> level)
            p.collective()


def summaries(p):
    """Every fifth step ends with five sums for the log of rank 0."""
    for i in range(17):
        p.collective(size=32)
        p.collective(size=16)
        for size in (4000, 4000, 1000):
            p.exchange(0, size)
            p.exchange(0, size, -1)
        p.collective(size=16)
        p.compute(120)
        if i % 5 == 4:
            for _ in range(5):
                p.collective("MPI_Reduce", 10, 0)


def announced(p):
    """Steps that exchange the number of particles, and then the particles, in one function."""
    rnd = random.Random(61)
    for _ in range(22):
        p.compute(150)
        for distance in (1, -1):
            p.exchange(0, 8, distance)
        for distance in (1, -1):
            p.exchange(0, 80 * rnd.randrange(20, 60), distance)


def announced_with_norms(p):
    """The same with a sum after each step, which also comes before the loop."""
    rnd = random.Random(62)
    for _ in range(5):
        p.collective()
    for _ in range(18):
        p.exchange(0, 8)
        p.exchange(0, 8, -1)
        p.exchange(0, 80 * rnd.randrange(20, 60))
        p.exchange(0, 80 * rnd.randrange(20, 60), -1)
        p.compute(150)
        p.collective()


def few_steps(p, steps=6):
    """A few steps. Each has a solver with another number of iterations, and each iteration waits by
    one call or by two."""
    rnd = random.Random(63)
    for _ in range(steps):
        for size in (9000, 4000):
            p.exchange(0, size)
            p.exchange(0, size - 800, -1)
        p.collective()
        for _ in range(rnd.randrange(22, 34)):
            p.exchange(0, 700)
            p.exchange(0, 500, -1)
            p.compute(60)
            for r in p.all:
                for _ in range(rnd.randrange(1, 3)):
                    p.put(r, "enter MPI_Waitall")
                    p.now[r] += 200
                    p.put(r, "leave MPI_Waitall")
            for _ in range(2):
                p.collective()


def five_steps(p):
    few_steps(p, 5)


def stages(p):
    """Steps of four stages: visits of one region, which differ in their tags."""
    for _ in range(20):
        for stage in range(4):
            p.enter("stage")
            p.exchange(30 + stage)
            p.compute(80)
            p.leave("stage")
        p.compute(30)


def ahead(p):
    """Steps receive by requests that the step before has posted."""
    near = [[q for q in (r - 1, r + 1) if 0 <= q < p.ranks] for r in p.all]
    steps, requests = 44, [0] * p.ranks

    def posted(r, region, text):
        requests[r] += 1
        p.put(r, "enter " + region)
        p.put(r, text + " %d" % requests[r])
        p.now[r] += 300
        p.put(r, "leave " + region)
        p.now[r] += 100
        return requests[r]

    receives = [[(q, posted(r, "MPI_Irecv", "irecv_request")) for q in near[r]] for r in p.all]
    for i in range(steps):
        at = list(p.now)
        sends = [[posted(r, "MPI_Isend", "isend %d world 1 800" % q) for q in near[r]] for r in p.all]
        following = receives
        if i + 1 < steps:
            following = [[(q, posted(r, "MPI_Irecv", "irecv_request")) for q in near[r]] for r in p.all]
        p.compute(70)
        for r in p.all:
            p.put(r, "enter MPI_Waitall")
            for send in sends[r]:
                p.put(r, "isend_complete %d" % send)
            for q, request in receives[r]:
                p.now[r] = max(p.now[r], at[q] + 5000)
                p.put(r, "irecv %d world 1 800 %d" % (q, request))
            p.put(r, "leave MPI_Waitall")
        p.compute(30)
        receives = following


def stencil(p):
    """A sum every ten steps."""
    for i in range(200):
        p.exchange(1, 8000)
        p.exchange(2, 8000, -1)
        p.compute(100)
        if i % 10 == 9:
            p.collective()


def two_dots(p):
    """Two products and four sums, of which three are alike."""
    for i in range(50):
        p.collective()
        p.exchange(1)
        p.compute(40)
        p.collective()
        p.compute(5)
        p.exchange(1)
        p.compute(40)
        p.collective(size=16)
        p.compute(5)
        p.collective()


def two_sorts(p):
    """Two sorts of steps, in random order, that share their last exchange only."""
    rnd = random.Random(5)
    for i in range(60):
        if rnd.random() < .5:
            p.exchange(1, 8000)
            p.compute(50)
            p.exchange(2, 8000)
        else:
            p.exchange(3, 4000)
            p.compute(90)
            p.collective(size=64)
        p.compute(20)
        p.exchange(9, 100)


def collected(p):
    """Every tenth step, all ranks send to the first one."""
    for i in range(100):
        p.compute(80)
        p.exchange(1)
        p.exchange(2, 800, -1)
        if i % 10 == 9:
            for r in range(1, p.ranks):
                p.receive(0, r, 77, 50000, p.send(r, 0, 77, 50000))


def pairs(p):
    """One to five exchanges of two random ranks; on two ranks all alike."""
    rnd = random.Random(17)
    for i in range(40):
        for _ in range(rnd.randrange(1, 6)):
            a = rnd.randrange(p.ranks)
            b = (a + rnd.randrange(1, p.ranks)) % p.ranks
            pair(p, a, b, 3, 800)
            p.compute(30)
        p.collective()


def converging(p):
    """Two to eight solver steps for each time step; inner ranks have more neighbours."""
    rnd = random.Random(44)
    for t in range(22):
        for k in range(rnd.randrange(2, 9)):
            line(p, 3)
            p.compute(30)
            p.collective()
        line(p, 8, 20000)
        p.compute(60)


def diagnostics(p):
    """Output by messages every seventh step, a sum in three of all."""
    for i in range(84):
        p.compute(40)
        line(p, 1)
        line(p, 2, 2000)
        if i in (13, 40, 71):
            p.collective(size=99)
        if i % 7 == 6:
            for r in range(1, p.ranks):
                p.receive(0, r, 50, 7000, p.send(r, 0, 50, 7000))


def new_tags(p):
    """Two exchanges, with other tags in each step."""
    for i in range(70):
        p.compute(60)
        p.exchange(1000 + i, 800)
        p.exchange(3000 + i, 800, -1)
        p.collective()


def remeshed(p):
    """Other exchanges before every sixteen steps, with tags of their own."""
    for i in range(128):
        if i % 16 == 0:
            p.exchange(61, 9000)
            p.collective("MPI_Scan", 12, -1, 8)
            p.exchange(62, 90000)
        p.exchange(1, 800)
        p.compute(40)
        p.collective(size=8)


def two_rates(p):
    """Two codes with steps of their own; some ranks do not take part in the coupling."""
    half = p.ranks // 2
    first, second = list(range(half)), list(range(half, p.ranks))

    def shift(ranks, tag, us):
        for r in ranks:
            p.compute(us, r)
        if len(ranks) > 1:
            sent = [p.send(r, ranks[(i + 1) % len(ranks)], tag, 700) for i, r in enumerate(ranks)]
            for i, r in enumerate(ranks):
                p.receive(r, ranks[i - 1], tag, 700, sent[i - 1])
    for i in range(15):
        for _ in range(6):
            shift(first, 1, 30)
        for _ in range(2):
            shift(second, 2, 90)
        pair(p, 0, half, 9, 20000)
        if half > 1:
            pair(p, 1, p.ranks - 1, 9, 20000)
        elif p.ranks > 2:
            pair(p, 0, p.ranks - 1, 8, 100)


def energy_groups(p):
    """Solvers of seven groups, told by tags, and a sum that differs in size only."""
    rnd = random.Random(8)
    for i in range(6):
        for group in range(7):
            for _ in range(rnd.randrange(3, 9)):
                p.compute(30)
                p.exchange(group, 2000)
                p.collective()
        p.collective(size=16)


def written(p):
    """Output by messages, in a region of its own."""
    for i in range(60):
        p.enter("step")
        p.collective()
        for t in range(3):
            p.compute(50)
            p.exchange(t)
        p.leave("step")
        if i % 12 == 11:
            p.enter("write")
            for r in range(1, p.ranks):
                p.receive(0, r, 50, 9000, p.send(r, 0, 50, 9000))
            p.leave("write")


def turns_and_swaps(p):
    """A broadcast along the ring, and an exchange with another tag."""
    for k in range(48):
        root, sent = k % p.ranks, None
        p.compute(100, root)
        for d in range(p.ranks):
            r = (root + d) % p.ranks
            if d > 0:
                p.receive(r, (r - 1) % p.ranks, 1, 8000, sent)
            if d + 1 < p.ranks:
                sent = p.send(r, (r + 1) % p.ranks, 1, 8000)
        p.exchange(7, 3000)
        p.compute(200)


def workers(p):
    """Work that is dealt out to any worker."""
    rnd = random.Random(3)
    p.broadcast()
    for r in range(1, p.ranks):
        p.receive(r, 0, 1, 100, p.send(0, r, 1, 100))
    for _ in range(150):
        r = rnd.randrange(1, p.ranks)
        p.compute(100, r)
        p.receive(0, r, 2, 500, p.send(r, 0, 2, 500))
        p.receive(r, 0, 1, 100, p.send(0, r, 1, 100))
    p.barrier()


def refined(p):
    """Partners that change now and then, after the ranks have agreed on them."""
    rnd = random.Random(21)
    edges = []
    for i in range(50):
        if i == 0 or rnd.random() < .12:
            edges = [(r, r + 1) for r in range(p.ranks - 1) if r == 0 or rnd.random() < .8]
            edges += [(0, r) for r in range(2, p.ranks) if rnd.random() < .4]
            p.collective("MPI_Allgather", 6)
        for a, b in edges:
            pair(p, a, b, 5, 100 + 10 * b)
        p.compute(80)
        p.collective()


def phases_alike(p):
    """Two loops that end with the same call."""
    for _ in range(17):
        p.exchange()
        p.compute(60)
        p.collective()
    for _ in range(22):
        p.broadcast(size=3000)
        p.gather()
        p.compute(90)
        p.collective()


def spin_up(p):
    """Steps of a solver, and then time steps that have some of the same each."""
    def solve(steps):
        for _ in range(steps):
            p.exchange()
            p.compute(30)
            p.collective()
    solve(26)
    for _ in range(14):
        p.broadcast(size=99)
        p.exchange(9, 4000)
        solve(8)


def there_and_back_twice(p):
    """A wavefront in blocks that crosses a row of ranks four times in each iteration."""
    for _ in range(14):
        for direction in (1, -1, 1, -1):
            got = {}
            for block in range(5):
                for r in (p.all if direction == 1 else reversed(p.all)):
                    if 0 <= r - direction < p.ranks:
                        p.receive(r, r - direction, 1, 800, got[r, block])
                    p.compute(40, r)
                    if 0 <= r + direction < p.ranks:
                        got[r + direction, block] = p.send(r, r + direction, 1, 800)
        p.collective()


def residual(p):
    """A solver, and then the norm of the residual: the same calls but for the size of a sum."""
    for _ in range(13):
        p.collective(size=16)
        for _ in range(25):
            p.exchange()
            p.compute(50)
            p.collective()
            p.compute(10)
            p.collective()
        p.exchange()
        p.collective()
        p.compute(20)
        p.collective(size=24)


def restarted(p):
    """Each step of a solver has a sum more than the one before; a residual, at restarts."""
    for _ in range(12):
        p.exchange()
        p.collective()
        for j in range(8):
            p.exchange()
            p.compute(30)
            for _ in range(j + 1):
                p.collective()
            p.collective(size=16)


def handed_on(p):
    """Particles are handed on one to three times in each step, in any number."""
    rnd = random.Random(9)
    for _ in range(28):
        p.compute(80)
        p.exchange(30, 4000)
        for _ in range(rnd.randrange(1, 4)):
            p.exchange(1, 40 * rnd.randrange(1, 99))
            p.exchange(2, 40 * rnd.randrange(1, 99), -1)
            p.collective(size=4)


def unconverged(p):
    """SNAP: sweeps until they converge, with another sum after these. At the end of some, few groups are left, whose messages
    have another tag and size."""
    for step, sweeps in enumerate([5, 5, 3, 1, 5, 4, 3, 1, 5, 4, 3, 1, 5, 4, 2, 1]):
        for sweep in range(1, sweeps + 1):
            few = step in (2, 4, 6) and sweep == sweeps
            p.compute(20 if few else 80)
            for distance in (1, -1):
                p.exchange(20 if few else 10, 200 if few else 800, distance)
            p.collective(size=32)
        p.collective(size=8)


def products_before(p):
    """Nekbone: two products and a sum come before the solver's steps, which begin with a sum, then a product."""
    for _ in range(2):
        p.compute(50)
        p.exchange(4)
    p.collective()
    for _ in range(60):
        p.compute(10)
        p.collective()
        p.compute(50)
        p.exchange(4)
        p.collective()
        p.compute(10)
        p.collective()
    p.barrier()


def parameters(p):
    """Broadcasts of five sizes before the iterations."""
    for size in (4, 8, 400, 12, 80):
        p.compute(400)
        p.broadcast(size=size)
    p.barrier()
    for _ in range(20):
        for _ in range(6):
            line(p, 1)
            p.compute(20)
            p.collective()
        line(p, 20, 8000)


def periodic(p):
    """Ranks that are their own neighbours in one direction; sizes change, sums every ten steps."""
    rnd = random.Random(4)
    for i in range(50):
        for distance in (1, -1, 0, 0):
            p.exchange(0, 8 * rnd.randrange(100, 110), distance)
        p.compute(70)
        if i % 10 == 9:
            p.collective()
            p.collective(size=16)


def directions(p):
    """A tag for each direction: on two ranks, all messages with a tag go to one rank."""
    for _ in range(39):
        for _ in range(6):
            line(p)
            p.compute(20)
            p.collective()
        sent = {}
        for r in range(p.ranks - 1):
            sent[r, r + 1] = p.send(r, r + 1, 21, 800)
        for r in range(1, p.ranks):
            sent[r, r - 1] = p.send(r, r - 1, 20, 800)
        for r in range(p.ranks - 1):
            p.receive(r, r + 1, 20, 800, sent[r + 1, r])
        for r in range(1, p.ranks):
            p.receive(r, r - 1, 21, 800, sent[r - 1, r])


def preconditioned(p):
    """Each step has a set-up, which the first one repeats, and four long preconditioners, which end as
    the set-up does."""
    for step in range(10):
        p.collective()
        line(p, 1, 1600)
        line(p, 1, 400)
        p.collective()
        p.collective()
        line(p, 1, 800)
        for _ in range(24 if step == 0 else 1):
            p.collective()
            p.collective()
            line(p, 1, 400)
        for left in reversed(range(3 if step == 0 else 4)):
            for _ in range(18):
                p.compute(40)
                line(p, 1, 1600)
            p.collective()
            line(p, 1, 400)
            if left > 0:
                p.collective()
        line(p, 1, 400)


def poll(p, rank, call="MPI_Testsome"):
    for _ in range(random.randrange(1, 5)):
        p.put(rank, "enter " + call)
        p.now[rank] += 200
        p.put(rank, "leave " + call)
        p.now[rank] += 50


def tasks(p, count, size=800):
    """Each rank sends the messages of several tasks as soon as it can, tests for others between
    them, and receives the messages of its neighbour in the order of arrival."""
    n = p.ranks
    sent = {}
    for r in p.all:
        for task in random.sample(range(count), count):
            poll(p, r)
            p.compute(5, r)
            sent[r, task] = p.send(r, (r + 1) % n, 10 + task, size)
            sent[r, task, 2] = p.send(r, (r + 1) % n, 50 + task, 2 * size)
    for r in p.all:
        for task in random.sample(range(count), count):
            poll(p, r)
            p.receive(r, (r - 1) % n, 10 + task, size, sent[(r - 1) % n, task])
            p.receive(r, (r - 1) % n, 50 + task, 2 * size, sent[(r - 1) % n, task, 2])


def tasks_and_sum(p):
    for _ in range(30):
        p.compute(20)
        tasks(p, 6)
        p.collective()


def tasks_in_steps(p):
    for _ in range(7):
        p.broadcast()
        for _ in range(9):
            tasks(p, 4)
            p.collective()
        p.collective(size=240)


def answers(p):
    """After an exchange in one order, each rank answers its neighbours in the order of arrival."""
    n = p.ranks
    for _ in range(40):
        p.exchange(1)
        p.exchange(2, distance=p.ranks - 1)
        p.compute(30)
        sent = {}
        for r in p.all:
            for tag in random.sample(range(3, 7), 4):
                poll(p, r, "MPI_Waitany")
                sent[r, tag] = p.send(r, (r + 1) % n, tag, 400)
        for r in p.all:
            for tag in range(3, 7):
                p.receive(r, (r - 1) % n, tag, 400, sent[(r - 1) % n, tag])


def progress(p):
    """Tests only let messages make progress: the order of the calls is always the same."""
    for _ in range(12):
        p.broadcast()
        for _ in range(5):
            for tag in (1, 2):
                p.compute(20)
                for r in p.all:
                    poll(p, r, "MPI_Test")
                p.exchange(tag)


def no_sum_at_first(p):
    """Each step but the first one begins with a sum; on ranks at an end, steps have fewer calls."""
    p.barrier()
    for step in range(12):
        if step > 0:
            p.collective()
        for tag in range(1, 7):
            p.compute(20)
            line(p, tag, 400 * tag)
    p.compute(100)
    p.collective("MPI_Reduce", 10, 0)


def inside(p, region, call):
    p.compute(10)
    p.enter(region)
    call()
    p.leave(region)


def helpers(p):
    """The regions of two helpers make all exchanges and sums of a step."""
    for _ in range(39):
        inside(p, "exchange", p.exchange)
        for _ in range(8):
            inside(p, "sum", p.collective)
        p.exchange(2)
        inside(p, "exchange", p.exchange)
        inside(p, "exchange", p.barrier)
        inside(p, "exchange", p.exchange)
        p.exchange(2)


def step_region(p):
    """Each step is a visit of a region, and makes the same exchange three times."""
    def step():
        line(p, 1)
        for tag in (2, 3, 2, 2):
            p.compute(10)
            line(p, tag)
    for _ in range(20):
        inside(p, "step", step)


def nothing_once(p):
    """Steps with an inner loop make no call exactly once."""
    for _ in range(29):
        inside(p, "sum", p.collective)
        line(p)
        inside(p, "sum", p.collective)
        for _ in range(8):
            inside(p, "sum", p.exchange)
            line(p)
        inside(p, "norm", p.collective)
        inside(p, "norm", p.collective)


def same_calls(p):
    """Two loops that have exchanges in common; the second one has a loop inside."""
    p.exchange(2, distance=2)
    p.barrier()
    for _ in range(20):
        p.compute(20)
        p.exchange(2, distance=2)
        line(p)
        line(p)
        p.exchange(3)
    p.exchange(2, distance=2)
    for _ in range(39):
        p.exchange(2, distance=2)
        p.barrier()
        p.barrier()
        p.exchange(3)
        for _ in range(8):
            p.compute(20)
            p.barrier()
            p.collective()
            p.exchange(3)
        p.collective()
        p.collective()


def few_pairs(p):
    """Steps with pairs of equal exchanges beside an inner loop."""
    for _ in range(17):
        p.exchange(1)
        p.exchange(1)
        for _ in range(11):
            p.compute(20)
            p.broadcast()
        p.exchange(1)
        p.exchange(1)
        p.broadcast()
        p.collective()


def one_long(p):
    """Nearly all calls are between two of five barriers, and nothing repeats them."""
    def few():
        p.barrier()
        p.exchange(1)
        p.collective()

    few()
    few()
    random_calls(p)
    few()
    few()
    few()


def long_start(p):
    """Most of the time passes before the loop, which makes most of the calls."""
    p.compute(1000000)
    p.barrier()
    for _ in range(14):
        for _ in range(6):
            p.compute(1)
            p.exchange(1)
        p.collective()


def same_head(p):
    """Two loops in a row, which have an exchange in common, between the same calls."""
    line(p)
    for _ in range(17):
        inside(p, "update", p.exchange)
        p.broadcast()
        p.broadcast()
    inside(p, "update", p.broadcast)
    for _ in range(40):
        p.broadcast()
        inside(p, "sum", p.collective)
        inside(p, "update", p.exchange)
        line(p)
    inside(p, "update", p.broadcast)


def sums_and_report(p):
    """Steps of molecular dynamics that mostly sum up, and a report of times that does so, too."""
    for step in range(60):
        for size in (8, 24, 8, 8, 16, 8, 8, 4, 16, 4):
            p.compute(40 if size == 16 else 4)
            p.collective(size=size)
        p.broadcast(size=4)
    for _ in range(70):
        p.collective(size=8)
    for timer in range(90):
        p.enter("MPI_Comm_size")
        p.leave("MPI_Comm_size")
        for size in (8, 8, 8, 32, 8, 32, 8, 4):
            p.compute(1)
            p.collective(size=size)
        p.broadcast(root=1, size=4)
        p.broadcast(root=1, size=40 + 4 * random.randrange(20))


def tested_exchange(p, request, sites=("@10", "@11", "@12", "@13")):
    """Ranks test once whether an exchange is complete. If it is not, they compute, and then wait for it."""
    n = p.ranks
    receive, send, test, wait = sites
    for r in p.all:
        p.put(r, "enter MPI_Irecv" + receive)
        p.put(r, "irecv_request %d" % request)
        p.put(r, "leave MPI_Irecv" + receive)
        p.put(r, "enter MPI_Isend" + send)
        p.put(r, "isend %d world 1 800 %d" % ((r + 1) % n, request + 1))
        p.put(r, "leave MPI_Isend" + send)
    for r in p.all:
        complete = random.random() < 0.6
        p.now[r] += 2000
        p.put(r, "enter MPI_Testall" + test)
        if not complete:
            p.put(r, "test %d" % request)
            p.put(r, "test %d" % (request + 1))
            p.put(r, "leave MPI_Testall" + test)
            p.compute(5, r)
            p.put(r, "enter MPI_Waitall" + wait)
        p.put(r, "isend_complete %d" % (request + 1))
        p.put(r, "irecv %d world 1 800 %d" % ((r - 1) % n, request))
        p.put(r, "leave MPI_Testall" + test if complete else "leave MPI_Waitall" + wait)
        p.now[r] += 100


def waits_after_tests(p):
    """A solver whose ranks wait for an exchange only if a test found it incomplete."""
    request = 0
    for step in range(7):
        p.collective(size=16)
        p.compute(20)
        for _ in range(12 + step % 2):
            tested_exchange(p, request)
            request += 2
            p.compute(10)
            p.collective()
            p.collective()


def waited_exchange(p, request):
    """Ranks send back without a test."""
    n = p.ranks
    for r in p.all:
        p.put(r, "enter MPI_Isend")
        p.put(r, "isend %d world 3 800 %d" % ((r - 1) % n, request + 1))
        p.put(r, "leave MPI_Isend")
        p.put(r, "enter MPI_Irecv")
        p.put(r, "irecv_request %d" % request)
        p.put(r, "leave MPI_Irecv")
    p.compute(3)
    for r in p.all:
        p.now[r] += 3000
        p.put(r, "enter MPI_Waitall")
        p.put(r, "isend_complete %d" % (request + 1))
        p.put(r, "irecv %d world 3 800 %d" % ((r + 1) % n, request))
        p.put(r, "leave MPI_Waitall")
        p.now[r] += 100


def waits_at_one_path(p):
    """The same solver with exchanges that are always waited for, in a trace without call sites."""
    requests = iter(range(0, 100000, 4))

    def exchange_both():
        request = next(requests)
        tested_exchange(p, request, ("", "", "", ""))
        waited_exchange(p, request + 2)

    for step in range(6):
        p.collective(size=16)
        exchange_both()
        for _ in range(12 + step % 2):
            exchange_both()
            p.compute(10)
            p.collective()
            p.collective()
        exchange_both()


def own_communicators(p):
    """Each sum is made on a new duplicate of a communicator. Only tags tell the exchanges apart."""
    for step in range(9):
        for tag in (1, 2, 3, 4):
            p.exchange(tag)
            p.compute(10)
            p.comms.append("own%d" % len(p.comms))
            p.enter("MPI_Comm_dup")
            p.leave("MPI_Comm_dup")
            p.collective(comm=p.comms[-1])
            p.enter("MPI_Comm_free")
            p.leave("MPI_Comm_free")


def first_setup_differs(p):
    """A solver that is set up in each step, and then solves several times. The first time, the setup begins with broadcasts
    instead of messages, which are those of the solver."""
    for step in range(6):
        for part in range(7):
            if step == 0:
                p.broadcast(size=800)
            else:
                p.exchange(60 if part % 3 else 50)
            p.compute(10)
        for level in range(14):
            p.exchange(30 + level, 4000 >> level // 2)
            p.compute(5)
        for solve in range(4):
            p.exchange(60)
            for _ in range(6 - solve):
                p.exchange(50)
                p.compute(10)
                p.collective()


def begins_like_start(p):
    """Runs of a solver for growing problems, each of which begins with the same call as the program itself.
    The first one needs no messages in its iterations."""
    for run in range(9):
        p.enter("MPI_Comm_dup")
        p.leave("MPI_Comm_dup")
        if run == 0:
            for size in (4, 8, 40, 12):
                p.broadcast(size=size)
            continue
        for tag in range(6):
            p.exchange(tag, 800 + 80 * run)
            p.collective("MPI_Scan", 12, size=8 * run)
        p.barrier()
        for _ in range(30):
            if run > 1:
                p.exchange(50, 400 + 40 * run)
            p.compute(10)
            p.collective()
            p.broadcast(size=8 * run)


def groups_converge(p):
    """Outer iterations of five, five, three and one inner ones, which make tasks for the energy groups that have not converged.
    The last inner one of several begins with messages of another group."""
    for inner in (5, 5, 3, 1):
        for k in range(inner):
            last = 0 < k == inner - 1
            p.exchange(70 if last else 60)
            tasks(p, 2 if last else 5 - k // 2)
            p.collective(size=32)
        p.collective("MPI_Reduce", 10, 0)


def messages_in_any_order(p, site, count):
    for r in p.all:
        for tag in random.sample(range(count), count):
            p.put(r, "enter MPI_Sendrecv@%d" % site)
            p.put(r, "send %d world %d 800" % ((r + 1) % p.ranks, tag))
            p.now[r] += 3000
            p.put(r, "recv %d world %d 800" % ((r - 1) % p.ranks, tag))
            p.put(r, "leave MPI_Sendrecv@%d" % site)
            p.now[r] += 100


def set_up_and_solve(p):
    """Both parts of a step begin with the same sum and make the same messages, in another order each time. Only call sites
    tell the parts apart."""
    for _ in range(6):
        for part, iterations in ((1, 1), (2, 9)):
            p.collective()
            messages_in_any_order(p, part, 20)
            for _ in range(iterations):
                p.compute(20)
                p.collective("MPI_Allreduce@%d" % part, size=80)


def neighbours_in_turn(p):
    """Each step exchanges messages with one rank after the other, and waits each time."""
    request = 0
    for _ in range(15):
        for distance in range(1, min(4, p.ranks)):
            p.compute(30)
            for r in p.all:
                p.put(r, "enter MPI_Irecv@10")
                p.put(r, "irecv_request %d" % request)
                p.put(r, "leave MPI_Irecv@10")
                p.put(r, "enter MPI_Isend@11")
                p.put(r, "isend %d world %d 14400 %d" % ((r + distance) % p.ranks, distance, request + 1))
                p.put(r, "leave MPI_Isend@11")
            p.compute(5)
            for r in p.all:
                p.now[r] += 3000
                p.put(r, "enter MPI_Wait@12")
                p.put(r, "irecv %d world %d 14400 %d" % ((r - distance) % p.ranks, distance, request))
                p.put(r, "leave MPI_Wait@12")
                p.now[r] += 100
                p.put(r, "enter MPI_Wait@13")
                p.put(r, "isend_complete %d" % (request + 1))
                p.put(r, "leave MPI_Wait@13")
                p.now[r] += 100
            request += 2


class Requests:
    """Messages that are received with MPI_Irecv and MPI_Wait."""

    def __init__(self, p):
        self.p = p

    def post(self, rank, number, tag):
        """The rank waits for its requests with this tag before it posts others."""
        self.p.put(rank, "enter MPI_Irecv")
        self.p.put(rank, "irecv_request %d" % (100 * tag + number))
        self.p.put(rank, "leave MPI_Irecv")
        self.p.now[rank] += 100

    def wait(self, rank, number, source, tag, size, sent):
        self.p.put(rank, "enter MPI_Wait")
        self.p.now[rank] = max(self.p.now[rank], sent) + 500
        self.p.put(rank, "irecv %d world %d %d %d" % (source, tag, size, 100 * tag + number))
        self.p.put(rank, "leave MPI_Wait")
        self.p.now[rank] += 100

    def shift(self, order, target, tag, size):
        """Each rank in `order` receives from the rank whose `target` it is, and sends to its own."""
        p, sent, source = self.p, {}, {target(r): r for r in order if target(r) is not None}
        for r in order:
            if r in source:
                self.post(r, 0, tag)
            if target(r) is not None:
                sent[target(r)] = p.send(r, target(r), tag, size)
        for r in order:
            if r in source:
                self.wait(r, 0, source[r], tag, size, sent[r])


def lu_on_grid(p):
    """NPB LU: a first iteration warms up, and the last one makes a sum in the middle. Tags tell the four directions, and the
    exchanges at the end of an iteration have those of the sweeps: it begins before one of the messages on some ranks."""
    columns = 2 if p.ranks % 2 == 0 else 1
    requests = Requests(p)

    def neighbour(dx, dy):
        def target(r):
            x, y = r % columns + dx, r // columns + dy
            return x + y * columns if 0 <= x < columns and 0 <= y < p.ranks // columns else None
        return target

    def sweep(step, tags):
        for _ in range(10):
            arrived = {}
            for r in p.all if step > 0 else reversed(p.all):
                for source, tag in zip((neighbour(0, -step)(r), neighbour(-step, 0)(r)), tags):
                    if source is not None:
                        p.receive(r, source, tag, 200, arrived[r, tag])
                p.compute(10, r)
                for target, tag in zip((neighbour(0, step)(r), neighbour(step, 0)(r)), tags):
                    if target is not None:
                        arrived[target, tag] = p.send(r, target, tag, 200)

    def exchange():
        for dx, dy, tag in ((0, 1, 1), (0, -1, 3), (1, 0, 2), (-1, 0, 4)):
            requests.shift(p.all, neighbour(dx, dy), tag, 5760)

    for iterations in (1, 30):
        exchange()
        p.collective(size=40)
        p.barrier()
        for i in range(iterations):
            sweep(1, (1, 2))
            sweep(-1, (3, 4))
            if i + 1 == iterations:
                p.collective(size=40)
            exchange()
        p.collective(size=40)


CASES = {
    lu_on_grid: "+30 10,10",
    groups_converge: "14 *", set_up_and_solve: "6 9", neighbours_in_turn: "15 *",
    waits_after_tests: "7 *", waits_at_one_path: "6 *", own_communicators: "9 *", first_setup_differs: "7,6 *", begins_like_start: "8 *",
    sums_and_report: "60,90 *",
    helpers: "39 *", step_region: "20 *", nothing_once: "29 *", same_calls: "20,39 *", few_pairs: "17 *",
    same_head: "17,40 *",
    no_sum_at_first: "12 *",
    tasks_and_sum: "30 -", tasks_in_steps: "7 9", answers: "40 -", progress: "12 5",
    refined: "50 *", phases_alike: "17,22 -", spin_up: "26,14 *", there_and_back_twice: "14 4",
    residual: "13 25", restarted: "12 8", handed_on: "28 *", parameters: "20 6", periodic: "5 10",
    directions: "39 6", preconditioned: "10 5",
    two_rates: "15 *", energy_groups: "6 *", written: "60 *", turns_and_swaps: "48 *",
    workers: "- -",
    remeshed: "8 16",
    converging: "22 *", diagnostics: "84 -", new_tags: "70 *",
    two_sorts: "60 *", collected: "100 -", pairs: "40 *",
    nested: "12 8", deep: "6 5", varying: "14 *", cg: "15 25", cg_varying: "15 *",
    wavefront: "12 *", pipeline: "40 -", stalls: "12 *", output: "97 -", sizes: "60 -",
    three_kinds: "60 -", checkpoints: "60 -", newton: "8 *", neighbour_lists: "12 *",
    idle_rank: "30 -", rare: "80 -", linpack: "64 -", ring_broadcast: "60 -", liso: "5 6,3",
    liso_alike: "5 6,3", phases: "10,25,7 *", warm_up: "5,50 -", first_differs: "50 -",
    ring: "200 -", lu: "50 *", instrumented: "30 *", halo: "40 -", random_calls: "- -",
    turns: "60 -", turns_and_sum: "48 -", turns_of_stars: "40 -", patches: "30 *",
    retried: "40 *", extra: "70 -", neighbours: "50 *", coupled: "30 *", there_and_back: "14 *",
    levels: "16 *", solved_again: "+4 *", solved_after_norms: "+4 *",
    solved_after_barrier: "+4 *", cycles: "10 *",
    summaries: "17 *", announced: "22 *", announced_with_norms: "+18 *", few_steps: "6 *",
    five_steps: "5 *", stages: "20 *", ahead: "44 -", stencil: "20 10",
    two_dots: "50 -", unconverged: "52 -",
    products_before: "60 *",
    one_long: "- -", long_start: "14 *",
    random_few: "- -", growing: "* *", tree: "- -", once: "- -",
}


def coarse(p, first=10, iterations=1200):
    """A multigrid solver: the other ranks wait while rank 0 solves on the coarsest grid, and two
    sums follow each other. The first cycles solve in fewer steps."""
    for i in range(first + iterations):
        for level in range(4):
            p.compute(10)
            p.exchange(1, 8000 >> level)
        for r in range(1, p.ranks):
            p.receive(0, r, 2, 80, p.send(r, 0, 2, 80))
        for _ in range(4 if i < first else 16):
            p.put(0, "enter MPI_Allreduce")
            p.now[0] += 300
            p.put(0, "leave MPI_Allreduce")
            p.now[0] += 100
        for r in range(1, p.ranks):
            p.receive(r, 0, 3, 80, p.send(0, r, 3, 80))
        for level in range(4):
            p.exchange(1, 1000 << level)
        p.collective()
        p.collective()
        if i + 1 == first:
            p.broadcast()


def uneven(p):
    """Rank 0 has many more events than the others. Only for traces that are read in slices."""
    for _ in range(1500):
        for _ in range(6):
            p.compute(3)
            p.receive(1, 0, 1, 800, p.send(0, 1, 1, 800))
            p.put(0, "enter part")
            p.now[0] += 200
            p.put(0, "leave part")
        p.receive(0, 1, 2, 80, p.send(1, 0, 2, 80))
        p.collective()


def asks_for_ranks(p):
    """miniFE: the product in each step asks for the number of ranks, and so does the set-up, between sums. The first residual
    looks like a step with one sum less. From the 24th step on, some steps sum up more. Only for four ranks and more: on fewer,
    the set-up makes more calls than a step."""

    def ask(*regions):
        for region in regions:
            p.enter(region)
            p.leave(region)

    def sums(*sizes):
        for size in sizes:
            p.collective(size=size)

    requests = Requests(p)

    def exchange(tag, size):
        neighbours = range(1, min(4, p.ranks))
        for r in p.all:
            for distance in neighbours:
                requests.post(r, distance, tag)
        sent = {(r, distance): p.send(r, (r + distance) % p.ranks, tag, size * distance) for r in p.all for distance in neighbours}
        for r in p.all:
            for distance in neighbours:
                source = (r - distance) % p.ranks
                requests.wait(r, distance, source, tag, size * distance, sent[source, distance])

    ask("MPI_Comm_size", "MPI_Comm_rank")
    p.broadcast(size=4)
    p.broadcast(size=4)
    sums(4)
    for _ in range(3):
        ask("MPI_Comm_size", "MPI_Comm_rank")
    sums(16)
    for sizes in ((4,), (4, 24)):
        ask("MPI_Comm_size", "MPI_Comm_rank")
        for size in sizes:
            p.collective("MPI_Allgather", 7, size=size)
    ask("MPI_Comm_rank", "MPI_Comm_rank")
    sums(4)
    ask("MPI_Comm_size", "MPI_Comm_rank")
    sums(16, 16)
    for tag, size in ((99, 4), (100, 4), (101, 312)):
        exchange(tag, size)
    for sizes in ((4,), (16, 16)):
        ask("MPI_Comm_size", "MPI_Comm_rank")
        sums(*sizes)
    ask("MPI_Comm_rank")

    def product():
        p.compute(40)
        ask("MPI_Comm_size")
        exchange(102, 960)
        sums(8)

    product()
    for step in range(38):
        if step > 0:
            p.compute(20)
            sums(8)
        product()
        if step in (23, 25, 26, 28, 29, 30, 31, 32, 34, 35, 36, 37):
            sums(8, 8)
    for _ in range(2):
        p.collective("MPI_Reduce", 8, 0, 8)


def write(name, ranks, noise, file):
    random.seed(name)
    p = Run(ranks, noise)
    p.enter("main")
    p.compute(300)
    next(case for case in [*CASES, uneven, coarse, asks_for_ranks] if case.__name__ == name)(p)
    p.compute(300)
    p.leave("main")
    print("ranks %d" % p.ranks, file=file)
    for comm in p.comms:
        print("comm %s %s" % (comm, ",".join(map(str, p.all))), file=file)
    for r in p.all:
        print("rank %d" % r, file=file)
        print("\n".join(p.lines[r]), file=file)


def main():
    if sys.argv[1] == "--list":
        for case, expected in CASES.items():
            print(case.__name__, expected)
        return
    if sys.argv[1] == "--write":
        for line in sys.stdin:
            name, ranks, noise = line.split()
            with open("%s/%s-%s" % (sys.argv[2], name, ranks), "w") as file:
                write(name, int(ranks), float(noise), file)
        return
    write(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]) if len(sys.argv) > 3 else 0.02, sys.stdout)


if __name__ == "__main__":
    main()
