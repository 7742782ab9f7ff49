"""A few calls of MPI by ctypes, for tests that must run where mpi4py is not. They go through the
process's own names, as those of a linked program do, so the tracer sees them."""
import ctypes

try:
    _library = ctypes.PyDLL(None)
    _library.MPI_Init
except AttributeError:  # without the tracer
    for _name in ("libmpich.so.12", "libmpi.so.12", "libmpi.so.40"):
        try:
            ctypes.PyDLL(_name, ctypes.RTLD_GLOBAL)
            break
        except OSError:
            pass
    _library = ctypes.PyDLL(None)

if hasattr(_library, "ompi_mpi_comm_world"):
    WORLD = ctypes.byref(ctypes.c_char.in_dll(_library, "ompi_mpi_comm_world"))
    BYTE = ctypes.byref(ctypes.c_char.in_dll(_library, "ompi_mpi_byte"))
    _IGNORE = None
else:
    WORLD, BYTE = ctypes.c_int(0x44000000), ctypes.c_int(0x4C00010D)
    _IGNORE = ctypes.c_void_p(1)
THREAD_MULTIPLE = 3


def init(level=THREAD_MULTIPLE):
    _library.MPI_Init_thread(None, None, level, ctypes.byref(ctypes.c_int()))


def rank():
    number = ctypes.c_int()
    _library.MPI_Comm_rank(WORLD, ctypes.byref(number))
    return number.value


def barrier():
    _library.MPI_Barrier(WORLD)


def send(size, to):
    _library.MPI_Send(ctypes.create_string_buffer(size), size, BYTE, to, 7, WORLD)


def receive(size, source):
    _library.MPI_Recv(ctypes.create_string_buffer(size), size, BYTE, source, 7, WORLD, _IGNORE)


def finalize():
    _library.MPI_Finalize()
