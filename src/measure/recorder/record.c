/* The tracer: src/measure/ holds what lives in the traced process (record*.c: buffers, clock and
 * definitions; measurement.c: its life; user_*.c: functions and regions of the program; the
 * wrappers of MPI), what turns its records into an archive (archive_*.c, symbols.c), and the
 * launcher (launch_*.c). Start with record.h and record_format.h.
 *
 * This file: the buffers of the threads. */
#include "measure/recorder/record_private.h"

#include "measure/recorder/user_regions.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

enum {
    STAGE_SLOTS = 4096,           /* of a block before MPI_Init; later blocks are larger */
    OTHER_THREADS_SHARE = 16,     /* their segments are this much smaller than the master's */
    SMALLEST_SEGMENT = 64 * 1024, /* bytes */
    LONGEST_RECORD = 4,           /* slots */
};

struct stage { /* a block of records from before MPI_Init */
    struct stage *newer;
    size_t slots;
    struct record_slot slot[];
};

struct recorder_file {
    struct recorder recorder;
    struct recorder_file *link; /* list of all, or of those whose threads have ended */
    struct recorder_file *idle_link;
    uint32_t thread; /* 0: the first, which is the master thread */
    int fd;          /* -1 while staging */
    struct record_header *header;
    struct record_slot *segment; /* mapped now */
    size_t segment_size;
    off_t next_offset;
    struct stage *oldest, *newest;
};

__thread struct recorder *recorder_own;
bool recorder_on;
enum measurement_state measurement_state;
struct measurement_settings measurement_settings = {.keeper = -1};
uint32_t measurement_rank = RECORD_NONE;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct recorder_file *files, *idle_files;
static uint32_t thread_count;
static pthread_key_t thread_key;
static pthread_once_t thread_key_once = PTHREAD_ONCE_INIT;

/* Where records go when there is no room for them any more. */
static __thread struct record_slot nowhere[LONGEST_RECORD];

static struct record_slot *record_nowhere(struct recorder *recorder)
{
    recorder->next = recorder->end = nowhere;
    return nowhere;
}

/* --- staging -----------------------------------------------------------------------------------
 */

static bool stage_grow(struct recorder_file *file)
{
    size_t slots = file->newest ? 2 * file->newest->slots : STAGE_SLOTS;
    struct stage *stage = calloc(1, sizeof *stage + slots * sizeof stage->slot[0]);
    if (!stage)
        return false;
    stage->slots = slots;
    if (file->newest)
        file->newest->newer = stage;
    else
        file->oldest = stage;
    file->newest = stage;
    file->recorder.next = stage->slot;
    file->recorder.end = stage->slot + slots;
    return true;
}

static void stage_free(struct recorder_file *file)
{
    for (struct stage *stage = file->oldest, *newer; stage; stage = newer) {
        newer = stage->newer;
        free(stage);
    }
    file->oldest = file->newest = NULL;
}

/* --- segments of the file ----------------------------------------------------------------------
 */

static void touch(void *memory, size_t size)
{
    if (madvise(memory, size, MADV_POPULATE_WRITE) == 0)
        return;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (size_t at = 0; at < size; at += page)
        ((volatile char *)memory)[at] = 0;
}

/* The program's timers may interrupt it. */
static int reserve(int fd, off_t offset, off_t size)
{
    int code;
    do
        code = posix_fallocate(fd, offset, size);
    while (code == EINTR);
    return code;
}

/* Maps the next segment in place of the current one. The disk's room is reserved beforehand: a
 * store into a hole of a full disk would kill the program. */
static bool segment_next(struct recorder_file *file)
{
    int code = reserve(file->fd, file->next_offset, (off_t)file->segment_size);
    if (code) {
        (void)!ftruncate(file->fd, file->next_offset); /* what it got is needed for the archive */
        measurement_give_up("rank %u: recording stops: cannot enlarge the file of events in %s: %s",
                            measurement_rank, measurement_settings.directory, strerror(code));
        return false;
    }
    void *memory = mmap(NULL, file->segment_size, PROT_READ | PROT_WRITE, MAP_SHARED, file->fd,
                        file->next_offset);
    if (memory == MAP_FAILED) {
        measurement_give_up("rank %u: recording stops: cannot map the file of events in %s: %s",
                            measurement_rank, measurement_settings.directory, strerror(errno));
        return false;
    }
    touch(memory, file->segment_size);
    if (file->segment)
        munmap(file->segment, file->segment_size);
    file->segment = memory;
    file->next_offset += (off_t)file->segment_size;
    file->recorder.next = memory;
    file->recorder.end = file->recorder.next + file->segment_size / sizeof(struct record_slot);
    return true;
}

static bool header_write(struct recorder_file *file)
{
    errno = reserve(file->fd, 0, RECORD_HEADER_SIZE);
    if (errno)
        return false;
    void *memory = mmap(NULL, RECORD_HEADER_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, file->fd, 0);
    if (memory == MAP_FAILED)
        return false;
    file->header = memory;
    *file->header = (struct record_header){
        .magic = RECORD_MAGIC,
        .version = RECORD_VERSION,
        .rank = measurement_rank,
        .thread = file->thread,
        .tsc = record_clock_tsc,
        .segment_size = file->segment_size,
        .first = record_clock_moment(),
    };
    file->header->last = file->header->first;
    file->next_offset = RECORD_HEADER_SIZE;
    return true;
}

static size_t segment_size_of(uint32_t thread)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t size = measurement_settings.segment_size;
    if (thread > 0)
        size /= OTHER_THREADS_SHARE;
    if (size < SMALLEST_SEGMENT)
        size = SMALLEST_SEGMENT;
    return (size + page - 1) / page * page;
}

/* Copies the staged records over. They keep their order; where a segment ends does not matter. */
static bool stage_unload(struct recorder_file *file)
{
    for (struct stage *stage = file->oldest; stage; stage = stage->newer) {
        for (size_t at = 0; at < stage->slots;) {
            size_t length = record_slots((enum record_kind)(stage->slot[at].second & 0xff));
            if (length == 0)
                break;
            if ((size_t)(file->recorder.end - file->recorder.next) < length && !segment_next(file))
                return false;
            memcpy(file->recorder.next, &stage->slot[at], length * sizeof stage->slot[0]);
            file->recorder.next += length;
            at += length;
        }
    }
    stage_free(file);
    return true;
}

static bool file_open(struct recorder_file *file)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/records/rank-%u.%u.events", measurement_settings.directory,
             measurement_rank, file->thread);
    file->segment_size = segment_size_of(file->thread);
    file->fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file->fd < 0 || !header_write(file)) {
        measurement_give_up("rank %u: cannot write %s: %s", measurement_rank, path,
                            strerror(errno));
        return false;
    }
    return segment_next(file) && stage_unload(file);
}

/* --- recorders of threads ----------------------------------------------------------------------
 */

/* A thread's end: its recorder, and so its place in the trace, is free for the next thread. */
static void thread_ended(void *recorder)
{
    struct recorder_file *file = ((struct recorder *)recorder)->file;
    user_regions_end_thread();
    pthread_mutex_lock(&mutex);
    recorder_own = NULL;
    file->idle_link = idle_files;
    idle_files = file;
    pthread_mutex_unlock(&mutex);
}

static void thread_key_make(void)
{
    pthread_key_create(&thread_key, thread_ended);
}

static struct recorder_file *file_take(void)
{
    pthread_mutex_lock(&mutex);
    struct recorder_file *file = idle_files;
    if (file) {
        idle_files = file->idle_link;
    } else if ((file = calloc(1, sizeof *file))) {
        file->recorder.file = file;
        file->thread = thread_count++;
        file->fd = -1;
        file->link = files;
        files = file;
    }
    pthread_mutex_unlock(&mutex);
    return file;
}

struct recorder *recorder_make(void)
{
    if (measurement_state == MEASUREMENT_NONE)
        return NULL;
    struct recorder_file *file = file_take();
    if (!file) {
        measurement_give_up("rank %u: recording stops: out of memory", measurement_rank);
        return NULL;
    }
    if (!file->segment && !file->oldest) {
        bool ready = measurement_state == MEASUREMENT_FILES ? file_open(file) : stage_grow(file);
        if (!ready)
            return NULL;
    }
    pthread_once(&thread_key_once, thread_key_make);
    pthread_setspecific(thread_key, &file->recorder);
    recorder_own = &file->recorder;
    return recorder_own;
}

static void record_flush(struct recorder *recorder, uint64_t begin)
{
    struct record_slot *flush = record_reserve(recorder, 2);
    recorder->file->header->last = record_clock_moment();
    flush[1].first = record_now();
    record_commit(flush, begin, RECORD_FLUSH, 0, 0, 0);
}

/* From the last slot to the first: what is left if the process dies meanwhile can be read. */
void recorder_take_back(struct recorder *recorder, struct record_slot *first,
                        struct record_slot *behind, uint64_t time)
{
    if (first == behind || recorder->next != behind || first->first != time)
        return;
    for (struct record_slot *slot = behind; slot-- > first;)
        record_commit(slot, time, RECORD_VOID, 0, 0, 0);
}

void recorder_make_room(struct recorder *recorder, size_t slots)
{
    struct recorder_file *file = recorder->file;
    uint64_t begin = record_now();
    if (!file || file->fd < 0 || measurement_state != MEASUREMENT_FILES ||
        slots > file->segment_size / sizeof(struct record_slot) / 2)
        return;
    if (segment_next(file))
        record_flush(recorder, begin);
    else
        record_nowhere(recorder);
}

struct record_slot *recorder_turn(struct recorder *recorder, size_t count)
{
    struct recorder_file *file = recorder->file;
    if (!file || measurement_state == MEASUREMENT_NONE)
        return record_nowhere(recorder);
    if (file->fd < 0 && measurement_state == MEASUREMENT_STAGING) {
        if (!stage_grow(file))
            return record_nowhere(recorder);
        return record_reserve(recorder, count);
    }
    uint64_t begin = record_now();
    if (!(file->fd < 0 ? file_open(file) : segment_next(file)))
        return record_nowhere(recorder);
    struct record_slot *slot = record_reserve(recorder, count);
    record_flush(recorder, begin);
    return slot;
}

bool recorder_open_own(void)
{
    struct recorder *recorder = recorder_any();
    return recorder && (recorder->file->fd >= 0 || file_open(recorder->file));
}

void recorder_open_all(void)
{
    for (struct recorder_file *file = files; file; file = file->link) {
        if (measurement_state == MEASUREMENT_FILES && file->fd < 0 && file->oldest)
            file_open(file);
    }
}

void recorder_note_time(void)
{
    struct record_moment now = record_clock_moment();
    pthread_mutex_lock(&mutex);
    for (struct recorder_file *file = files; file; file = file->link) {
        if (file->header)
            file->header->last = now;
    }
    pthread_mutex_unlock(&mutex);
}

void recorder_abandon(void)
{
    measurement_state = MEASUREMENT_NONE;
    recorder_on = false;
    if (recorder_own)
        recorder_own->next = recorder_own->end = nowhere;
}
