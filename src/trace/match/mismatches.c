#include "base/mpi/exchange.h"
#include "base/sort.h"
#include "trace/match/match_private.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void mismatches_clear(struct mismatches *mismatches)
{
    for (size_t i = 0; i < mismatches->list.count; i++)
        free(mismatches->list.items[i].text);
    free(mismatches->list.items);
    memset(mismatches, 0, sizeof *mismatches);
}

bool mismatch_add(struct mismatches *mismatches, const struct trace *trace,
                  const struct stream *stream, uint32_t row, const char *format, ...)
{
    assert(row < stream->count);
    char where[768], what[512], *text;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    trace_describe_event(trace, stream, row, where, sizeof where);
    if (asprintf(&text, "%s: %s", where, what) < 0)
        return false;
    if (array_push(&mismatches->list, ((struct mismatch){stream->rank, row, text})))
        return true;
    free(text);
    return false;
}

ORDER_BY(by_place, struct mismatch, ASCENDING(rank) ?: ASCENDING(row))

/* As bytes: rank, row, length of the text, text. */
static bool pack_mismatches(const struct mismatches *mismatches, struct bytes *out)
{
    for (size_t i = 0; i < mismatches->list.count; i++) {
        const struct mismatch *m = &mismatches->list.items[i];
        uint32_t head[3] = {m->rank, m->row, (uint32_t)strlen(m->text)};
        if (!bytes_put(out, head, sizeof head) || !bytes_put(out, m->text, head[2]))
            return false;
    }
    return true;
}

static bool unpack_mismatches(struct mismatches *mismatches, const char *data, size_t size)
{
    uint32_t head[3];
    for (size_t at = 0; at < size; at += sizeof head + head[2]) {
        memcpy(head, data + at, sizeof head);
        char *text = strndup(data + at + sizeof head, head[2]);
        if (!text || !array_push(&mismatches->list, ((struct mismatch){head[0], head[1], text}))) {
            free(text);
            return false;
        }
    }
    return true;
}

enum status mismatches_gather(struct mismatches *mismatches, const struct processes *processes,
                              int64_t *total, struct error *error)
{
    *total = (int64_t)mismatches->list.count;
    processes_sum(processes, total, 1);
    if (*total == 0)
        return STATUS_OK;
    struct bytes packed = {0};
    enum status status = pack_mismatches(mismatches, &packed)
                             ? STATUS_OK
                             : error_memory(error, "the list of mismatches");
    char *received = NULL;
    size_t size = 0;
    if ((status = processes_agree(processes, status, error)) == STATUS_OK)
        status =
            exchange_gather(processes, packed.data, packed.size, &received, &size, NULL, error);
    bytes_clear(&packed);
    mismatches_clear(mismatches);
    if (status == STATUS_OK && !unpack_mismatches(mismatches, received, size))
        status = error_memory(error, "the list of mismatches");
    free(received);
    if (mismatches->list.count)
        qsort(mismatches->list.items, mismatches->list.count, sizeof(struct mismatch), by_place);
    return processes_agree(processes, status, error);
}
