#include "config.h" /* fallocate */

#include "measure/reduce/reduce_private.h"
#include "measure/reduce/remote_records.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef FALLOC_FL_KEEP_SIZE
#define FALLOC_FL_KEEP_SIZE  1
#define FALLOC_FL_PUNCH_HOLE 2
#endif

enum status segment_reader_open(struct segment_reader *reader, const char *directory, uint32_t rank,
                                bool remote, bool keeps, struct error *error)
{
    *reader = (struct segment_reader){.path = record_path_of_thread(directory, rank, 0),
                                      .begun_path = record_path(directory, "begun"),
                                      .ready_path = remote_records_path(directory, rank),
                                      .remote = remote,
                                      .next = RECORD_HEADER_SIZE,
                                      .keeps = keeps};
    reader->file = open(reader->path.text, O_RDWR | O_CLOEXEC);
    if (reader->file >= 0 &&
        pread(reader->file, &reader->header, sizeof reader->header, 0) ==
            (ssize_t)sizeof reader->header &&
        reader->header.magic == RECORD_MAGIC && reader->header.version == RECORD_VERSION)
        return STATUS_OK;
    enum status status =
        error_set(error, STATUS_ENVIRONMENT, "cannot read %s: %s", reader->path.text,
                  reader->file < 0 ? strerror(errno) : "it has no header");
    segment_reader_close(reader);
    return status;
}

bool segment_reader_header(const struct segment_reader *reader, struct record_header *header)
{
    const int file = open(reader->path.text, O_RDONLY | O_CLOEXEC);
    const bool read =
        file >= 0 && pread(file, header, sizeof *header, 0) == (ssize_t)sizeof *header;
    if (file >= 0)
        close(file);
    return read;
}

void segment_reader_update(struct segment_reader *reader)
{
    if (reader->remote)
        reader->ready = (off_t)remote_records_ready(reader->ready_path.text);
}

static void unmap_segment(struct segment_reader *reader)
{
    if (reader->remote)
        free((void *)reader->segment);
    else if (reader->segment)
        munmap((void *)reader->segment, reader->slots * sizeof *reader->segment);
    reader->segment = NULL;
}

void segment_reader_close(struct segment_reader *reader)
{
    unmap_segment(reader);
    if (reader->file >= 0)
        close(reader->file);
    reader->file = -1;
}

static off_t file_size(const struct segment_reader *reader)
{
    struct stat status;
    if (reader->remote && !reader->ended)
        return reader->ready;
    return (reader->remote ? stat(reader->path.text, &status) : fstat(reader->file, &status)) == 0
               ? status.st_size
               : 0;
}

/* Whether another segment is complete: the process is filling the second segment after it. */
static bool next_is_complete(const struct segment_reader *reader)
{
    off_t filling = reader->ended || reader->remote
                        ? 0
                        : RECORD_SEGMENTS_FILLED * (off_t)reader->header.segment_size;
    return reader->file >= 0 && file_size(reader) > reader->next + filling;
}

/* Frees the memory and the disk of the segment just read. */
static void free_segment(struct segment_reader *reader)
{
    off_t size = (off_t)(reader->slots * sizeof *reader->segment);
    unmap_segment(reader);
    if (reader->keeps || reader->ended)
        return;
    if (!reader->begun)
        close(open(reader->begun_path.text, O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
    if (fallocate(reader->file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, reader->next - size,
                  size) == 0)
        reader->begun = true;
}

static void *map_segment(const struct segment_reader *reader, size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ, MAP_SHARED, reader->file, reader->next);
    return memory == MAP_FAILED ? NULL : memory;
}

/* Of another host. The file is opened anew, so that nothing old is read. */
static void *read_segment(const struct segment_reader *reader, size_t size)
{
    char *memory = malloc(size);
    const int file = memory ? open(reader->path.text, O_RDONLY | O_CLOEXEC) : -1;
    size_t at = 0;
    ssize_t got = 1;
    while (file >= 0 && at < size && got > 0) {
        got = pread(file, memory + at, size - at, reader->next + (off_t)at);
        at += got > 0 ? (size_t)got : 0;
    }
    if (file >= 0)
        close(file);
    if (at == size)
        return memory;
    free(memory);
    return NULL;
}

static bool map_next_segment(struct segment_reader *reader, enum status *status,
                             struct error *error)
{
    if (reader->segment)
        free_segment(reader);
    if (!next_is_complete(reader))
        return false;
    off_t size = file_size(reader) - reader->next;
    if (size > (off_t)reader->header.segment_size)
        size = (off_t)reader->header.segment_size;
    void *memory =
        reader->remote ? read_segment(reader, (size_t)size) : map_segment(reader, (size_t)size);
    if (!memory) {
        *status = error_set(error, STATUS_ENVIRONMENT, "cannot read %s: %s", reader->path.text,
                            strerror(errno));
        return false;
    }
    reader->segment = memory;
    reader->slots = (size_t)size / sizeof *reader->segment;
    reader->at = 0;
    reader->next += size;
    return true;
}

const struct record_slot *segment_reader_next(struct segment_reader *reader, enum status *status,
                                              struct error *error)
{
    assert(reader->file >= 0);
    for (;;) {
        const struct record_slot *slot =
            reader->segment ? record_segment_next(reader->segment, reader->slots, &reader->at,
                                                  reader->path.text, status, error)
                            : NULL;
        if (slot && slot_kind(slot) != RECORD_VOID)
            return slot;
        if (!slot && (*status || !map_next_segment(reader, status, error)))
            return NULL;
    }
}
