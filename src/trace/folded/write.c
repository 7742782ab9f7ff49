#include "base/mpi/job_output.h"
#include "base/mpi/exchange.h"
#include "base/sort.h"
#include "trace/folded/container_private.h"
#include "trace/folded/definitions_code.h"
#include "trace/folded/loops.h"
#include "trace/folded/streams.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void section_code(struct coder *coder, struct section *section, const struct section *before)
{
    code_u32_near(coder, &section->location, before->location + 1);
    code_number(coder, &section->numbers);
    code_number(coder, &section->numbers_packed);
    code_number(coder, &section->symbols);
    code_number(coder, &section->symbols_packed);
    code_number(coder, &section->low);
    code_bytes(coder, &section->crc, sizeof section->crc);
}

bool section_pack(struct section *section, struct dictionary known,
                  const struct stream_bytes *bytes, struct bytes *packed)
{
    assert(section->location != INDEX_NONE);
    const size_t begin = packed->size;
    *section = (struct section){.location = section->location,
                                .numbers = bytes->numbers.size,
                                .symbols = bytes->symbols.size,
                                .low = bytes->low.size};
    if (!packing_compress(PACKING_NUMBERS, known, bytes->numbers.data, bytes->numbers.size, packed))
        return false;
    section->numbers_packed = packed->size - begin;
    if (!packing_compress(PACKING_NOISE, (struct dictionary){0}, bytes->symbols.data,
                          bytes->symbols.size, packed))
        return false;
    section->symbols_packed = packed->size - begin - section->numbers_packed;
    if (!bytes_put(packed, bytes->low.data, bytes->low.size))
        return false;
    section->crc = htole32(block_checksum(packed->data + begin, packed->size - begin));
    return true;
}

void header_sign(unsigned char *header, const void *packed, size_t packed_size)
{
    uint32_t crc = htole32(block_checksum(packed, packed_size));
    memcpy(header + HEADER_SIZE - 2 * sizeof crc, &crc, sizeof crc);
    crc = htole32(block_checksum(header, HEADER_SIZE - sizeof crc));
    memcpy(header + HEADER_SIZE - sizeof crc, &crc, sizeof crc);
}

void header_make(unsigned char *header, const struct bytes *packed, size_t index_size)
{
    const uint64_t sizes[2] = {htole64(packed->size), htole64(index_size)};
    memcpy(header, CONTAINER_MARK, MARK_SIZE);
    memcpy(header + MARK_SIZE, sizes, sizeof sizes);
    header_sign(header, packed->data, packed->size);
}

struct own_sections {
    ARRAY(struct section) sections;
    struct bytes bytes; /* of these sections, one after the other */
    struct stream_noise noise;
};

/* The streams of this process in the order of the file. NULL when memory is out. */
static const struct stream **ordered_streams(const struct trace *trace, uint32_t *count)
{
    uint32_t all = trace->owned_count + trace->carried_count;
    const struct stream **streams = malloc(((size_t)all + 1) * sizeof *streams);
    struct {
        uint64_t order;
        const struct stream *stream;
    } *sorted = malloc(((size_t)all + 1) * sizeof *sorted);
    *count = 0;
    for (uint32_t i = 0; streams && sorted && i < all; i++) {
        const struct stream *stream = trace_any_stream(trace, i);
        if (stream->location == INDEX_NONE)
            continue;
        sorted[*count].order = section_order(trace, stream->location);
        sorted[(*count)++].stream = stream;
    }
    if (streams && sorted)
        qsort(sorted, *count, sizeof *sorted, order_uint64);
    for (uint32_t i = 0; streams && sorted && i < *count; i++)
        streams[i] = sorted[i].stream;
    free(sorted);
    if (!sorted) {
        free(streams);
        return NULL;
    }
    return streams;
}

/* Packs the bytes of a stream and appends them to the sections of this process. */
static bool pack_stream(struct own_sections *part, uint32_t location, struct dictionary known,
                        const struct stream_bytes *bytes)
{
    struct section section = {.location = location};
    return section_pack(&section, known, bytes, &part->bytes) &&
           array_push(&part->sections, section);
}

/* The dictionary for all streams but rank 0's: the numbers of rank 0's stream, because other ranks
 * do similar things. The owner of rank 0 shares it with all processes. */
typedef ARRAY(char) known_numbers;

/* Packs a stream. If it is rank 0's, sets `known` to its numbers. */
static bool pack_folded_stream(const struct trace *trace, const struct stream *stream,
                               uint64_t quantum, known_numbers *known, struct own_sections *part)
{
    struct stream_bytes bytes;
    bool first = stream->rank == 0 && stream->location == trace->definitions->rank_location[0];
    struct dictionary its = {known->items, first ? 0 : known->count};
    bool allocated =
        stream_write(stream, (uint32_t)trace->calltree.paths.count,
                     trace->definitions->window_count, quantum, &bytes, &part->noise) &&
        pack_stream(part, stream->location, its, &bytes);
    size_t size = bytes.numbers.size < DICTIONARY_MOST ? bytes.numbers.size : DICTIONARY_MOST;
    if (allocated && first && (allocated = array_reserve(known, size))) {
        memcpy(known->items, bytes.numbers.data, size);
        known->count = size;
    }
    stream_bytes_clear(&bytes);
    return allocated;
}

/* Collective. Packs the streams of this process. The stream of rank 0 is the first one in the file.
 */
static enum status write_own_sections(const struct trace *trace, uint64_t quantum,
                                      struct own_sections *part, struct error *error)
{
    const struct processes *processes = trace->processes;
    uint32_t count, next = 0;
    const struct stream **streams = ordered_streams(trace, &count);
    known_numbers known = {0};
    bool allocated = streams != NULL;
    if (allocated && count > 0 && trace->first_rank == 0 && trace->owned_count > 0)
        allocated = pack_folded_stream(trace, streams[next++], quantum, &known, part);
    enum status status = processes_agree_memory(processes, allocated, "the archive", error);
    if (status == STATUS_OK)
        status = processes_share(processes, &known, "the archive", error);
    while (status == STATUS_OK && allocated && next < count)
        allocated = pack_folded_stream(trace, streams[next++], quantum, &known, part);
    if (status == STATUS_OK)
        status = processes_agree_memory(processes, allocated, "the archive", error);
    free(known.items);
    free(streams);
    return status;
}

static enum status cannot_write_file(const char *path, struct error *error)
{
    return error_set(error, STATUS_ENVIRONMENT, "cannot write %s: %s", path, strerror(errno));
}

static enum status write_at(int file, const char *path, const char *data, size_t size, off_t at,
                            struct error *error)
{
    while (size > 0) {
        ssize_t written = pwrite(file, data, size, at);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return cannot_write_file(path, error);
        data += written;
        size -= (size_t)written;
        at += written;
    }
    return STATUS_OK;
}

/* The header and the packed index. */
static bool make_index(const struct trace *trace, uint64_t quantum, struct section *sections,
                       uint32_t count, struct bytes *head)
{
    struct coder coder = {0};
    struct definitions *definitions = trace->definitions;
    struct calltree calltree = trace->calltree;
    struct section none = {.location = UINT32_MAX};
    code_number(&coder, &quantum);
    definitions_code(&coder, &definitions, &calltree);
    code_u32(&coder, &count);
    for (uint32_t i = 0; i < count; i++)
        section_code(&coder, &sections[i], i ? &sections[i - 1] : &none);
    if (definitions->grid_count > 0 || definitions->threads)
        grids_code(&coder, definitions);
    if (definitions->threads)
        threads_code(&coder, definitions);
    struct bytes packed = {0};
    bool allocated =
        !coder.failed && packing_compress(PACKING_NUMBERS, known_definitions, coder.written.data,
                                          coder.written.size, &packed);
    unsigned char header[HEADER_SIZE];
    header_make(header, &packed, coder.written.size);
    allocated = allocated && bytes_put(head, header, HEADER_SIZE) &&
                bytes_put(head, packed.data, packed.size);
    bytes_clear(&packed);
    bytes_clear(&coder.written);
    return allocated;
}

/* Collective. Process 0 creates the file and writes the index. `*base` is the offset at which the
 * streams begin. */
static enum status write_container_index(const struct trace *trace, const char *path,
                                         uint64_t quantum, const struct own_sections *part,
                                         uint64_t *base, struct error *error)
{
    const struct processes *processes = trace->processes;
    char *all = NULL;
    size_t size = 0;
    enum status status = exchange_gather(processes, part->sections.items,
                                         part->sections.count * sizeof *part->sections.items, &all,
                                         &size, NULL, error);
    if (status != STATUS_OK)
        return status;
    if (processes->rank == 0) {
        struct bytes head = {0};
        int file = -1;
        struct section *sections = (struct section *)(void *)all;
        if (!make_index(trace, quantum, sections, (uint32_t)(size / sizeof *sections), &head))
            status = error_memory(error, "the archive");
        else if ((file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) < 0)
            status = cannot_write_file(path, error);
        else
            status = write_at(file, path, head.data, head.size, 0, error);
        if (file >= 0 && close(file) != 0 && status == STATUS_OK)
            status = cannot_write_file(path, error);
        *base = head.size;
        bytes_clear(&head);
        free(all);
    }
    status = processes_agree(processes, status, error);
    if (status == STATUS_OK)
        processes_broadcast(processes, base, sizeof *base);
    return status;
}

/* Collective. Each process writes its streams at their place in the file. */
static enum status write_streams(const struct trace *trace, const char *path,
                                 const struct own_sections *part, uint64_t base,
                                 struct error *error)
{
    const struct processes *processes = trace->processes;
    ARRAY(uint64_t) sizes = {0};
    bool allocated = array_push(&sizes, part->bytes.size);
    enum status status = processes_agree_memory(processes, allocated, "the archive", error);
    if (status == STATUS_OK)
        status = processes_share(processes, &sizes, "the archive", error);
    if (status == STATUS_OK) {
        for (int i = 0; i < processes->rank; i++)
            base += sizes.items[i];
        int file = open(path, O_WRONLY | O_CLOEXEC);
        if (file < 0)
            status = cannot_write_file(path, error);
        else
            status = write_at(file, path, part->bytes.data, part->bytes.size, (off_t)base, error);
        if (file >= 0 && close(file) != 0 && status == STATUS_OK)
            status = cannot_write_file(path, error);
        status = processes_agree(processes, status, error);
    }
    free(sizes.items);
    return status;
}

static enum status write_container(const struct trace *trace, const char *path,
                                   const struct loops_options *options,
                                   struct loops_outcome *outcome, struct error *error)
{
    struct own_sections part = {0};
    uint64_t base = 0;
    enum status status = write_own_sections(trace, options->quantum, &part, error);
    if (status == STATUS_OK)
        status = write_container_index(trace, path, options->quantum, &part, &base, error);
    if (status == STATUS_OK)
        status = write_streams(trace, path, &part, base, error);
    if (status == STATUS_OK) {
        int64_t sums[4] = {0, (int64_t)part.bytes.size, (int64_t)part.noise.durations,
                           (int64_t)part.noise.bits};
        int64_t furthest = (int64_t)part.noise.furthest;
        for (uint32_t i = 0; i < trace->owned_count + trace->carried_count; i++)
            sums[0] += trace_any_stream(trace, i)->count;
        processes_sum(trace->processes, sums, 4);
        processes_max(trace->processes, &furthest, 1);
        *outcome = (struct loops_outcome){sums[0], sums[1] + (int64_t)base, sums[2], sums[3],
                                          (uint64_t)furthest};
    }
    free(part.sections.items);
    bytes_clear(&part.bytes);
    return status;
}

enum status loops_write(const struct trace *trace, const char *directory,
                        const struct loops_options *options, struct loops_outcome *outcome,
                        struct error *error)
{
    assert(!trace->matched && !trace->origin);
    static const char *const none[] = {NULL};
    struct job_output output = {0};
    char path[PATH_MAX];
    enum status status =
        job_output_open(trace->processes, directory, false, "", none, &output, error);
    if (status != STATUS_OK)
        return status;
    status = output_path(output.directory, LOOPS_FILE_NAME, path, error);
    status = processes_agree(trace->processes, status, error);
    if (status == STATUS_OK)
        status = write_container(trace, path, options, outcome, error);
    if (status == STATUS_OK)
        return job_output_commit(&output, error);
    job_output_discard(&output);
    return status;
}
