#include "measure/recorder/buffer.h"

#include "measure/recorder/measurement_state.h"
#include "measure/recorder/record_path.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

enum {
    STAGE_SLOTS = 4096, /* of the first block before MPI_Init; later ones are larger */
    /* The quotient of the master's segments and those of other threads, which begin in parallel
     * regions: these should not become longer. */
    OTHER_THREADS_SHARE = 128,
};

static_assert(RECORD_ALIGNMENT % sizeof(struct record_slot) == 0, "segments consist of slots");

struct stage { /* a block of records from before MPI_Init */
    struct stage *newer;
    size_t slots;
    struct record_slot slot[];
};

bool buffer_stage(struct buffer *buffer)
{
    assert(buffer->file < 0);
    size_t slots = buffer->newest ? 2 * buffer->newest->slots : STAGE_SLOTS;
    struct stage *stage = calloc(1, sizeof *stage + slots * sizeof stage->slot[0]);
    if (!stage)
        return false;
    stage->slots = slots;
    if (buffer->newest)
        buffer->newest->newer = stage;
    else
        buffer->oldest = stage;
    buffer->newest = stage;
    buffer->recorder.polls.behind = NULL;
    buffer->recorder.next = stage->slot;
    buffer->recorder.end = stage->slot + slots;
    return true;
}

void buffer_free_stage(struct buffer *buffer)
{
    assert(buffer->file >= 0);
    for (struct stage *stage = buffer->oldest, *newer; stage; stage = newer) {
        newer = stage->newer;
        free(stage);
    }
    buffer->oldest = buffer->newest = NULL;
}

static void touch(void *memory, size_t size)
{
    if (madvise(memory, size, MADV_POPULATE_WRITE) == 0)
        return;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (size_t at = 0; at < size; at += page)
        ((volatile char *)memory)[at] = 0;
}

/* Reserves room on the disk, because a store into a hole of a file on a full disk would kill the
 * program. Tries again if a signal interrupts it. Returns 0 or an error number. */
static int reserve_disk(int file, off_t offset, off_t size)
{
    int code;
    do
        code = posix_fallocate(file, offset, size);
    while (code == EINTR);
    return code;
}

bool buffer_advance(struct buffer *buffer)
{
    assert(buffer->file >= 0);
    size_t size = buffer->segment_size;
    int code = reserve_disk(buffer->file, buffer->next_offset, (off_t)size);
    if (code) /* keeps the records so far, which the archive needs */
        (void)!ftruncate(buffer->file, buffer->next_offset);
    void *memory = code ? MAP_FAILED
                        : mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, buffer->file,
                               buffer->next_offset);
    if (memory == MAP_FAILED) {
        measurement_give_up("rank %u: recording stops: cannot %s the file of events in %s: %s",
                            measurement_rank, code ? "enlarge" : "map",
                            measurement_settings.directory, strerror(code ? code : errno));
        return false;
    }
    touch(memory, size);
    if (buffer->last_segment)
        munmap(buffer->last_segment, size);
    buffer->last_segment = buffer->segment;
    buffer->segment = memory;
    buffer->next_offset += (off_t)size;
    buffer->recorder.polls.behind = NULL;
    buffer->recorder.next = memory;
    buffer->recorder.end = buffer->recorder.next + size / sizeof(struct record_slot);
    return true;
}

static bool write_header(struct buffer *buffer)
{
    errno = reserve_disk(buffer->file, 0, RECORD_HEADER_SIZE);
    if (errno)
        return false;
    void *memory =
        mmap(NULL, RECORD_HEADER_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, buffer->file, 0);
    if (memory == MAP_FAILED)
        return false;
    buffer->header = memory;
    *buffer->header = (struct record_header){
        .magic = RECORD_MAGIC,
        .version = RECORD_VERSION,
        .rank = measurement_rank,
        .thread = buffer->thread,
        .tsc = tracer_clock.tsc,
        .segment_size = buffer->segment_size,
        .first = tracer_clock_opened,
        .last = tracer_clock_moment(),
    };
    buffer->next_offset = RECORD_HEADER_SIZE;
    return true;
}

static size_t segment_size_of(uint32_t thread)
{
    size_t size = measurement_settings.segment_size;
    if (thread > 0)
        size /= OTHER_THREADS_SHARE;
    if (size < RECORD_ALIGNMENT)
        size = RECORD_ALIGNMENT;
    return (size + RECORD_ALIGNMENT - 1) / RECORD_ALIGNMENT * RECORD_ALIGNMENT;
}

/* Copies the staged records. They keep their order; where a segment ends does not matter. */
static bool unload_stage(struct buffer *buffer)
{
    struct recorder *recorder = &buffer->recorder;
    for (struct stage *stage = buffer->oldest; stage; stage = stage->newer) {
        for (size_t at = 0; at < stage->slots;) {
            size_t length = record_slots(slot_kind(&stage->slot[at]));
            if (length == 0) {
                at++; /* an empty slot */
                continue;
            }
            if ((size_t)(recorder->end - recorder->next) < length && !buffer_advance(buffer))
                return false;
            memcpy(recorder->next, &stage->slot[at], length * sizeof stage->slot[0]);
            recorder->next += length;
            at += length;
        }
    }
    return true;
}

bool buffer_open(struct buffer *buffer)
{
    assert(buffer->file < 0 && measurement_rank != RECORD_NONE);
    const struct record_path path =
        record_path_of_thread(measurement_settings.directory, measurement_rank, buffer->thread);
    buffer->segment_size = segment_size_of(buffer->thread);
    buffer->file = open(path.text, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (buffer->file < 0 || !write_header(buffer)) {
        measurement_give_up("rank %u: cannot write %s: %s", measurement_rank, path.text,
                            strerror(errno));
        return false;
    }
    return buffer_advance(buffer) && unload_stage(buffer);
}
