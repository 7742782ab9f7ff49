import time

import mpi


class Solver:
    def step(self, seconds):
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            pass


def exchange(rank):
    if rank == 0:
        mpi.send(1000, 1)
    else:
        mpi.receive(1000, 0)


def main():
    mpi.init()
    rank, solver = mpi.rank(), Solver()
    for i in range(5):
        solver.step(0.005 if rank else 0.015)
        exchange(rank)
    mpi.barrier()
    mpi.finalize()


main()
