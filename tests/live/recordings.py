"""recordings.py polls|threads SEED: the text of a trace (tests/trace/text_trace.h). polls: tests of requests and probes that are rounds
of polling loops, or single. threads: serial parts and parallel regions with barriers and critical sections, whose threads end late."""
import random
import sys

kind, chance = sys.argv[1], random.Random(int(sys.argv[2]))


class Rank:
    def __init__(self, number):
        self.number, self.now, self.lines = number, 1000, []

    def event(self, text, after=300):
        self.now += after
        self.lines.append(f"{self.now} {text}")

    def call(self, region, record=None, least=300):
        self.event(f"enter {region}", chance.randint(100, 900))
        if record:
            self.event(record, least)
        self.event(f"leave {region}", chance.randint(100, 2000))

    def compute(self, region, most):
        self.event(f"enter {region}", chance.randint(0, 400))
        self.event(f"leave {region}", chance.randint(0, most))


def polls():
    ranks = [Rank(0), Rank(1)]
    sender, receiver = ranks
    for rank in ranks:
        rank.event("enter main", 0)
    for step in range(40):
        request = 2 * step + 1
        receiver.call("MPI_Irecv", f"irecv_request {request}")
        sender.compute("solve", 60000)
        sender.call("MPI_Send", f"send 1 world {step} 800")
        way = step % 4
        receiver.event("enter overlap", 10)
        while receiver.now < sender.now:
            receiver.call("MPI_Test", f"test {request}")
            if way == 1:
                receiver.compute("work", 9000) # no polling loop: other regions are between the tests
            elif way == 2:
                receiver.now += chance.choice([3000, 40000])
            elif way == 3:
                receiver.now += 2000
        receiver.call("MPI_Test" if way else "MPI_Wait", f"irecv 0 world {step} 800 {request}")
        receiver.event("leave overlap", 10)
        sender.now = max(sender.now, receiver.now - 30000)
        if step % 3 == 0: # the receiver answers; the other probes
            receiver.compute("work", 20000)
            receiver.call("MPI_Send", f"send 0 world {1000 + step} 80")
            while sender.now < receiver.now:
                sender.call("MPI_Iprobe")
                sender.now += 4000
            sender.call("MPI_Iprobe")
            sender.call("MPI_Recv", f"recv 1 world {1000 + step} 80")
    return ranks


def team(rank, threads):
    fork = rank.now + 200
    rank.event(f"fork {len(threads) + 1}", 200)
    lanes = [rank, *threads]
    for lane in lanes:
        lane.now = max(lane.now, fork + chance.randint(0, 100))
        for text in ("team_begin", "enter !$omp_parallel", "enter kernel"):
            lane.event(text, 0)
    for phase in range(2):
        for lane in lanes:
            lane.event("leave kernel", chance.randint(1000, 9000))
            lane.event("enter !$omp_implicit_barrier", 0)
        last = max(lane.now for lane in lanes)
        for lane in lanes:
            lane.now = last
            lane.event("leave !$omp_implicit_barrier", chance.randint(10, 40) if lane is rank else chance.randint(10, 3000))
            if phase == 0:
                lane.event("enter kernel", 0)
    for lane in lanes:
        lane.event("leave !$omp_parallel", 0)
        lane.event("team_end", 0)
    rank.event("join", 0)


def threads():
    ranks, others = [Rank(0), Rank(1)], [[Rank(0), Rank(0)], [Rank(1), Rank(1)]]
    for rank in ranks:
        rank.event("enter main", 0)
    for step in range(30):
        for rank, workers in zip(ranks, others):
            rank.compute("serial", 20000)
            team(rank, workers)
            rank.compute("between", 4000)
            if step % 2:
                team(rank, workers)
        for rank, partner in ((ranks[step % 2], ranks[1 - step % 2]), (ranks[1 - step % 2], ranks[step % 2])):
            sends = rank is ranks[step % 2]
            rank.call("MPI_Send" if sends else "MPI_Recv", f"{'send' if sends else 'recv'} {partner.number} world {step} 4000", 300)
            partner.now = max(partner.now, rank.now - 1500)
    for rank, workers in zip(ranks, others):
        rank.threads = workers
    return ranks


print("ranks 2")
for rank in {"polls": polls, "threads": threads}[kind]():
    rank.event("leave main", 500)
    print(f"rank {rank.number}", *rank.lines, sep="\n")
    for worker in getattr(rank, "threads", []):
        print(f"thread {rank.number}", *worker.lines, sep="\n")
