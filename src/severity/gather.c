/* Unites the stores of several processes. Only values that are not zero are sent, one process after
 * the other; rows that have been sent are freed. */
#include "severity/severity.h"

#include "base/array.h"
#include "base/mpi/part.h"

#include <stdlib.h>
#include <string.h>

enum { HOST_SIZE = 256 }; /* longer names are cut off */

/* In a piece, followed by `count` locations and as many values. */
struct row_head {
    uint32_t metric, path, count;
};

/* In a piece, followed by the host's name, whose end has a NUL. */
struct place_head {
    uint32_t rank, thread, size;
};

/* The transfer of a process's part: the piece that is being written, or the last one received. */
struct gathering {
    const struct processes *processes;
    char *piece; /* [PART_PIECE] */
    size_t size;
};

static void flush_piece(struct gathering *gathering)
{
    if (gathering->size > 0)
        part_send(gathering->processes, gathering->piece, gathering->size);
    gathering->size = 0;
}

static void append_field(struct gathering *gathering, const void *data, size_t size)
{
    memcpy(gathering->piece + gathering->size, data, size);
    gathering->size += size;
}

static const char *read_field(const char **at, void *data, size_t size)
{
    memcpy(data, *at, size);
    return *at += size;
}

struct gathered_places {
    ARRAY(struct severity_location) all; /* the hosts are set at the end */
    ARRAY(size_t) hosts;                 /* [location] into `names` */
    struct bytes names;
};

static void clear_places(struct gathered_places *places)
{
    free(places->all.items);
    free(places->hosts.items);
    bytes_clear(&places->names);
}

/* False if out of memory. */
static bool add_location(struct gathered_places *places, uint32_t rank, uint32_t thread,
                         const char *host)
{
    const size_t length = strnlen(host, HOST_SIZE - 1), begin = places->names.size;
    const struct severity_location place = {rank, thread, NULL};
    return array_push(&places->hosts, begin) && array_push(&places->all, place) &&
           bytes_put(&places->names, host, length) && bytes_put(&places->names, "", 1);
}

static void send_places(struct gathering *gathering, const struct severity *local)
{
    for (uint32_t i = 0; i < local->location_count; i++) {
        const struct severity_location *location = &local->locations[i];
        const size_t length = strnlen(location->host, HOST_SIZE - 1);
        const struct place_head head = {location->rank, location->thread, (uint32_t)length + 1};
        if (gathering->size + sizeof head + head.size > PART_PIECE)
            flush_piece(gathering);
        append_field(gathering, &head, sizeof head);
        append_field(gathering, location->host, length);
        append_field(gathering, "", 1);
    }
    flush_piece(gathering);
    part_send(gathering->processes, NULL, 0);
}

static bool receive_places(struct gathering *gathering, int from, struct gathered_places *places)
{
    bool allocated = true;
    while ((gathering->size = part_receive(gathering->processes, from, gathering->piece)) > 0)
        for (const char *at = gathering->piece; at < gathering->piece + gathering->size;) {
            struct place_head head;
            const char *host = read_field(&at, &head, sizeof head);
            allocated = allocated && add_location(places, head.rank, head.thread, host);
            at += head.size;
        }
    return allocated;
}

static bool add_own_places(const struct severity *local, struct gathered_places *places)
{
    for (uint32_t i = 0; i < local->location_count; i++)
        if (!add_location(places, local->locations[i].rank, local->locations[i].thread,
                          local->locations[i].host))
            return false;
    return true;
}

/* Process 0: an empty store for the locations of all. NULL if out of memory. */
static struct severity *create_whole(struct gathering *gathering, const struct severity *local)
{
    struct gathered_places places = {.names = {0}};
    struct severity *whole = NULL;
    bool allocated = add_own_places(local, &places);
    for (int from = 1; from < gathering->processes->size; from++)
        allocated = receive_places(gathering, from, &places) && allocated;
    for (size_t i = 0; allocated && i < places.all.count; i++)
        places.all.items[i].host = places.names.data + places.hosts.items[i];
    if (allocated)
        whole = severity_create(local->paths, local->path_count, places.all.items,
                                (uint32_t)places.all.count);
    clear_places(&places);
    allocated = whole && severity_grids_copy(whole, local);
    for (uint32_t i = METRIC_COUNT; allocated && i < local->metric_count; i++)
        allocated = severity_metric_add(whole, &local->metrics[i]) != METRIC_NONE;
    if (!allocated) {
        severity_destroy(whole);
        return NULL;
    }
    whole->total_seconds = local->total_seconds;
    return whole;
}

enum { VALUE_SIZE = sizeof(uint32_t) + sizeof(double) };

/* Sends a row in as many pieces as it takes. */
static void put_row(struct gathering *gathering, const struct severity_row *row, uint32_t metric,
                    uint32_t path)
{
    for (uint32_t first = 0; first < row->count;) {
        if (gathering->size + sizeof(struct row_head) + VALUE_SIZE > PART_PIECE)
            flush_piece(gathering);
        const size_t room = (PART_PIECE - gathering->size - sizeof(struct row_head)) / VALUE_SIZE;
        const uint32_t count = row->count - first < room ? row->count - first : (uint32_t)room;
        const struct row_head head = {metric, path, count};
        append_field(gathering, &head, sizeof head);
        for (uint32_t i = first; i < first + count; i++) {
            const uint32_t location = severity_row_location(row, i);
            append_field(gathering, &location, sizeof location);
        }
        append_field(gathering, row->values + first, count * sizeof *row->values);
        first += count;
    }
}

static void send_all_rows(struct gathering *gathering, struct severity *local)
{
    for (uint32_t metric = 0; metric < local->metric_count; metric++)
        for (uint32_t path = 0; path < local->path_count; path++) {
            const struct severity_row row = severity_row(local, (enum metric)metric, path);
            if (!severity_row_is_zero(&row))
                put_row(gathering, &row, metric, path);
            severity_row_clear(local, (enum metric)metric, path);
        }
    flush_piece(gathering);
    part_send(gathering->processes, NULL, 0);
}

/* Adds the rows of a piece; `first` is the number of the sender's first location. */
static bool add_received_values(const struct gathering *gathering, struct severity *whole,
                                uint32_t first)
{
    const char *at = gathering->piece, *end = at + gathering->size;
    while (at < end) {
        struct row_head head;
        const char *locations = read_field(&at, &head, sizeof head);
        const char *values = locations + head.count * sizeof(uint32_t);
        at = values + head.count * sizeof(double);
        for (uint32_t i = 0; i < head.count; i++) {
            uint32_t location;
            double value;
            read_field(&locations, &location, sizeof location);
            read_field(&values, &value, sizeof value);
            if (value != 0 &&
                !severity_add(whole, (enum metric)head.metric, head.path, first + location, value))
                return false;
        }
    }
    return true;
}

static bool receive_values(struct gathering *gathering, int from, struct severity *whole,
                           uint32_t first)
{
    bool allocated = true;
    while ((gathering->size = part_receive(gathering->processes, from, gathering->piece)) > 0)
        allocated = allocated && add_received_values(gathering, whole, first);
    return allocated;
}

static bool move_own_values(struct severity *local, struct severity *whole)
{
    for (uint32_t metric = 0; metric < local->metric_count; metric++)
        for (uint32_t path = 0; path < local->path_count; path++) {
            const struct severity_row row = severity_row(local, (enum metric)metric, path);
            for (uint32_t i = 0; i < row.count; i++)
                if (row.values[i] != 0 &&
                    !severity_add(whole, (enum metric)metric, path, severity_row_location(&row, i),
                                  row.values[i]))
                    return false;
            severity_row_clear(local, (enum metric)metric, path);
        }
    return true;
}

/* Collective. `counts` are the numbers of locations, [process]. */
static bool gather_values(struct gathering *gathering, struct severity *local,
                          const int64_t *counts, struct severity *whole)
{
    if (gathering->processes->rank > 0) {
        send_all_rows(gathering, local);
        return true;
    }
    bool allocated = move_own_values(local, whole);
    uint32_t first = (uint32_t)counts[0];
    for (int from = 1; from < gathering->processes->size; from++) {
        allocated = receive_values(gathering, from, whole, first) && allocated;
        first += (uint32_t)counts[from];
    }
    return allocated;
}

enum status severity_gather(struct severity **local, const struct processes *processes,
                            struct severity **whole, struct error *error)
{
    static const char purpose[] = "the severities of all ranks";
    struct severity *own = *local;
    *whole = NULL;
    *local = NULL;
    if (processes->size == 1) {
        *whole = own;
        return STATUS_OK;
    }
    int64_t *counts = calloc((size_t)processes->size, sizeof *counts);
    struct gathering gathering = {.processes = processes, .piece = malloc(PART_PIECE)};
    enum status status =
        processes_agree_memory(processes, counts && gathering.piece, purpose, error);
    if (status == STATUS_OK) {
        counts[processes->rank] = own->location_count;
        processes_sum(processes, counts, (size_t)processes->size);
        if (processes->rank == 0)
            *whole = create_whole(&gathering, own);
        else
            send_places(&gathering, own);
        status = processes_agree_memory(processes, *whole || processes->rank > 0, purpose, error);
    }
    if (status == STATUS_OK) {
        const bool allocated = gather_values(&gathering, own, counts, *whole);
        status = processes_agree_memory(processes, allocated, purpose, error);
    }
    if (status != STATUS_OK) {
        severity_destroy(*whole);
        *whole = NULL;
    }
    severity_destroy(own);
    free(counts);
    free(gathering.piece);
    return status;
}
