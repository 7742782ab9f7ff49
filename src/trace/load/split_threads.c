/* Threads of an MPI process that communicate at the same time become ranks (trace/threads.h):
 *
 *   split_threads.c    the streams of communicating threads become the ranks' streams
 *   thread_requests.c  requests go to the ranks that complete them
 *   thread_members.c   communicators get ranks as members
 *   thread_partners.c  messages get the ranks of their partners
 *   thread_epochs.c    groups of epochs on windows get the ranks that synchronise with each other
 *
 * Afterwards the trace looks like one of single-threaded processes, so matching, pre-flight check,
 * patterns, transformations and engines need not distinguish threads. */
#include "base/sort.h"
#include "trace/load/load_private.h"
#include "trace/load/split_threads_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A communicating thread. */
struct thread_place {
    uint32_t mpi_process, location, thread;
};

typedef ARRAY(struct thread_place) thread_places;

/* The number of a location among the threads of its process: 0 for the master, the others follow in
 * the order of the archive. */
static uint32_t thread_number(const struct definitions *d, uint32_t location)
{
    const struct location *here = &d->locations[location];
    uint32_t number = 1;
    if (here->master)
        return 0;
    for (uint32_t i = 0; i < location; i++)
        number += d->locations[i].rank == here->rank && !d->locations[i].master &&
                  d->locations[i].type == here->type;
    return number;
}

/* True if the archive says that the location was a rank. */
static bool was_rank(const struct definitions *d, uint32_t location)
{
    const char *text = definitions_property(d, SILAS_PROPERTY_THREADS);
    unsigned long long id;
    int length;
    for (text = text ? strchr(text, ' ') : NULL; text && sscanf(text, "%llu%n", &id, &length) == 1;
         text += length)
        if (id == d->locations[location].id)
            return true;
    return false;
}

static bool list_threads(const struct trace *trace, thread_places *list)
{
    for (uint32_t r = 0; r < trace->owned_count; r++) {
        const struct stream *master = &trace->streams[r];
        struct thread_place place = {master->rank, master->location, 0};
        if (!array_push(list, place))
            return false;
        for (uint32_t i = 0; i < trace->carried_count; i++) {
            const struct stream *s = &trace->carried[i];
            if (s->rank != master->rank ||
                (!stream_communicates(trace, s) && !was_rank(trace->definitions, s->location)))
                continue;
            place = (struct thread_place){s->rank, s->location,
                                          thread_number(trace->definitions, s->location)};
            if (!array_push(list, place))
                return false;
        }
    }
    return true;
}

/* Fills the map of ranks. False when memory is out. */
static bool map_ranks(struct splitting *s, const thread_places *places)
{
    struct arena *arena = s->d->arena;
    struct thread_ranks *t = s->threads = arena_alloc(arena, sizeof *t);
    if (!t)
        return false;
    t->mpi_process_count = s->d->rank_count;
    t->first_rank =
        arena_alloc_array(arena, (size_t)t->mpi_process_count + 1, sizeof *t->first_rank);
    t->mpi_process = arena_alloc_array(arena, places->count + 1, sizeof *t->mpi_process);
    t->thread = arena_alloc_array(arena, places->count + 1, sizeof *t->thread);
    if (!t->first_rank || !t->mpi_process || !t->thread)
        return false;
    for (size_t i = 0; i < places->count; i++) {
        const struct thread_place *place = &places->items[i];
        t->mpi_process[i] = place->mpi_process;
        t->thread[i] = place->thread;
        t->first_rank[place->mpi_process + 1] = (uint32_t)i + 1;
    }
    return true;
}

/* Sets the ranks of the locations. */
static bool set_location_ranks(struct splitting *s, const thread_places *places)
{
    struct definitions *d = s->d;
    uint32_t *locations = arena_alloc_array(d->arena, places->count + 1, sizeof *locations);
    if (!locations)
        return false;
    for (uint32_t i = 0; i < d->location_count; i++)
        if (d->locations[i].rank != INDEX_NONE)
            d->locations[i].rank = s->threads->first_rank[d->locations[i].rank];
    for (size_t i = 0; i < places->count; i++) {
        locations[i] = places->items[i].location;
        if (locations[i] == INDEX_NONE)
            continue;
        d->locations[locations[i]].rank = (uint32_t)i;
        d->locations[locations[i]].master = true;
    }
    d->rank_location = locations;
    d->rank_count = (uint32_t)places->count;
    d->threads = s->threads;
    return true;
}

/* Moves the streams of communicating threads to the streams of ranks. */
static bool move_streams(struct splitting *s)
{
    struct trace *trace = s->trace;
    const uint32_t *first = s->threads->first_rank;
    const uint32_t process = trace->first_rank, behind = process + trace->owned_count;
    struct stream *old = trace->streams;
    uint32_t carried = trace->carried_count;
    struct stream *made =
        arena_alloc_array(trace->arena, (size_t)(first[behind] - first[process]) + 1, sizeof *made);
    if (!made)
        return false;
    trace->carried_count = 0;
    for (uint32_t i = 0; i < trace->owned_count; i++) {
        made[first[process + i] - first[process]] = old[i];
        made[first[process + i] - first[process]].rank = first[process + i];
    }
    for (uint32_t i = 0; i < carried; i++) {
        struct stream *stream = &trace->carried[i];
        const struct location *location =
            stream->location == INDEX_NONE ? NULL : &s->d->locations[stream->location];
        if (location)
            stream->rank = location->rank;
        if (location && location->master)
            made[stream->rank - first[process]] = *stream;
        else
            trace->carried[trace->carried_count++] = *stream;
    }
    trace->streams = made;
    trace->first_rank = first[process];
    trace->owned_count = first[behind] - first[process];
    trace->rank_count = s->d->rank_count;
    return true;
}

/* Copies communicators and groups, which are going to grow. */
static bool copy_grown_tables(struct splitting *s)
{
    const struct definitions *d = s->d;
    struct thread_ranks *t = s->threads;
    bool allocated = true;
    t->comm_count = d->comm_count - d->window_count;
    t->group_count = d->group_count;
    t->group_of = arena_alloc_array(d->arena, 2 * (size_t)t->comm_count + 1, sizeof *t->group_of);
    t->window_comms =
        arena_alloc_array(d->arena, (size_t)d->window_count + 1, sizeof *t->window_comms);
    for (uint32_t i = 0; i < d->comm_count && allocated; i++)
        allocated = array_push(&s->comms, d->comms[i]) && array_push(&s->comm_of, i);
    for (uint32_t i = 0; i < d->group_count && allocated; i++)
        allocated = array_push(&s->groups, d->groups[i]) && array_push(&s->recorded, i);
    if (!allocated || !t->group_of || !t->window_comms)
        return false;
    for (uint32_t i = 0; i < t->comm_count; i++) {
        t->group_of[2 * i] = d->comms[i].group;
        t->group_of[2 * i + 1] = d->comms[i].remote_group;
    }
    for (uint32_t i = 0; i < d->window_count; i++)
        t->window_comms[i] = d->windows[i].comm;
    return true;
}

static bool close_definitions(struct splitting *s)
{
    struct definitions *d = s->d;
    struct thread_ranks *t = s->threads;
    t->total_comms = (uint32_t)s->comms.count;
    t->total_groups = (uint32_t)s->groups.count;
    d->comms = arena_memdup(d->arena, s->comms.items, s->comms.count * sizeof *d->comms);
    d->groups = arena_memdup(d->arena, s->groups.items, s->groups.count * sizeof *d->groups);
    t->comm_of = arena_memdup(d->arena, s->comm_of.items, s->comm_of.count * sizeof *t->comm_of);
    t->recorded =
        arena_memdup(d->arena, s->recorded.items, s->recorded.count * sizeof *t->recorded);
    d->comm_count = t->total_comms;
    d->group_count = t->total_groups;
    return d->comms && d->groups && t->comm_of && t->recorded;
}

static void splitting_clear(struct splitting *s)
{
    free(s->runs.items);
    free(s->parts.items);
    free(s->comms.items);
    free(s->comm_of.items);
    free(s->groups.items);
    free(s->recorded.items);
    map_clear(&s->handed);
    free(s->post_times.items);
    free(s->wide);
}

static enum status make_ranks(struct splitting *s, struct error *error)
{
    const struct processes *processes = s->trace->processes;
    thread_places places = {0};
    bool allocated = list_threads(s->trace, &places);
    enum status status = processes_agree_memory(processes, allocated, "the threads", error);
    if (status == STATUS_OK)
        status = processes_share(processes, &places, "the threads", error);
    if (status == STATUS_OK) {
        allocated = map_ranks(s, &places) && copy_grown_tables(s) &&
                    set_location_ranks(s, &places) && move_streams(s);
        status = processes_agree_memory(processes, allocated, "the threads", error);
    }
    free(places.items);
    return status;
}

enum status split_threads(struct trace *trace, struct error *error)
{
    struct splitting s = {.trace = trace, .d = trace->definitions};
    enum status status = make_ranks(&s, error);
    if (status == STATUS_OK)
        status = split_requests(&s, error);
    if (status == STATUS_OK)
        status = split_members(&s, error);
    if (status == STATUS_OK)
        status = split_partners(&s, error);
    if (status == STATUS_OK)
        status = split_epochs(&s, error);
    if (status == STATUS_OK)
        status =
            processes_agree_memory(trace->processes, close_definitions(&s), "definitions", error);
    splitting_clear(&s);
    return status;
}
