"""What programs do with mpi4py: objects are pickled and received by matched probes; buffers go as they are."""
from array import array

from mpi4py import MPI

world = MPI.COMM_WORLD


def objects():
    other = 1 - world.rank
    request = world.isend({"from": world.rank, "list": list(range(1000))}, dest=other, tag=1)
    received = world.recv(source=MPI.ANY_SOURCE, tag=MPI.ANY_TAG)
    request.wait()
    assert received["from"] == other
    request = world.irecv(source=other, tag=2)
    world.send("text", dest=other, tag=2)  # both receive already
    assert request.wait() == "text"
    message = None
    request = world.isend([1, 2], dest=other, tag=3)
    while message is None:
        message = world.improbe(source=other)
    assert message.recv() == [1, 2]
    request.wait()
    assert world.sendrecv(world.rank, dest=other, source=other) == other


def collectives():
    assert world.allreduce(1) == 2
    assert world.bcast("x" if world.rank == 0 else None) == "x"
    assert world.allgather(world.rank) == [0, 1]
    assert world.alltoall([world.rank] * 2) == [0, 1]
    assert (world.scatter([5, 6]) if world.rank == 0 else world.scatter(None)) == 5 + world.rank
    world.gather({}, root=1)
    world.barrier()


def buffers():
    sums = array("d", [0.0])
    world.Allreduce([array("d", [1.0 + world.rank]), MPI.DOUBLE], [sums, MPI.DOUBLE], op=MPI.SUM)
    assert sums[0] == 3.0
    part = MPI.DOUBLE.Create_vector(4, 1, 2).Commit()
    data = array("d", range(8))
    if world.rank == 0:
        world.Send([data, 1, part], dest=1)
    else:
        world.Recv([data, 1, part], source=0)
    part.Free()
    counts = array("i", [1, 1])
    world.Alltoallv([array("d", [1.0, 2.0]), (counts, None), MPI.DOUBLE], [array("d", [0.0, 0.0]), (counts, None), MPI.DOUBLE])
    window = MPI.Win.Allocate(8, comm=world)
    window.Fence()
    window.Put([array("d", [1.0]), MPI.DOUBLE], 1 - world.rank)
    window.Fence()
    window.Free()


def communicators():
    half = world.Split(world.rank % 2)
    half.barrier()
    copy = world.Dup()
    copy.allreduce(1)
    copy.Free()  # the other is freed by nobody
    grid = world.Create_cart([2], periods=[True])
    grid.sendrecv(1, *[grid.Shift(0, 1)[1]], source=grid.Shift(0, 1)[0])


def errors():
    world.Set_errhandler(MPI.ERRORS_RETURN)
    try:
        world.send(1, dest=99)
    except MPI.Exception as exception:
        assert exception.Get_error_class() == MPI.ERR_RANK
    else:
        raise AssertionError


def main():
    objects()
    collectives()
    buffers()
    communicators()
    errors()
    if world.rank == 0:
        print("right")


main()
