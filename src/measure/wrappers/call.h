/* One MPI call under observation: what every wrapper does around the real call.
 *
 *   struct call call = call_enter(MPI_CALL_SEND, CALL_SLOTS);    records the enter
 *   ... hooks that record what the call is about to do, at call.enter
 *   call_begun(&call);
 *   int result = PMPI_Send(...);
 *   call_return(&call);                              reads the clock
 *   ... hooks that record what the call has done, at call.leave
 *   call_leave(&call);                               records the leave
 *
 * Bookkeeping after the call thus counts as the program's time, not as time in MPI.
 * call.recorder is NULL while nothing is recorded, and inside MPI calls that MPI itself or a
 * callback of the program makes within another; requests and communicators are followed all the
 * same.
 */
#ifndef MEASURE_CALL_H
#define MEASURE_CALL_H

#include "base/mpi_call.h"
#include "measure/recorder/definitions.h"
#include "measure/recorder/records.h"

#include <mpi.h>

/* Of the functions that take the place of MPI's; all else stays within the library. */
#define CALL_EXPORTED __attribute__((visibility("default")))

struct call {
    struct recorder *recorder;
    uint64_t enter, leave;
    uint32_t region;
    struct record_slot *first, *behind; /* what was recorded before the real call */
};

/* How many wrappers this thread is in. */
extern __thread int call_depth __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Ids of the calls' regions plus one; 0: not defined yet. */
extern uint32_t call_regions[MPI_CALL_COUNT] __attribute__((visibility("hidden")));

/* Defines the region of a call that is made for the first time; returns its id. */
uint32_t call_define_region(enum mpi_call id);

static inline uint32_t call_region(enum mpi_call id)
{
    const uint32_t region = __atomic_load_n(&call_regions[id], __ATOMIC_RELAXED);
    return __builtin_expect(region != 0, 1) ? region - 1 : call_define_region(id);
}

/* Slots that the records of a call take at most; and for each request of an array. */
enum { CALL_SLOTS = 16, CALL_REQUEST_SLOTS = 5 };

static inline struct call call_enter(enum mpi_call id, size_t slots)
{
    struct call call = {.recorder = call_depth++ == 0 ? recorder_get() : NULL};
    if (call.recorder) {
        recorder_room(call.recorder, slots);
        call.enter = record_now();
        call.region = call_region(id);
        record_enter(call.recorder, call.enter, call.region);
        call.first = call.recorder->next;
    }
    return call;
}

/* Right before the real call, where something may have been recorded for it. */
static inline void call_begun(struct call *call)
{
    if (call->recorder)
        call->behind = call->recorder->next;
}

/* Whether the call has communicated. With MPI_ERRORS_RETURN a call whose arguments are wrong
 * returns at once; but where a message was longer than its buffer, it has arrived all the same. In
 * a collective call other ranks then learn that something went wrong: MPI_ERR_OTHER. */
bool call_failed_after_all(int result);
static inline bool call_took_place(int result)
{
    return __builtin_expect(result == MPI_SUCCESS, 1) || !call_failed_after_all(result);
}

/* After the real call: one that did not take place has communicated nothing. */
static inline void call_settle(const struct call *call, int result)
{
    if (call->recorder && !call_took_place(result))
        recorder_take_back(call->recorder, call->first, call->behind, call->enter);
}

static inline void call_return(struct call *call)
{
    if (call->recorder)
        call->leave = record_now();
}

static inline void call_leave(const struct call *call)
{
    if (call->recorder)
        record_leave(call->recorder, call->leave, call->region);
    call_depth--;
}

#endif
