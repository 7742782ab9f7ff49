/* Recording events. Each thread has a recorder of its own; an event takes no lock, no system call,
 * no page fault and no memory, except where a full segment is exchanged for the next, which is
 * recorded as a flush. What an event needs stands here and in records.h, so that it is compiled
 * into its wrapper.
 *
 * Events of one recorder must be given in the order of time. A signal handler may record, too,
 * wherever it interrupts its thread: it gets slots of its own.
 */
#ifndef MEASURE_RECORDER_H
#define MEASURE_RECORDER_H

#include "measure/recorder/buffer.h"
#include "measure/recorder/measurement_state.h"
#include "measure/recorder/tracer_clock.h"

#include <stdatomic.h>

#define RECORD_TLS __attribute__((visibility("hidden"), tls_model("initial-exec")))

extern __thread struct recorder *recorder_own RECORD_TLS; /* NULL: this thread has none yet */

/* Makes this thread's recorder. NULL if that fails (which has been said) or nothing is recorded at
 * all. */
struct recorder *recorder_make(void);

/* This thread's recorder; made at its first call. NULL while nothing is recorded (before MPI_Init
 * has been left, after measurement_finalize_enter, after MPI_Pcontrol(0), not under silas-trace). A
 * recorder once got stays valid, and takes records, until measurement_end. */
static inline struct recorder *recorder_get(void)
{
    if (__builtin_expect(!recorder_on, 0))
        return NULL;
    struct recorder *recorder = recorder_own;
    return __builtin_expect(recorder != NULL, 1) ? recorder : recorder_make();
}

/* This thread's recorder even where wrappers get none: before MPI_Init, after MPI_Finalize, while
 * MPI_Pcontrol has switched recording off. NULL only if nothing is recorded at all. */
static inline struct recorder *recorder_any(void)
{
    struct recorder *recorder = recorder_own;
    return __builtin_expect(recorder != NULL, 1) ? recorder : recorder_make();
}

/* What recorder_reserve does when the slots it took are not surely its own: exchanges a full block
 * for the next, and returns `count` other slots. */
struct record_slot *recorder_turn(struct recorder *recorder, size_t count);

/* `count` slots, to be filled in now: record_begin, the slots behind the first, record_commit. A
 * signal handler that records here in between changes `next`; then nobody knows whose the slots
 * are, and they stay zero. */
static inline struct record_slot *recorder_reserve(struct recorder *recorder, size_t count)
{
    struct record_slot *volatile *next = &recorder->next;
    struct record_slot *end = *(struct record_slot *volatile *)&recorder->end;
    struct record_slot *slot = *next;
    /* One instruction, or the handler's slots would be taken back. */
#if defined(__x86_64__)
    __asm__ volatile("addq %1, %0" : "+m"(recorder->next) : "er"(count * sizeof *slot) : "cc");
#else
    __atomic_fetch_add((uintptr_t *)&recorder->next, count * sizeof *slot, __ATOMIC_RELAXED);
#endif
    if (__builtin_expect(end - slot < (ptrdiff_t)count || *next != slot + count, 0))
        return recorder_turn(recorder, count);
    return slot;
}

/* The time goes in first and the kind last: a first slot that holds only a time belongs to a record
 * that its process did not live to complete. */
static inline void record_begin(struct record_slot *slot, uint64_t time)
{
    slot->first = time;
    atomic_signal_fence(memory_order_release);
}

static inline void record_commit(struct record_slot *slot, enum record_kind kind, unsigned flags,
                                 uint32_t type_size, uint32_t id)
{
    atomic_signal_fence(memory_order_release);
    slot->second = record_pack(kind, flags, type_size, id);
}

/* See to it that the next records, of `slots` slots together, are written without an exchange of
 * blocks in between. A wrapper records moments before and after its call, some of them late; the
 * flush that stands for an exchange must come before the first of them, or time would go back. */
void recorder_make_room(struct recorder *recorder, size_t slots);

static inline void recorder_room(struct recorder *recorder, size_t slots)
{
    if (__builtin_expect(recorder->end - recorder->next < (ptrdiff_t)slots, 0))
        recorder_make_room(recorder, slots);
}

/* Takes back the records of time `time` that stand from `first` to right before `behind`, if they
 * are the last ones of this recorder; otherwise they stay. */
void recorder_take_back(struct recorder *recorder, struct record_slot *first,
                        struct record_slot *behind, uint64_t time);

/* --- all threads: not on the way of events -----------------------------------------------------
 */

/* Is called in a thread that ends, while it still has its recorder. Set before the first thread
 * records. */
extern void (*recorder_thread_ends)(void) RECORD_HIDDEN;

/* Moves the calling thread's staged records into its file, when measurement_state has become
 * MEASUREMENT_FILES. False if that fails (which has been said). */
bool recorder_open_own(void);
/* The same for all threads that still stage, when the process ends. */
void recorder_open_all(void);

/* Notes in all files of events what time it is, from which the rate of the clock follows. A signal
 * handler may call it. */
void recorder_note_time(void);

/* After fork, in the child: its events are nobody's. */
void recorder_abandon(void);

#endif
