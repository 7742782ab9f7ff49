#include "measure/archive/record_reader.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

uint64_t record_file_size(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? (uint64_t)status.st_size : 0;
}

/* `whole`: all of the header could be read. */
static enum status check_header(const struct record_reader *reader, bool whole, struct error *error)
{
    const struct record_header *header = &reader->header;
    if (!whole || header->magic != RECORD_MAGIC)
        return error_set(error, STATUS_INPUT, "%s is not an event file of silas-trace",
                         reader->path.text);
    if (header->version != RECORD_VERSION)
        return error_set(error, STATUS_INPUT,
                         "%s has format %u of event files, but this silas-trace reads format %u: "
                         "use the version of silas-trace that has recorded it",
                         reader->path.text, (unsigned)header->version, RECORD_VERSION);
    if (header->segment_size == 0)
        return error_set(error, STATUS_INPUT, "%s is damaged: its segments have no size",
                         reader->path.text);
    return STATUS_OK;
}

enum status record_reader_open(struct record_reader *reader, const char *directory, uint32_t rank,
                               uint32_t thread, struct error *error)
{
    *reader = (struct record_reader){.path = record_path_of_thread(directory, rank, thread),
                                     .next_offset = RECORD_HEADER_SIZE};
    reader->file = open(reader->path.text, O_RDONLY | O_CLOEXEC);
    if (reader->file < 0 && errno == ENOENT)
        return STATUS_OK;
    if (reader->file < 0)
        return error_set(error, STATUS_ENVIRONMENT, "cannot read %s: %s", reader->path.text,
                         strerror(errno));
    ssize_t got = read(reader->file, &reader->header, sizeof reader->header);
    reader->size = record_file_size(reader->path.text);
    if (reader->size < RECORD_HEADER_SIZE || (got > 0 && reader->header.magic == 0)) {
        close(reader->file); /* the process ended before it had written the header */
        return STATUS_OK;
    }
    enum status status = check_header(reader, got == (ssize_t)sizeof reader->header, error);
    if (status != STATUS_OK)
        close(reader->file);
    reader->present = status == STATUS_OK;
    return status;
}

static void reader_unmap(struct record_reader *reader)
{
    if (reader->segment)
        munmap((void *)reader->segment, reader->segment_slots * sizeof *reader->segment);
    reader->segment = NULL;
}

/* Maps the next segment; false at the end of the file, where a segment may be cut short. */
static bool reader_map_next(struct record_reader *reader, enum status *status, struct error *error)
{
    reader_unmap(reader);
    if (reader->next_offset >= reader->size)
        return false;
    uint64_t bytes = reader->size - reader->next_offset;
    if (bytes > reader->header.segment_size)
        bytes = reader->header.segment_size;
    void *memory =
        mmap(NULL, bytes, PROT_READ, MAP_SHARED, reader->file, (off_t)reader->next_offset);
    if (memory == MAP_FAILED) {
        *status = error_set(error, STATUS_ENVIRONMENT, "cannot read %s: %s", reader->path.text,
                            strerror(errno));
        return false;
    }
    madvise(memory, bytes, MADV_SEQUENTIAL);
    reader->segment = memory;
    reader->segment_slots = bytes / sizeof *reader->segment;
    reader->at = 0;
    reader->next_offset += bytes;
    return true;
}

/* Looks for the record POLLS of the call whose ENTER has just been read. It is in the same segment.
 */
static void find_polls(const struct record_reader *reader, struct archive_record *record)
{
    record->polls = 0;
    record->polls_ticks = 0;
    for (size_t at = reader->at; at < reader->segment_slots;) {
        const struct record_slot *slot = reader->segment + at;
        enum record_kind kind = slot_kind(slot);
        if (kind == RECORD_POLLS) {
            record->polls = slot_id(slot);
            record->polls_ticks = slot->first;
        }
        if (kind != RECORD_REQUEST_TEST && kind != RECORD_RMA_COMPLETE)
            return;
        at += record_slots(kind);
    }
}

const struct record_slot *record_segment_next(const struct record_slot *segment, size_t slots,
                                              size_t *at, const char *path, enum status *status,
                                              struct error *error)
{
    assert(segment && *at <= slots);
    while (*at < slots && !segment[*at].first && !segment[*at].second)
        ++*at; /* an empty slot */
    const struct record_slot *slot = segment + *at;
    if (*at >= slots || !slot->second)
        return NULL;
    const size_t length = record_slots(slot_kind(slot));
    if (length == 0 || *at + length > slots) {
        *status =
            error_set(error, STATUS_INPUT, "%s: damaged at slot %zu of the segment", path, *at);
        return NULL;
    }
    *at += length;
    return slot;
}

bool record_reader_next(struct record_reader *reader, struct archive_record *record,
                        enum status *status, struct error *error)
{
    assert(reader->present);
    for (;;) {
        const struct record_slot *slot =
            reader->segment ? record_segment_next(reader->segment, reader->segment_slots,
                                                  &reader->at, reader->path.text, status, error)
                            : NULL;
        if (!slot && (*status || !reader_map_next(reader, status, error)))
            return false;
        if (!slot || slot_kind(slot) == RECORD_VOID || slot_kind(slot) == RECORD_POLLS)
            continue;
        record->slot = slot;
        record->time = slot->first;
        record->kind = slot_kind(slot);
        record->flags = slot_flags(slot);
        record->type_size = slot_type_size(slot);
        record->id = slot_id(slot);
        if (record->kind == RECORD_ENTER)
            find_polls(reader, record);
        return true;
    }
}

void record_reader_close(struct record_reader *reader)
{
    reader_unmap(reader);
    if (reader->present)
        close(reader->file);
    reader->present = false;
}
