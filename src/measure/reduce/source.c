#include "config.h" /* fallocate */

#include "measure/reduce/reduce_private.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef FALLOC_FL_KEEP_SIZE
#define FALLOC_FL_KEEP_SIZE  1
#define FALLOC_FL_PUNCH_HOLE 2
#endif

enum status source_open(struct source *source, const char *directory, uint32_t rank, bool keeps,
                        struct error *error)
{
    *source = (struct source){.path = record_path_of_thread(directory, rank, 0),
                              .begun_path = record_path(directory, "begun"),
                              .next = RECORD_HEADER_SIZE,
                              .keeps = keeps};
    source->file = open(source->path.text, O_RDWR | O_CLOEXEC);
    if (source->file >= 0 &&
        pread(source->file, &source->header, sizeof source->header, 0) ==
            (ssize_t)sizeof source->header &&
        source->header.magic == RECORD_MAGIC && source->header.version == RECORD_VERSION)
        return STATUS_OK;
    enum status status =
        error_set(error, STATUS_ENVIRONMENT, "cannot read %s: %s", source->path.text,
                  source->file < 0 ? strerror(errno) : "it has no header");
    source_close(source);
    return status;
}

static void unmap_segment(struct source *source)
{
    if (source->segment)
        munmap((void *)source->segment, source->slots * sizeof *source->segment);
    source->segment = NULL;
}

void source_close(struct source *source)
{
    unmap_segment(source);
    if (source->file >= 0)
        close(source->file);
    source->file = -1;
}

static off_t file_size(const struct source *source)
{
    struct stat status;
    return fstat(source->file, &status) == 0 ? status.st_size : 0;
}

bool source_has_more(const struct source *source)
{
    off_t behind = source->ended ? 0 : 2 * (off_t)source->header.segment_size;
    return (source->segment && source->at < source->slots) ||
           (source->file >= 0 && file_size(source) > source->next + behind);
}

/* Frees the memory and the disk of the segment just read. */
static void free_segment(struct source *source)
{
    off_t size = (off_t)(source->slots * sizeof *source->segment);
    unmap_segment(source);
    if (source->keeps || source->ended)
        return;
    if (!source->begun)
        close(open(source->begun_path.text, O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
    if (fallocate(source->file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, source->next - size,
                  size) == 0)
        source->begun = true;
}

static bool map_next_segment(struct source *source, enum status *status, struct error *error)
{
    if (source->segment)
        free_segment(source);
    if (!source_has_more(source))
        return false;
    off_t size = file_size(source) - source->next;
    if (size > (off_t)source->header.segment_size)
        size = (off_t)source->header.segment_size;
    void *memory = mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED, source->file, source->next);
    if (memory == MAP_FAILED) {
        *status = error_set(error, STATUS_ENVIRONMENT, "cannot read %s: %s", source->path.text,
                            strerror(errno));
        return false;
    }
    source->segment = memory;
    source->slots = (size_t)size / sizeof *source->segment;
    source->at = 0;
    source->next += size;
    return true;
}

const struct record_slot *source_next(struct source *source, enum status *status,
                                      struct error *error)
{
    for (;;) {
        const struct record_slot *slot = source->segment ? source->segment + source->at : NULL;
        bool within = slot && source->at < source->slots;
        if (within && !slot->first && !slot->second) {
            source->at++; /* an empty slot */
        } else if (within && slot->second) {
            size_t length = record_slots(slot_kind(slot));
            if (length == 0 || source->at + length > source->slots) {
                *status = error_set(error, STATUS_INPUT, "%s: damaged at slot %zu of the segment",
                                    source->path.text, source->at);
                return NULL;
            }
            source->at += length;
            if (slot_kind(slot) != RECORD_VOID)
                return slot;
        } else if (!map_next_segment(source, status, error)) {
            return NULL;
        }
    }
}
