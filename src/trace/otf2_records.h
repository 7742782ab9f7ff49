/* Records of an archive whose fields are read and written one by one. */
#ifndef TRACE_OTF2_RECORDS_H
#define TRACE_OTF2_RECORDS_H

/* Events of threads and locks, which are saved as they were loaded. X(identifier, OTF2's name of
 * the record, whether its first field is a communicator (a team of threads), number of fields,
 * types of the fields...) */
#define OTHER_EVENTS(X)                                                                    \
    X(OMP_JOIN, OmpJoin, false, 0)                                                         \
    X(OMP_FORK, OmpFork, false, 1, uint32_t)                                               \
    X(OMP_TASK_CREATE, OmpTaskCreate, false, 1, uint64_t)                                  \
    X(OMP_TASK_SWITCH, OmpTaskSwitch, false, 1, uint64_t)                                  \
    X(OMP_TASK_COMPLETE, OmpTaskComplete, false, 1, uint64_t)                              \
    X(THREAD_JOIN, ThreadJoin, false, 1, OTF2_Paradigm)                                    \
    X(THREAD_TEAM_BEGIN, ThreadTeamBegin, true, 1, OTF2_CommRef)                           \
    X(THREAD_TEAM_END, ThreadTeamEnd, true, 1, OTF2_CommRef)                               \
    X(OMP_ACQUIRE_LOCK, OmpAcquireLock, false, 2, uint32_t, uint32_t)                      \
    X(OMP_RELEASE_LOCK, OmpReleaseLock, false, 2, uint32_t, uint32_t)                      \
    X(THREAD_FORK, ThreadFork, false, 2, OTF2_Paradigm, uint32_t)                          \
    X(THREAD_CREATE, ThreadCreate, true, 2, OTF2_CommRef, uint64_t)                        \
    X(THREAD_BEGIN, ThreadBegin, true, 2, OTF2_CommRef, uint64_t)                          \
    X(THREAD_WAIT, ThreadWait, true, 2, OTF2_CommRef, uint64_t)                            \
    X(THREAD_END, ThreadEnd, true, 2, OTF2_CommRef, uint64_t)                              \
    X(THREAD_ACQUIRE_LOCK, ThreadAcquireLock, false, 3, OTF2_Paradigm, uint32_t, uint32_t) \
    X(THREAD_RELEASE_LOCK, ThreadReleaseLock, false, 3, OTF2_Paradigm, uint32_t, uint32_t) \
    X(THREAD_TASK_CREATE, ThreadTaskCreate, true, 3, OTF2_CommRef, uint32_t, uint32_t)     \
    X(THREAD_TASK_SWITCH, ThreadTaskSwitch, true, 3, OTF2_CommRef, uint32_t, uint32_t)     \
    X(THREAD_TASK_COMPLETE, ThreadTaskComplete, true, 3, OTF2_CommRef, uint32_t, uint32_t)

enum other_type {
#define X(identifier, name, team, count, ...) OTHER_##identifier,
    OTHER_EVENTS(X)
#undef X
        OTHER_TYPE_COUNT
};

/* One-sided synchronisation without a group.
 * X(enum rma_sync_kind, OTF2's name of the record, fields after the window):
 *   LOCK     peer, matching (the lock), mode
 *   UNLOCK   peer, matching
 *   MATCHING matching
 *   DIRECT   peer, mode
 *   NOTHING  none */
#define RMA_SYNC_RECORDS(X)                                 \
    X(REQUEST_LOCK, RmaRequestLock, LOCK)                   \
    X(ACQUIRE_LOCK, RmaAcquireLock, LOCK)                   \
    X(TRY_LOCK, RmaTryLock, LOCK)                           \
    X(RELEASE_LOCK, RmaReleaseLock, UNLOCK)                 \
    X(DONE_BLOCKING, RmaOpCompleteBlocking, MATCHING)       \
    X(DONE_NONBLOCKING, RmaOpCompleteNonBlocking, MATCHING) \
    X(DONE_REMOTE, RmaOpCompleteRemote, MATCHING)           \
    X(TEST, RmaOpTest, MATCHING)                            \
    X(DIRECT, RmaSync, DIRECT)                              \
    X(WAIT_CHANGE, RmaWaitChange, NOTHING)

#endif
