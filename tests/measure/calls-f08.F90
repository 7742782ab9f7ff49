! The calls of MPI 4 in mpi_f08: array sections, MPI_IN_PLACE, MPI_STATUS_IGNORE, large counts, partitioned messages,
! persistent operations. For calls-f08.sh. Two processes.
program calls_f08
  use mpi_f08
  implicit none
  integer :: rank, n, i, other
  integer :: a(10,10), b(10,10), total
  integer(MPI_COUNT_KIND) :: c
  type(MPI_Request) :: q, r(2)
  type(MPI_Status) :: s
  type(MPI_Comm) :: d
  logical :: flag
  double precision :: pause_end
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, n)
  other = 1 - rank
  a = rank
  call MPI_Irecv(b(1:10:2,1:5), 25, MPI_INTEGER, other, 1, MPI_COMM_WORLD, q)
  call MPI_Send(a(1:10:2,1:5), 25, MPI_INTEGER, other, 1, MPI_COMM_WORLD)
  call MPI_Wait(q, MPI_STATUS_IGNORE)
  call MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, q)
  call MPI_Start(q)
  call MPI_Wait(q, s)
  call MPI_Request_free(q)
  total = 1
  call MPI_Allreduce_init(MPI_IN_PLACE, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, q)
  call MPI_Start(q)
  call MPI_Wait(q, MPI_STATUS_IGNORE)
  call MPI_Request_free(q)
  c = 10
  call MPI_Irecv(b, c, MPI_INTEGER, other, 2, MPI_COMM_WORLD, q)
  call MPI_Send(a, c, MPI_INTEGER, other, 2, MPI_COMM_WORLD)
  call MPI_Wait(q, MPI_STATUS_IGNORE)
  call MPI_Precv_init(b, 2, c, MPI_INTEGER, other, 3, MPI_COMM_WORLD, MPI_INFO_NULL, r(1))
  call MPI_Psend_init(a, 2, c, MPI_INTEGER, other, 3, MPI_COMM_WORLD, MPI_INFO_NULL, r(2))
  call MPI_Start(r(1))
  call MPI_Start(r(2))
  call MPI_Pready(0, r(2))
  call MPI_Pready_range(1, 1, r(2))
  flag = .false.
  do while (.not. flag)
    call MPI_Parrived(r(1), 1, flag)
    pause_end = MPI_Wtime() + 1d-4
    do while (MPI_Wtime() < pause_end)
    end do
  end do
  call MPI_Wait(r(1), MPI_STATUS_IGNORE)
  call MPI_Wait(r(2), MPI_STATUS_IGNORE)
  call MPI_Isendrecv(a, 5, MPI_INTEGER, other, 4, b, 5, MPI_INTEGER, other, 4, MPI_COMM_WORLD, q)
  call MPI_Wait(q, MPI_STATUS_IGNORE)
  call MPI_Comm_idup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, d, q)
  call MPI_Wait(q, MPI_STATUS_IGNORE)
  call MPI_Comm_free(d)
  call MPI_Finalize()
end program calls_f08
