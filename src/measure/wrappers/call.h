/* What every wrapper does around the real MPI call, and the locks of the wrappers' tables.
 *
 *   struct call call = call_enter(MPI_CALL_SEND, CALL_SLOTS);    records the enter
 *   ... hooks that record what the call begins, at call.enter
 *   call_begun(&call);
 *   int result = PMPI_Send(...);
 *   call_return(&call);                              reads the clock
 *   ... hooks that record what the call has completed, at call.leave
 *   call_leave(&call);                               records the leave
 *
 * The hooks after the call thus count as the program's time, not as time in MPI. call.recorder is
 * NULL while recording is off, and in a nested MPI call, made by MPI itself or by a callback of the
 * program. Requests and communicators are followed even then.
 */
#ifndef MEASURE_CALL_H
#define MEASURE_CALL_H

#include "base/mpi_call.h"
#include "measure/recorder/call_sites.h"
#include "measure/recorder/definitions.h"
#include "measure/recorder/measurement_state.h"
#include "measure/recorder/polls.h"
#include "measure/recorder/records.h"
#include "measure/recorder/user_regions.h"

#include <assert.h>
#include <mpi.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* Exports a function that replaces one of MPI's; all others are hidden. */
#define CALL_EXPORTED __attribute__((visibility("default")))

/* For functions that run for each message: everything that they call and that is in a header is
 * inlined. The compiler inlines less the more wrappers there are. */
#define CALL_HOT      __attribute__((flatten))

struct call {
    struct recorder *recorder;
    uint64_t enter, leave;
    uint32_t region;
    struct record_slot *first, *behind; /* the records made before the real call */
};

/* Whether several threads may call MPI at once (MPI_THREAD_MULTIPLE). Set before MPI_Init_thread
 * returns, while there is one thread. Only then the locks below do anything. */
extern bool threads_at_once __attribute__((visibility("hidden")));

static inline void threads_lock(pthread_mutex_t *mutex)
{
    if (threads_at_once)
        pthread_mutex_lock(mutex);
}

static inline void threads_unlock(pthread_mutex_t *mutex)
{
    if (threads_at_once)
        pthread_mutex_unlock(mutex);
}

/* A number to find a handle's slot in a table by. MPICH's handles are integers, for which the table
 * has one that suits it; Open MPI's are addresses of objects, whose low bits are alike. */
static inline size_t handle_hash(uintptr_t handle, uintptr_t of_integer)
{
    return sizeof(MPI_Comm) == sizeof(int)
               ? of_integer
               : (size_t)(((uint64_t)handle * UINT64_C(0x9e3779b97f4a7c15)) >> 40);
}

/* How many wrappers are active on this thread. */
extern __thread int call_depth __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* The id of each call's region, plus one; 0: not defined yet. */
extern uint32_t call_regions[MPI_CALL_COUNT] __attribute__((visibility("hidden")));

/* Defines the region of a call and returns its id. */
uint32_t call_define_region(enum mpi_call id);

static inline uint32_t call_region(enum mpi_call id)
{
    const uint32_t region = __atomic_load_n(&call_regions[id], __ATOMIC_RELAXED);
    return __builtin_expect(region != 0, 1) ? region - 1 : call_define_region(id);
}

/* The most record slots that one call needs, and that each request of an array adds. */
enum { CALL_SLOTS = 16, CALL_REQUEST_SLOTS = 6 };
#define X(identifier, slots)                      \
    static_assert(slots + 1 < CALL_REQUEST_SLOTS, \
                  "a request may have this record, TYPES and a COMM_CREATE");
RECORD_KINDS(X)
#undef X

/* A place in the program that calls MPI, and its region. */
struct known_site {
    const void *return_address;
    enum mpi_call call;
    uint32_t region;
};

/* Sites that were found, each where its address says; used unless several threads may call MPI at
 * once. */
enum { KNOWN_SITES = 256 };
extern struct known_site known_sites[KNOWN_SITES] __attribute__((visibility("hidden")));

/* Finds the region of a call's site, or of the call if the site is unknown. Keeps it in `known` if
 * all calls that return to the address have the same site. */
uint32_t call_find_region(enum mpi_call id, const void *return_address, const void *frame,
                          struct known_site *known);

/* The region of a call at its place in the program. */
static inline uint32_t call_region_at(enum mpi_call id, const void *return_address,
                                      const void *frame)
{
    if (!return_address || !call_sites_recorded)
        return call_region(id);
    struct known_site *known = &known_sites[((uintptr_t)return_address >> 1) % KNOWN_SITES];
    if (__builtin_expect(
            known->return_address == return_address && known->call == id && !threads_at_once, 1))
        return known->region;
    return call_find_region(id, return_address, frame, known);
}

__attribute__((always_inline)) static inline struct call
call_enter_from(enum mpi_call id, size_t slots, const void *return_address, const void *frame)
{
    struct call call = {.recorder = call_depth++ == 0 ? recorder_get() : NULL};
    if (call.recorder) {
        recorder_room(call.recorder, slots);
        call.enter = record_now();
        call.region = call_region_at(id, return_address, frame);
        record_enter(call.recorder, call.enter, call.region);
        call.first = call.recorder->next;
    }
    return call;
}

/* In MPI's function itself, whose return address is the place of the call. */
#define call_enter(id, slots) \
    call_enter_from(id, slots, __builtin_return_address(0), __builtin_dwarf_cfa())

/* The same for calls that a program makes once: they need no place. */
static inline struct call call_enter_once(enum mpi_call id)
{
    return call_enter_from(id, CALL_SLOTS, NULL, NULL);
}

/* Called right before the real call if hooks may have recorded something. */
static inline void call_begun(struct call *call)
{
    if (call->recorder)
        call->behind = call->recorder->next;
}

/* Whether the call has communicated. With MPI_ERRORS_RETURN a call with wrong arguments returns at
 * once and has not. A message longer than its buffer has arrived in spite of MPI_ERR_TRUNCATE; in a
 * collective call the other ranks get MPI_ERR_OTHER then. */
bool call_failed_after_all(int result);
static inline bool call_took_place(int result)
{
    return __builtin_expect(result == MPI_SUCCESS, 1) || !call_failed_after_all(result);
}

/* Called after the real call. Takes back what the hooks recorded if the call did not communicate.
 */
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

/* The same for a test or probe; `failed`: it found nothing complete. */
static inline void call_leave_poll(const struct call *call, bool failed)
{
    if (failed && call->recorder)
        record_failed_poll(call->recorder, call->first - 1, call->enter, call->leave, call->region);
    else if (call->recorder)
        record_leave(call->recorder, call->leave, call->region);
    call_depth--;
}

/* The call as the one that completes something whose beginning is recorded. While recording is
 * paused that is recorded, too, outside of all calls: otherwise the other ranks' records would have
 * no other side. */
static inline struct call call_that_completes(const struct call *call)
{
    struct call completing = *call;
    if (!call->recorder && measurement_paused && (completing.recorder = recorder_any()))
        completing.leave = record_now();
    return completing;
}

#endif
