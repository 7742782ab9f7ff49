/* One entry per metric: X(identifier, "name", unit, parent, role, "title", "description"). Parents
 * come before their children; a parent's value includes its children's (Scalasca's convention
 * along the metric tree). So a metric below one that counts as waiting has ROLE_OTHER: it would
 * count twice. Names are Scalasca's; doc/metrics.md has the exact rule of each metric and says why
 * it counts as waiting. */
#define METRIC_LIST(X)                                                                             \
    X(TIME, "time", UNIT_SECONDS, METRIC_NONE, ROLE_OTHER, "Time",                                 \
      "Time spent, exclusive per call path")                                                       \
    X(MPI_LATESENDER, "mpi_latesender", UNIT_SECONDS, METRIC_TIME, ROLE_CAUSED_WAIT,               \
      "Late Sender",                                                                               \
      "Receiver waits for a message that is sent after the receiver has begun to wait")            \
    X(MPI_LATESENDER_WO, "mpi_latesender_wo", UNIT_SECONDS, METRIC_MPI_LATESENDER, ROLE_OTHER,     \
      "Late Sender, Wrong Order",                                                                  \
      "Late Sender wait that the receiver would have avoided by receiving another message first")  \
    X(MPI_LSWO_SAME, "mpi_lswo_same", UNIT_SECONDS, METRIC_MPI_LATESENDER_WO, ROLE_OTHER,          \
      "Wrong Order, Same Source", "The message that should have come first has the same sender")   \
    X(MPI_LSWO_DIFFERENT, "mpi_lswo_different", UNIT_SECONDS, METRIC_MPI_LATESENDER_WO,            \
      ROLE_OTHER, "Wrong Order, Different Source",                                                 \
      "The message that should have come first has another sender")                                \
    X(MPI_PROBE_WAIT, "mpi_probe_wait", UNIT_SECONDS, METRIC_TIME, ROLE_WAIT,                      \
      "Late Sender in a Probe",                                                                    \
      "Probe waits for a message that is sent after it has begun to wait")                         \
    X(MPI_LATERECEIVER, "mpi_latereceiver", UNIT_SECONDS, METRIC_TIME, ROLE_CAUSED_WAIT,           \
      "Late Receiver",                                                                             \
      "Sender waits for the receive to be posted (synchronous or rendezvous messages)")            \
    X(MPI_BARRIER_WAIT, "mpi_barrier_wait", UNIT_SECONDS, METRIC_TIME, ROLE_CAUSED_WAIT,           \
      "Wait at Barrier", "Wait in front of a barrier for the last process to enter it")            \
    X(MPI_BARRIER_COMPLETION, "mpi_barrier_completion", UNIT_SECONDS, METRIC_TIME, ROLE_OTHER,     \
      "Barrier Completion", "Time in a barrier after the first process has left it")               \
    X(MPI_WAIT_NXN, "mpi_wait_nxn", UNIT_SECONDS, METRIC_TIME, ROLE_CAUSED_WAIT, "Wait at N x N",  \
      "Wait in an all-to-all collective for the last process to enter it")                         \
    X(MPI_NXN_COMPLETION, "mpi_nxn_completion", UNIT_SECONDS, METRIC_TIME, ROLE_OTHER,             \
      "N x N Completion", "Time in an all-to-all collective after the first process has left it")  \
    X(MPI_LATEBROADCAST, "mpi_latebroadcast", UNIT_SECONDS, METRIC_TIME, ROLE_CAUSED_WAIT,         \
      "Late Broadcast", "Wait of the receivers of a one-to-all collective for its root")           \
    X(MPI_EARLYREDUCE, "mpi_earlyreduce", UNIT_SECONDS, METRIC_TIME, ROLE_CAUSED_WAIT,             \
      "Early Reduce", "Wait of the root of an all-to-one collective for the last sender")          \
    X(MPI_EARLYSCAN, "mpi_earlyscan", UNIT_SECONDS, METRIC_TIME, ROLE_CAUSED_WAIT, "Early Scan",   \
      "Wait in a prefix reduction for the last of the lower ranks")                                \
    X(MPI_INIT_COMPLETION, "mpi_init_completion", UNIT_SECONDS, METRIC_TIME, ROLE_OTHER,           \
      "Init Completion", "Time in MPI initialisation after the first process has left it")         \
    X(MPI_FINALIZE_WAIT, "mpi_finalize_wait", UNIT_SECONDS, METRIC_TIME, ROLE_CAUSED_WAIT,         \
      "Wait at Finalize", "Wait in MPI finalisation for the last process to enter it")             \
    X(MPI_RMA_WAIT_AT_CREATE, "mpi_rma_wait_at_create", UNIT_SECONDS, METRIC_TIME, ROLE_WAIT,      \
      "Wait at Window Create",                                                                     \
      "Wait in the creation of a window for the last process to enter it")                         \
    X(MPI_RMA_WAIT_AT_FREE, "mpi_rma_wait_at_free", UNIT_SECONDS, METRIC_TIME, ROLE_WAIT,          \
      "Wait at Window Free", "Wait in MPI_Win_free for the last process to enter it")              \
    X(MPI_RMA_WAIT_AT_FENCE, "mpi_rma_wait_at_fence", UNIT_SECONDS, METRIC_TIME, ROLE_WAIT,        \
      "Wait at Fence", "Wait in MPI_Win_fence for the last process to enter it")                   \
    X(MPI_RMA_EARLY_FENCE, "mpi_rma_early_fence", UNIT_SECONDS, METRIC_MPI_RMA_WAIT_AT_FENCE,      \
      ROLE_OTHER, "Early Fence",                                                                   \
      "Wait in MPI_Win_fence while other processes still access the window")                       \
    X(MPI_RMA_SYNC_LATE_POST, "mpi_rma_sync_late_post", UNIT_SECONDS, METRIC_TIME, ROLE_WAIT,      \
      "Late Post (Synchronisation)",                                                               \
      "Wait in MPI_Win_start or MPI_Win_complete for a target to post its window")                 \
    X(MPI_RMA_COMM_LATE_POST, "mpi_rma_comm_late_post", UNIT_SECONDS, METRIC_TIME, ROLE_WAIT,      \
      "Late Post (Communication)",                                                                 \
      "Wait in a one-sided operation for the target to post its window")                           \
    X(MPI_RMA_EARLY_WAIT, "mpi_rma_early_wait", UNIT_SECONDS, METRIC_TIME, ROLE_WAIT,              \
      "Early Wait", "Wait in MPI_Win_wait for the last origin to call MPI_Win_complete")           \
    X(MPI_RMA_LATE_COMPLETE, "mpi_rma_late_complete", UNIT_SECONDS, METRIC_MPI_RMA_EARLY_WAIT,     \
      ROLE_OTHER, "Late Complete",                                                                 \
      "Wait in MPI_Win_wait between the last access and the last MPI_Win_complete")                \
    X(MPI_RMA_SYNC_LOCK_COMPETITION, "mpi_rma_sync_lock_competition", UNIT_SECONDS, METRIC_TIME,   \
      ROLE_WAIT, "Lock Contention (Synchronisation)",                                              \
      "Wait for a lock that others hold, in a call that synchronises")                             \
    X(MPI_RMA_COMM_LOCK_COMPETITION, "mpi_rma_comm_lock_competition", UNIT_SECONDS, METRIC_TIME,   \
      ROLE_WAIT, "Lock Contention (Communication)",                                                \
      "Wait for a lock that others hold, in a one-sided operation")                                \
    X(MPI_RMA_SYNC_WAIT_FOR_PROGRESS, "mpi_rma_sync_wait_for_progress", UNIT_SECONDS, METRIC_TIME, \
      ROLE_WAIT, "Wait for Progress (Synchronisation)",                                            \
      "Wait for the target of a lock to enter MPI, in a call that synchronises")                   \
    X(MPI_RMA_COMM_WAIT_FOR_PROGRESS, "mpi_rma_comm_wait_for_progress", UNIT_SECONDS, METRIC_TIME, \
      ROLE_WAIT, "Wait for Progress (Communication)",                                              \
      "Wait for the target of a lock to enter MPI, in a one-sided operation")                      \
    X(OMP_TIME, "omp_time", UNIT_SECONDS, METRIC_TIME, ROLE_OTHER, "OpenMP",                       \
      "Time that threads spend in OpenMP: managing teams, synchronising, creating tasks")          \
    X(OMP_MANAGEMENT, "omp_management", UNIT_SECONDS, METRIC_OMP_TIME, ROLE_OTHER,                 \
      "OpenMP Management", "Time until a thread of a team starts, and from its end to the join")   \
    X(OMP_FORK, "omp_fork", UNIT_SECONDS, METRIC_OMP_MANAGEMENT, ROLE_OTHER, "OpenMP Fork",        \
      "Time from the fork until a thread of the team starts")                                      \
    X(OMP_SYNC, "omp_sync", UNIT_SECONDS, METRIC_OMP_TIME, ROLE_OTHER, "OpenMP Synchronisation",   \
      "Time in barriers, critical and ordered sections, locks, and waiting for tasks")             \
    X(OMP_EBARRIER, "omp_ebarrier", UNIT_SECONDS, METRIC_OMP_SYNC, ROLE_OTHER,                     \
      "Explicit OpenMP Barrier", "Time in barriers that the program contains")                     \
    X(OMP_EBARRIER_WAIT, "omp_ebarrier_wait", UNIT_SECONDS, METRIC_OMP_EBARRIER, ROLE_CAUSED_WAIT, \
      "Wait at Explicit OpenMP Barrier",                                                           \
      "Wait in an explicit barrier for the last thread of the team to enter it")                   \
    X(OMP_IBARRIER, "omp_ibarrier", UNIT_SECONDS, METRIC_OMP_SYNC, ROLE_OTHER,                     \
      "Implicit OpenMP Barrier", "Time in barriers at the end of loops and parallel regions")      \
    X(OMP_IBARRIER_WAIT, "omp_ibarrier_wait", UNIT_SECONDS, METRIC_OMP_IBARRIER, ROLE_CAUSED_WAIT, \
      "Wait at Implicit OpenMP Barrier",                                                           \
      "Wait in an implicit barrier for the last thread of the team to enter it")                   \
    X(OMP_CRITICAL, "omp_critical", UNIT_SECONDS, METRIC_OMP_SYNC, ROLE_OTHER, "OpenMP Critical",  \
      "Time before and after the code of critical sections")                                       \
    X(OMP_LOCK_CONTENTION_CRITICAL, "omp_lock_contention_critical", UNIT_SECONDS,                  \
      METRIC_OMP_CRITICAL, ROLE_WAIT, "OpenMP Critical Contention",                                \
      "Wait for another thread to leave a critical section")                                       \
    X(OMP_LOCK_API, "omp_lock_api", UNIT_SECONDS, METRIC_OMP_SYNC, ROLE_OTHER,                     \
      "OpenMP Lock Calls", "Time in calls of OpenMP's locks")                                      \
    X(OMP_LOCK_CONTENTION_API, "omp_lock_contention_api", UNIT_SECONDS, METRIC_OMP_LOCK_API,       \
      ROLE_WAIT, "OpenMP Lock Contention", "Wait for another thread to release a lock")            \
    X(OMP_ORDERED, "omp_ordered", UNIT_SECONDS, METRIC_OMP_SYNC, ROLE_OTHER, "OpenMP Ordered",     \
      "Time before and after the code of ordered sections")                                        \
    X(OMP_TASKWAIT, "omp_taskwait", UNIT_SECONDS, METRIC_OMP_SYNC, ROLE_OTHER, "OpenMP Task Wait", \
      "Time in taskwait, without the tasks that run there")                                        \
    X(OMP_TASKCREATE, "omp_taskcreate", UNIT_SECONDS, METRIC_OMP_TIME, ROLE_OTHER,                 \
      "OpenMP Task Creation", "Time in which tasks are created")                                   \
    X(OMP_IDLE_THREADS, "omp_idle_threads", UNIT_SECONDS, METRIC_NONE, ROLE_OTHER, "Idle Threads", \
      "Time of worker threads while their master is outside of parallel regions")                  \
    X(OMP_LIMITED_PARALLELISM, "omp_limited_parallelism", UNIT_SECONDS, METRIC_NONE, ROLE_OTHER,   \
      "Limited Parallelism", "Time of threads of a rank that have no part in a parallel region")   \
    X(PTHREAD_TIME, "pthread_time", UNIT_SECONDS, METRIC_TIME, ROLE_OTHER, "POSIX Threads",        \
      "Time in calls of POSIX threads")                                                            \
    X(PTHREAD_MANAGEMENT, "pthread_management", UNIT_SECONDS, METRIC_PTHREAD_TIME, ROLE_OTHER,     \
      "POSIX Threads Management", "Time in calls that create threads or wait for their end")       \
    X(PTHREAD_JOIN_WAIT, "pthread_join_wait", UNIT_SECONDS, METRIC_PTHREAD_MANAGEMENT, ROLE_WAIT,  \
      "Wait at Join", "Wait in pthread_join for the end of the thread")                            \
    X(DELAY_OMPIDLE, "delay_ompidle", UNIT_SECONDS, METRIC_NONE, ROLE_DELAY,                       \
      "Idle Threads Delay Costs (Short Term)",                                                     \
      "Time of idle workers that this call path outside of parallel regions causes")               \
    X(DELAY_OMPIDLE_LONGTERM, "delay_ompidle_longterm", UNIT_SECONDS, METRIC_NONE, ROLE_DELAY,     \
      "Idle Threads Delay Costs (Long Term)",                                                      \
      "Time of idle workers while their rank waits for others that this call path has delayed")    \
    X(DELAY_OMPBARRIER, "delay_ompbarrier", UNIT_SECONDS, METRIC_NONE, ROLE_DELAY,                 \
      "OpenMP Barrier Delay Costs (Short Term)",                                                   \
      "Waits of threads at barriers that this call path has caused")                               \
    X(DELAY_LATESENDER, "delay_latesender", UNIT_SECONDS, METRIC_NONE, ROLE_DELAY,                 \
      "Late Sender Delay Costs (Short Term)", "Late Sender waits that this delay causes directly") \
    X(DELAY_LATESENDER_LONGTERM, "delay_latesender_longterm", UNIT_SECONDS, METRIC_NONE,           \
      ROLE_DELAY, "Late Sender Delay Costs (Long Term)",                                           \
      "Late Sender waits that this delay causes indirectly, through other waits")                  \
    X(DELAY_LATERECEIVER, "delay_latereceiver", UNIT_SECONDS, METRIC_NONE, ROLE_DELAY,             \
      "Late Receiver Delay Costs (Short Term)",                                                    \
      "Late Receiver waits that this delay causes directly")                                       \
    X(DELAY_LATERECEIVER_LONGTERM, "delay_latereceiver_longterm", UNIT_SECONDS, METRIC_NONE,       \
      ROLE_DELAY, "Late Receiver Delay Costs (Long Term)",                                         \
      "Late Receiver waits that this delay causes indirectly, through other waits")                \
    X(DELAY_BARRIER, "delay_barrier", UNIT_SECONDS, METRIC_NONE, ROLE_DELAY,                       \
      "Barrier Delay Costs (Short Term)", "Waits at barriers that this delay causes directly")     \
    X(DELAY_BARRIER_LONGTERM, "delay_barrier_longterm", UNIT_SECONDS, METRIC_NONE, ROLE_DELAY,     \
      "Barrier Delay Costs (Long Term)",                                                           \
      "Waits at barriers that this delay causes indirectly, through other waits")                  \
    X(DELAY_N2N, "delay_n2n", UNIT_SECONDS, METRIC_NONE, ROLE_DELAY,                               \
      "N x N Delay Costs (Short Term)",                                                            \
      "Waits in all-to-all collectives that this delay causes directly")                           \
    X(DELAY_N2N_LONGTERM, "delay_n2n_longterm", UNIT_SECONDS, METRIC_NONE, ROLE_DELAY,             \
      "N x N Delay Costs (Long Term)",                                                             \
      "Waits in all-to-all collectives that this delay causes indirectly, through other waits")    \
    X(DELAY_12N, "delay_12n", UNIT_SECONDS, METRIC_NONE, ROLE_DELAY,                               \
      "1 to N Delay Costs (Short Term)",                                                           \
      "Waits in one-to-all collectives that this delay causes directly")                           \
    X(DELAY_12N_LONGTERM, "delay_12n_longterm", UNIT_SECONDS, METRIC_NONE, ROLE_DELAY,             \
      "1 to N Delay Costs (Long Term)",                                                            \
      "Waits in one-to-all collectives that this delay causes indirectly, through other waits")    \
    X(DELAY_N21, "delay_n21", UNIT_SECONDS, METRIC_NONE, ROLE_DELAY,                               \
      "N to 1 Delay Costs (Short Term)",                                                           \
      "Waits in all-to-one collectives that this delay causes directly")                           \
    X(DELAY_N21_LONGTERM, "delay_n21_longterm", UNIT_SECONDS, METRIC_NONE, ROLE_DELAY,             \
      "N to 1 Delay Costs (Long Term)",                                                            \
      "Waits in all-to-one collectives that this delay causes indirectly, through other waits")    \
    X(DELAY_SCAN, "delay_scan", UNIT_SECONDS, METRIC_NONE, ROLE_DELAY,                             \
      "Prefix Reduction Delay Costs (Short Term)",                                                 \
      "Waits in prefix reductions that this delay causes directly")                                \
    X(DELAY_SCAN_LONGTERM, "delay_scan_longterm", UNIT_SECONDS, METRIC_NONE, ROLE_DELAY,           \
      "Prefix Reduction Delay Costs (Long Term)",                                                  \
      "Waits in prefix reductions that this delay causes indirectly, through other waits")         \
    X(MPI_WAIT_DIRECT_LATESENDER, "mpi_wait_direct_latesender", UNIT_SECONDS, METRIC_NONE,         \
      ROLE_OTHER, "Direct Late Sender Waits", "Late Sender waits that delays of the sender cause") \
    X(MPI_WAIT_INDIRECT_LATESENDER, "mpi_wait_indirect_latesender", UNIT_SECONDS, METRIC_NONE,     \
      ROLE_OTHER, "Indirect Late Sender Waits",                                                    \
      "Late Sender waits that earlier waits of the sender cause")                                  \
    X(MPI_WAIT_DIRECT_LATERECEIVER, "mpi_wait_direct_latereceiver", UNIT_SECONDS, METRIC_NONE,     \
      ROLE_OTHER, "Direct Late Receiver Waits",                                                    \
      "Late Receiver waits that delays of the receiver cause")                                     \
    X(MPI_WAIT_INDIRECT_LATERECEIVER, "mpi_wait_indirect_latereceiver", UNIT_SECONDS, METRIC_NONE, \
      ROLE_OTHER, "Indirect Late Receiver Waits",                                                  \
      "Late Receiver waits that earlier waits of the receiver cause")                              \
    X(MPI_WAIT_PROPAGATING_LS, "mpi_wait_propagating_ls", UNIT_SECONDS, METRIC_NONE, ROLE_OTHER,   \
      "Propagating Late Sender Waits",                                                             \
      "Late Sender waits that make other processes wait for a message")                            \
    X(MPI_WAIT_TERMINAL_LS, "mpi_wait_terminal_ls", UNIT_SECONDS, METRIC_NONE, ROLE_OTHER,         \
      "Terminal Late Sender Waits",                                                                \
      "Late Sender waits that do not make other processes wait for a message")                     \
    X(MPI_WAIT_PROPAGATING_LR, "mpi_wait_propagating_lr", UNIT_SECONDS, METRIC_NONE, ROLE_OTHER,   \
      "Propagating Late Receiver Waits",                                                           \
      "Late Receiver waits that make other processes wait for a message")                          \
    X(MPI_WAIT_TERMINAL_LR, "mpi_wait_terminal_lr", UNIT_SECONDS, METRIC_NONE, ROLE_OTHER,         \
      "Terminal Late Receiver Waits",                                                              \
      "Late Receiver waits that do not make other processes wait for a message")                   \
    X(CRITICAL_PATH, "critical_path", UNIT_SECONDS, METRIC_NONE, ROLE_OTHER, "Critical Path",      \
      "Time on the longest chain of activities without waiting")                                   \
    X(CRITICAL_PATH_ACTIVITIES, "critical_path_activities", UNIT_SECONDS, METRIC_NONE, ROLE_OTHER, \
      "Critical Path Activities",                                                                  \
      "Time in activities of the critical path, up to their length there")                         \
    X(CRITICAL_IMBALANCE_IMPACT, "critical_imbalance_impact", UNIT_SECONDS, METRIC_NONE,           \
      ROLE_OTHER, "Critical Path Imbalance Impact",                                                \
      "Waiting of all processes that imbalance of the critical path accounts for")                 \
    X(INTRA_PARTITION_IMBALANCE, "intra_partition_imbalance", UNIT_SECONDS,                        \
      METRIC_CRITICAL_IMBALANCE_IMPACT, ROLE_OTHER, "Intra-Partition Imbalance",                   \
      "What balance among the processes that take part in a call path could recover")              \
    X(INTER_PARTITION_IMBALANCE, "inter_partition_imbalance", UNIT_SECONDS,                        \
      METRIC_CRITICAL_IMBALANCE_IMPACT, ROLE_OTHER, "Inter-Partition Imbalance",                   \
      "Waiting of processes that take no part in the call path and have too little else to do")    \
    X(NON_CRITICAL_PATH_ACTIVITIES, "non_critical_path_activities", UNIT_SECONDS, METRIC_NONE,     \
      ROLE_OTHER, "Non-Critical Path Activities",                                                  \
      "Time in activities that are not on the critical path")                                      \
    X(VISITS, "visits", UNIT_COUNT, METRIC_NONE, ROLE_OTHER, "Visits",                             \
      "Number of calls of a call path")                                                            \
    X(COMMS_SEND, "comms_send", UNIT_COUNT, METRIC_NONE, ROLE_OTHER, "Messages Sent",              \
      "Number of point-to-point messages with payload sent")                                       \
    X(MPI_CLR_COUNT, "mpi_clr_count", UNIT_COUNT, METRIC_COMMS_SEND, ROLE_OTHER,                   \
      "Late Receiver Instances (Communications)",                                                  \
      "Number of Late Receiver waits with messages with payload")                                  \
    X(COMMS_RECV, "comms_recv", UNIT_COUNT, METRIC_NONE, ROLE_OTHER, "Messages Received",          \
      "Number of point-to-point messages with payload received")                                   \
    X(MPI_CLS_COUNT, "mpi_cls_count", UNIT_COUNT, METRIC_COMMS_RECV, ROLE_OTHER,                   \
      "Late Sender Instances (Communications)",                                                    \
      "Number of Late Sender waits for messages with payload")                                     \
    X(MPI_CLSWO_COUNT, "mpi_clswo_count", UNIT_COUNT, METRIC_MPI_CLS_COUNT, ROLE_OTHER,            \
      "Wrong Order Instances (Communications)",                                                    \
      "Number of wrong-order waits for messages with payload")                                     \
    X(SYNCS_SEND, "syncs_send", UNIT_COUNT, METRIC_NONE, ROLE_OTHER, "Empty Messages Sent",        \
      "Number of point-to-point messages without payload sent")                                    \
    X(MPI_SLR_COUNT, "mpi_slr_count", UNIT_COUNT, METRIC_SYNCS_SEND, ROLE_OTHER,                   \
      "Late Receiver Instances (Synchronisations)",                                                \
      "Number of Late Receiver waits with messages without payload")                               \
    X(SYNCS_RECV, "syncs_recv", UNIT_COUNT, METRIC_NONE, ROLE_OTHER, "Empty Messages Received",    \
      "Number of point-to-point messages without payload received")                                \
    X(MPI_SLS_COUNT, "mpi_sls_count", UNIT_COUNT, METRIC_SYNCS_RECV, ROLE_OTHER,                   \
      "Late Sender Instances (Synchronisations)",                                                  \
      "Number of Late Sender waits for messages without payload")                                  \
    X(MPI_SLSWO_COUNT, "mpi_slswo_count", UNIT_COUNT, METRIC_MPI_SLS_COUNT, ROLE_OTHER,            \
      "Wrong Order Instances (Synchronisations)",                                                  \
      "Number of wrong-order waits for messages without payload")                                  \
    X(COMMS_CXCH, "comms_cxch", UNIT_COUNT, METRIC_NONE, ROLE_OTHER, "Collective Exchanges",       \
      "Number of collectives in which the process both sends and receives payload")                \
    X(COMMS_CSRC, "comms_csrc", UNIT_COUNT, METRIC_NONE, ROLE_OTHER, "Collectives as Source",      \
      "Number of collectives in which the process only sends payload")                             \
    X(COMMS_CDST, "comms_cdst", UNIT_COUNT, METRIC_NONE, ROLE_OTHER, "Collectives as Destination", \
      "Number of collectives in which the process only receives payload")                          \
    X(SYNCS_COLL, "syncs_coll", UNIT_COUNT, METRIC_NONE, ROLE_OTHER,                               \
      "Collective Synchronisations",                                                               \
      "Number of collectives in which the process neither sends nor receives payload")             \
    X(COMMS_PUT, "comms_put", UNIT_COUNT, METRIC_NONE, ROLE_OTHER, "Puts",                         \
      "Number of one-sided operations that write")                                                 \
    X(COMMS_GET, "comms_get", UNIT_COUNT, METRIC_NONE, ROLE_OTHER, "Gets",                         \
      "Number of one-sided operations that read")                                                  \
    X(COMMS_ATOMIC, "comms_atomic", UNIT_COUNT, METRIC_NONE, ROLE_OTHER, "Atomic Operations",      \
      "Number of atomic one-sided operations, such as MPI_Accumulate")                             \
    X(MPI_RMA_PAIRSYNC_COUNT, "mpi_rma_pairsync_count", UNIT_COUNT, METRIC_NONE, ROLE_OTHER,       \
      "Pair-Wise One-Sided Synchronisations",                                                      \
      "Number of processes that an origin synchronises with at the end of an epoch")               \
    X(MPI_RMA_PAIRSYNC_UNNEEDED_COUNT, "mpi_rma_pairsync_unneeded_count", UNIT_COUNT,              \
      METRIC_MPI_RMA_PAIRSYNC_COUNT, ROLE_OTHER, "Unneeded Pair-Wise One-Sided Synchronisations",  \
      "Number of these processes that the origin has not accessed in the epoch")                   \
    X(BYTES_SENT, "bytes_sent", UNIT_BYTES, METRIC_NONE, ROLE_OTHER, "Bytes Sent",                 \
      "Bytes sent in point-to-point messages")                                                     \
    X(BYTES_RCVD, "bytes_rcvd", UNIT_BYTES, METRIC_NONE, ROLE_OTHER, "Bytes Received",             \
      "Bytes received in point-to-point messages")                                                 \
    X(BYTES_COUT, "bytes_cout", UNIT_BYTES, METRIC_NONE, ROLE_OTHER, "Bytes Out in Collectives",   \
      "Bytes sent in collectives")                                                                 \
    X(BYTES_CIN, "bytes_cin", UNIT_BYTES, METRIC_NONE, ROLE_OTHER, "Bytes In in Collectives",      \
      "Bytes received in collectives")                                                             \
    X(BYTES_PUT, "bytes_put", UNIT_BYTES, METRIC_NONE, ROLE_OTHER, "Bytes Put",                    \
      "Bytes sent in one-sided operations")                                                        \
    X(BYTES_GET, "bytes_get", UNIT_BYTES, METRIC_NONE, ROLE_OTHER, "Bytes Got",                    \
      "Bytes received in one-sided operations")                                                    \
    X(CLOCK_VIOLATIONS, "clock_violations", UNIT_COUNT, METRIC_NONE, ROLE_OTHER,                   \
      "Clock Violations",                                                                          \
      "Receives that end before their send, and collectives that end on a process before they "    \
      "begin on one that it needs")
