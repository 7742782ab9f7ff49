/* Records the events of a thread. Each thread has its own recorder. Recording an event takes no
 * lock, no system call, no page fault and no allocation. The exception is a full segment: replacing
 * it by the next one is recorded as a flush. The functions for an event are in this header and in
 * records.h, so that the compiler inlines them into the wrappers.
 *
 * Events of one recorder must be recorded in the order of their times. A signal handler may record
 * at any point of its thread; it gets separate slots. */
#ifndef MEASURE_RECORDER_H
#define MEASURE_RECORDER_H

#include "measure/recorder/buffer.h"
#include "measure/recorder/measurement_state.h"

#include <stdatomic.h>

#define RECORD_TLS __attribute__((visibility("hidden"), tls_model("initial-exec")))

extern __thread struct recorder *recorder_own RECORD_TLS; /* NULL: none yet */

/* Makes this thread's recorder. NULL if the process is not traced, or after a failure, which is
 * printed. */
struct recorder *recorder_make(void);

/* This thread's recorder; the first call makes it. NULL while recording is off: before MPI_Init has
 * returned, after measurement_finalize_enter, after MPI_Pcontrol(0), and without silas-trace. A
 * recorder stays valid until measurement_end, also while recording is off. */
static inline struct recorder *recorder_get(void)
{
    if (__builtin_expect(!recorder_on, 0))
        return NULL;
    struct recorder *recorder = recorder_own;
    return __builtin_expect(recorder != NULL, 1) ? recorder : recorder_make();
}

/* This thread's recorder, also while recording is off: before MPI_Init, after MPI_Finalize and
 * after MPI_Pcontrol(0). NULL only if the process is not traced or recording has failed. */
static inline struct recorder *recorder_any(void)
{
    struct recorder *recorder = recorder_own;
    return __builtin_expect(recorder != NULL, 1) ? recorder : recorder_make();
}

/* Continues recorder_reserve if the block is full or a signal handler has recorded meanwhile: gets
 * the next block if necessary and returns `count` other slots. */
struct record_slot *recorder_turn(struct recorder *recorder, size_t count);

/* Returns `count` slots. The caller fills them in this order: record_begin, the slots after the
 * first, record_commit. If a signal handler records while they are taken, `next` changes, and it is
 * unclear who owns the slots; then they stay zero and other slots are taken. */
static inline struct record_slot *recorder_reserve(struct recorder *recorder, size_t count)
{
    struct record_slot *volatile *next = &recorder->next;
    struct record_slot *end = *(struct record_slot *volatile *)&recorder->end;
    struct record_slot *slot = *next;
    /* This must be one instruction; otherwise a handler's slots could be given out twice. */
#if defined(__x86_64__)
    __asm__ volatile("addq %1, %0" : "+m"(recorder->next) : "er"(count * sizeof *slot) : "cc");
#else
    __atomic_fetch_add((uintptr_t *)&recorder->next, count * sizeof *slot, __ATOMIC_RELAXED);
#endif
    if (__builtin_expect(end - slot < (ptrdiff_t)count || *next != slot + count, 0))
        return recorder_turn(recorder, count);
    return slot;
}

/* The time is stored first and the kind last. So a slot with a time and no kind belongs to a record
 * that was incomplete when the process ended. */
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

/* Ensures that the next `slots` slots are in one block. A wrapper may record a time that has
 * already passed; if its records began a new block, they would be earlier than the flush before
 * them. */
void recorder_make_room(struct recorder *recorder, size_t slots);

static inline void recorder_room(struct recorder *recorder, size_t slots)
{
    if (__builtin_expect(recorder->end - recorder->next < (ptrdiff_t)slots, 0))
        recorder_make_room(recorder, slots);
}

/* Takes back the records of time `time` from `first` up to, not including, `behind`, as long as
 * their memory is mapped; otherwise they stay. */
void recorder_take_back(struct recorder *recorder, struct record_slot *first,
                        struct record_slot *behind, uint64_t time);

/* Called when a thread ends, while it still has its recorder. Set before the first thread records.
 */
extern void (*recorder_thread_ends)(void) RECORD_HIDDEN;

/* Moves the calling thread's staged records to its file, when measurement_state has become
 * MEASUREMENT_FILES. False after a failure, which is printed. */
bool recorder_open_own(void);
/* The same for all threads whose records are still in memory, when the process ends. */
void recorder_open_all(void);

/* Writes the present moment into all event files, for the rate of the clock. A signal handler may
 * call it. */
void recorder_note_time(void);

/* Called after fork in the child, whose events are not recorded. */
void recorder_abandon(void);

#endif
