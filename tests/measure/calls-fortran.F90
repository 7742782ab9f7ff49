! The same program in all three bindings, for calls-fortran.sh: BINDING_F08, BINDING_MPI, or neither for
! mpif.h. Two processes.
#if defined(BINDING_F08)
#define COMM type(MPI_Comm)
#define REQUEST type(MPI_Request)
#define STATUS type(MPI_Status)
#define MESSAGE type(MPI_Message)
#define HANDLE_FILE type(MPI_File)
#else
#define COMM integer
#define REQUEST integer
#define STATUS integer, dimension(MPI_STATUS_SIZE)
#define MESSAGE integer
#define HANDLE_FILE integer
#endif
program calls
#if defined(BINDING_F08)
    use mpi_f08
#elif defined(BINDING_MPI)
    use mpi
#endif
    implicit none
#if !defined(BINDING_F08) && !defined(BINDING_MPI)
    include 'mpif.h'
#endif
    integer :: rank, other, error, index, count, indices(2), in(8), out(8), color
    logical :: flag, periods(1)
    COMM :: copy, line, half
    REQUEST :: requests(2), request
    STATUS :: state
    MESSAGE :: matched
    HANDLE_FILE :: file
    character(len=256) :: name

    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    other = 1 - rank
    out = rank

    call MPI_Irecv(in, 8, MPI_INTEGER, other, 1, MPI_COMM_WORLD, requests(1), error)
    call MPI_Isend(out, 2, MPI_INTEGER, other, 1, MPI_COMM_WORLD, requests(2), error)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
    if (in(1) /= other) call MPI_Abort(MPI_COMM_WORLD, 1, error)

    call MPI_Comm_dup(MPI_COMM_WORLD, copy, error)
    call MPI_Comm_set_name(copy, 'copy  ', error)
    call MPI_Barrier(copy, error)

    ! The second of two: indices count from 1, and .false. is understood.
    call MPI_Irecv(in, 8, MPI_INTEGER, other, 2, copy, requests(1), error)
    call MPI_Irecv(in, 8, MPI_INTEGER, MPI_ANY_SOURCE, 3, copy, requests(2), error)
    call MPI_Test(requests(1), flag, MPI_STATUS_IGNORE, error)
    if (flag) call MPI_Abort(MPI_COMM_WORLD, 2, error)
    call MPI_Barrier(copy, error)
    call MPI_Send(out, 3, MPI_INTEGER, other, 3, copy, error)
    call MPI_Waitany(2, requests, index, state, error)
    if (index /= 2) call MPI_Abort(MPI_COMM_WORLD, 3, error)
    call MPI_Barrier(copy, error)
    call MPI_Send(out, 2, MPI_INTEGER, other, 2, copy, error)
    call MPI_Waitsome(2, requests, count, indices, MPI_STATUSES_IGNORE, error)
    if (count /= 1 .or. indices(1) /= 1) call MPI_Abort(MPI_COMM_WORLD, 4, error)

    call MPI_Sendrecv(out, 1, MPI_INTEGER, MPI_PROC_NULL, 4, in, 8, MPI_INTEGER, MPI_PROC_NULL, 4, &
        copy, MPI_STATUS_IGNORE, error)
    if (rank == 0) then
        call MPI_Send(out, 4, MPI_INTEGER, other, 5, copy, error)
    else
        call MPI_Mprobe(other, 5, copy, matched, MPI_STATUS_IGNORE, error)
        call MPI_Mrecv(in, 8, MPI_INTEGER, matched, state, error)
    end if

    call MPI_Send_init(out, 1, MPI_INTEGER, other, 6, copy, request, error)
    call MPI_Start(request, error)
    call MPI_Recv(in, 1, MPI_INTEGER, other, 6, copy, MPI_STATUS_IGNORE, error)
    call MPI_Wait(request, MPI_STATUS_IGNORE, error)
    call MPI_Request_free(request, error)

    call MPI_Allreduce(out, in, 8, MPI_INTEGER, MPI_SUM, copy, error)
    call MPI_Ibarrier(copy, request, error)
    call MPI_Wait(request, state, error)

    periods(1) = .true.
    call MPI_Cart_create(copy, 1, [2], periods, .false., line, error)
    call MPI_Comm_free(line, error)
    color = MPI_UNDEFINED
    if (rank == 0) color = 1
    call MPI_Comm_split(copy, color, 0, half, error)
    if (half /= MPI_COMM_NULL) call MPI_Comm_free(half, error)
    call MPI_Comm_free(copy, error)

    call get_command_argument(1, name)
    call MPI_File_open(MPI_COMM_WORLD, name, &
        MPI_MODE_CREATE + MPI_MODE_WRONLY + MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, file, error)
    call MPI_File_set_size(file, 0_MPI_OFFSET_KIND, error)
    call MPI_File_close(file, error)
    call MPI_Finalize(error)
end program calls
