/* The recorders of the threads. */
#include "measure/recorder/recorder.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

enum { LONGEST_RECORD = 4 /* slots */ };
#define X(identifier, slots) \
    static_assert(slots <= LONGEST_RECORD, "record_nowhere has no room for " #identifier);
RECORD_KINDS(X)
#undef X

__thread struct recorder *recorder_own;
void (*recorder_thread_ends)(void);

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* of `idle_buffers` and the count */
static _Atomic(struct buffer *) buffers;                  /* all; none is ever removed */
static struct buffer *idle_buffers;                       /* of threads that have ended */
static uint32_t thread_count;
static pthread_key_t thread_key;
static pthread_once_t thread_key_once = PTHREAD_ONCE_INIT;

/* Records that cannot be kept are written here. */
static __thread struct record_slot nowhere[LONGEST_RECORD];

static struct record_slot *record_nowhere(struct recorder *recorder)
{
    recorder->next = recorder->end = nowhere;
    return nowhere;
}

/* Blocks signals while a block is replaced, because a handler would find the recorder in an
 * inconsistent state. Signals of faults cannot be blocked. */
static void block_signals(sigset_t *before)
{
    sigset_t all;
    sigfillset(&all);
    sigdelset(&all, SIGSEGV);
    sigdelset(&all, SIGBUS);
    sigdelset(&all, SIGILL);
    sigdelset(&all, SIGFPE);
    pthread_sigmask(SIG_BLOCK, &all, before);
}

/* Called when a thread ends; the next new thread gets its buffer and its location in the trace. */
static void thread_ended(void *recorder)
{
    struct buffer *buffer = ((struct recorder *)recorder)->buffer;
    if (recorder_thread_ends)
        recorder_thread_ends();
    pthread_mutex_lock(&mutex);
    recorder_own = NULL;
    buffer->idle_link = idle_buffers;
    idle_buffers = buffer;
    pthread_mutex_unlock(&mutex);
}

static void thread_key_make(void)
{
    pthread_key_create(&thread_key, thread_ended);
}

static struct buffer *buffer_of_thread(void)
{
    pthread_mutex_lock(&mutex);
    struct buffer *buffer = idle_buffers;
    if (buffer) {
        idle_buffers = buffer->idle_link;
    } else if ((buffer = calloc(1, sizeof *buffer))) {
        buffer->recorder.buffer = buffer;
        buffer->thread = thread_count++;
        buffer->file = -1;
        buffer->link = buffers;
        buffers = buffer;
    }
    pthread_mutex_unlock(&mutex);
    return buffer;
}

static struct recorder *make_recorder(void)
{
    struct buffer *buffer = buffer_of_thread();
    if (!buffer) {
        measurement_out_of_memory();
        return NULL;
    }
    if (buffer->file < 0 && !buffer->oldest) {
        bool files = measurement_state == MEASUREMENT_FILES;
        if (!(files ? buffer_open(buffer) : buffer_stage(buffer)))
            return NULL;
    }
    pthread_once(&thread_key_once, thread_key_make);
    pthread_setspecific(thread_key, &buffer->recorder);
    recorder_own = &buffer->recorder;
    return recorder_own;
}

struct recorder *recorder_make(void)
{
    sigset_t before;
    if (measurement_state == MEASUREMENT_NONE)
        return NULL;
    block_signals(&before);
    struct recorder *recorder = recorder_own ? recorder_own : make_recorder();
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return recorder;
}

static void record_flush(struct recorder *recorder, uint64_t begin)
{
    struct record_slot *flush = recorder_reserve(recorder, 2);
    recorder->buffer->header->last = tracer_clock_moment();
    record_begin(flush, begin);
    flush[1].first = record_now();
    record_commit(flush, RECORD_FLUSH, 0, 0, 0);
}

/* Signals are blocked. */
static struct record_slot *turn(struct recorder *recorder, size_t count)
{
    struct buffer *buffer = recorder->buffer;
    if (buffer->file < 0 && measurement_state == MEASUREMENT_STAGING)
        return buffer_stage(buffer) ? recorder_reserve(recorder, count) : record_nowhere(recorder);
    uint64_t begin = record_now();
    if (!(buffer->file < 0 ? buffer_open(buffer) : buffer_advance(buffer)))
        return record_nowhere(recorder);
    struct record_slot *slot = recorder_reserve(recorder, count);
    record_flush(recorder, begin);
    return slot;
}

struct record_slot *recorder_turn(struct recorder *recorder, size_t count)
{
    sigset_t before;
    if (!recorder->buffer || measurement_state == MEASUREMENT_NONE)
        return record_nowhere(recorder);
    block_signals(&before);
    /* There is still room if a signal handler has recorded meanwhile. */
    bool room = recorder->end - recorder->next >= (ptrdiff_t)count;
    struct record_slot *slot = room ? recorder_reserve(recorder, count) : turn(recorder, count);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return slot;
}

void recorder_make_room(struct recorder *recorder, size_t slots)
{
    struct buffer *buffer = recorder->buffer;
    sigset_t before;
    uint64_t begin = record_now();
    if (!buffer || buffer->file < 0 || measurement_state != MEASUREMENT_FILES ||
        slots > buffer->segment_size / sizeof(struct record_slot) / 2)
        return;
    block_signals(&before);
    if (recorder->end - recorder->next >= (ptrdiff_t)slots)
        ; /* a signal handler was quicker */
    else if (buffer_advance(buffer))
        record_flush(recorder, begin);
    else
        record_nowhere(recorder);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Whether the memory of a slot that was filled before is still mapped. */
static bool is_mapped(const struct buffer *buffer, const struct record_slot *slot)
{
    const size_t slots = buffer->segment_size / sizeof *slot;
    if (buffer->file < 0)
        return true; /* staged */
    return (buffer->segment && slot >= buffer->segment && slot < buffer->segment + slots) ||
           (buffer->last_segment && slot >= buffer->last_segment &&
            slot < buffer->last_segment + slots);
}

/* Makes the slots VOID from the last to the first, so that the file stays readable if the process
 * ends in between. An error handler of the program may have recorded regions after them. */
void recorder_take_back(struct recorder *recorder, struct record_slot *first,
                        struct record_slot *behind, uint64_t time)
{
    if (first == behind || !recorder->buffer || !is_mapped(recorder->buffer, first) ||
        first->first != time)
        return;
    for (struct record_slot *slot = behind; slot-- > first;) {
        record_begin(slot, time);
        record_commit(slot, RECORD_VOID, 0, 0, 0);
    }
}

bool recorder_open_own(void)
{
    sigset_t before;
    struct recorder *recorder = recorder_any();
    if (!recorder || recorder->buffer->file >= 0)
        return recorder != NULL;
    block_signals(&before);
    bool opened = buffer_open(recorder->buffer);
    if (opened)
        buffer_free_stage(recorder->buffer);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return opened;
}

void recorder_open_all(void)
{
    for (struct buffer *buffer = buffers; buffer; buffer = buffer->link) {
        if (measurement_state == MEASUREMENT_FILES && buffer->file < 0 && buffer->oldest)
            buffer_open(buffer);
    }
}

void recorder_note_time(void)
{
    struct record_moment now = tracer_clock_moment();
    for (struct buffer *buffer = buffers; buffer; buffer = buffer->link) {
        if (buffer->header)
            buffer->header->last = now;
    }
}

void recorder_abandon(void)
{
    measurement_state = MEASUREMENT_NONE;
    recorder_on = false;
    if (recorder_own)
        recorder_own->next = recorder_own->end = nowhere;
}
