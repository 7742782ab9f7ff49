/* Events that are copied from one archive to the next without interpretation: threads and locks.
 * X(identifier, OTF2's name of the record, number of fields, types of the fields...) */
#ifndef TRACE_OTHER_EVENTS_H
#define TRACE_OTHER_EVENTS_H

#define OTHER_EVENTS_1(X)                               \
    X(OMP_FORK, OmpFork, uint32_t)                      \
    X(OMP_TASK_CREATE, OmpTaskCreate, uint64_t)         \
    X(OMP_TASK_SWITCH, OmpTaskSwitch, uint64_t)         \
    X(OMP_TASK_COMPLETE, OmpTaskComplete, uint64_t)     \
    X(THREAD_JOIN, ThreadJoin, OTF2_Paradigm)           \
    X(THREAD_TEAM_BEGIN, ThreadTeamBegin, OTF2_CommRef) \
    X(THREAD_TEAM_END, ThreadTeamEnd, OTF2_CommRef)

#define OTHER_EVENTS_2(X)                                   \
    X(OMP_ACQUIRE_LOCK, OmpAcquireLock, uint32_t, uint32_t) \
    X(OMP_RELEASE_LOCK, OmpReleaseLock, uint32_t, uint32_t) \
    X(THREAD_FORK, ThreadFork, OTF2_Paradigm, uint32_t)     \
    X(THREAD_CREATE, ThreadCreate, OTF2_CommRef, uint64_t)  \
    X(THREAD_BEGIN, ThreadBegin, OTF2_CommRef, uint64_t)    \
    X(THREAD_WAIT, ThreadWait, OTF2_CommRef, uint64_t)      \
    X(THREAD_END, ThreadEnd, OTF2_CommRef, uint64_t)

#define OTHER_EVENTS_3(X)                                                        \
    X(THREAD_ACQUIRE_LOCK, ThreadAcquireLock, OTF2_Paradigm, uint32_t, uint32_t) \
    X(THREAD_RELEASE_LOCK, ThreadReleaseLock, OTF2_Paradigm, uint32_t, uint32_t) \
    X(THREAD_TASK_CREATE, ThreadTaskCreate, OTF2_CommRef, uint32_t, uint32_t)    \
    X(THREAD_TASK_SWITCH, ThreadTaskSwitch, OTF2_CommRef, uint32_t, uint32_t)    \
    X(THREAD_TASK_COMPLETE, ThreadTaskComplete, OTF2_CommRef, uint32_t, uint32_t)

enum other_type {
    OTHER_OMP_JOIN, /* the only one without fields */
#define X1(identifier, name, a)       OTHER_##identifier,
#define X2(identifier, name, a, b)    OTHER_##identifier,
#define X3(identifier, name, a, b, c) OTHER_##identifier,
    OTHER_EVENTS_1(X1) OTHER_EVENTS_2(X2) OTHER_EVENTS_3(X3)
#undef X1
#undef X2
#undef X3
        OTHER_TYPE_COUNT
};

#endif
