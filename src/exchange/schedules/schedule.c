#include "exchange/schedules/schedule.h"

#include "base/log.h"
#include "trace/calls/collective_operations.h"
#include "trace/calls/semantics.h"
#include "trace/calls/walk.h"

#include <assert.h>
#include <stdlib.h>

#define HIGHEST_TAG INT32_MAX /* some readers keep tags in an int */

static void choose_tags(struct schedule *schedule, bool unique)
{
    const struct trace *trace = schedule->trace;
    int64_t largest = 0;
    for (uint32_t s = 0; s < trace->owned_count; s++)
        for (uint32_t m = 0; m < trace->streams[s].message_count; m++)
            if (message_takes_part(&trace->streams[s].messages[m]) &&
                trace->streams[s].messages[m].tag > largest)
                largest = trace->streams[s].messages[m].tag;
    processes_max(trace->processes, &largest, 1);
    int64_t used = (largest + 1) * trace->definitions->comm_count;
    schedule->unique_tags = unique || used > HIGHEST_TAG / 2;
    schedule->tags = (uint32_t)(largest + 1);
    schedule->collective_tag = schedule->unique_tags ? HIGHEST_TAG / 2 : (uint32_t)used;
}

static uint32_t members_of(const struct schedule *schedule, const struct stream *stream,
                           const struct collective *collective)
{
    return comm_size(schedule->trace->definitions, collective->comm, stream->rank, true);
}

static bool lacks(const struct definitions *definitions, uint32_t group, uint32_t members)
{
    return group == INDEX_NONE || definitions->groups[group].count != members;
}

/* Whether the member ought to know counts that the archive does not have. */
static bool lacks_counts(const struct definitions *definitions, const struct collective *collective,
                         uint32_t members, uint32_t me)
{
    const struct collective_operation *operation = &collective_operations[collective->op];
    bool asked = !collective_op_is_rooted((enum collective_op)collective->op) ||
                 collective->root == me || collective->root == ROOT_SELF;
    return asked &&
           ((operation->send_counts && lacks(definitions, collective->send_counts, members)) ||
            (operation->receive_counts && lacks(definitions, collective->receive_counts, members)));
}

/* What the members of the processes' own ranks know of each operation. */
static void look_at_collectives(struct schedule *schedule)
{
    const struct definitions *definitions = schedule->trace->definitions;
    for (uint32_t s = 0; s < schedule->trace->owned_count; s++) {
        const struct stream *stream = &schedule->trace->streams[s];
        for (uint32_t c = 0; c < stream->collective_count; c++) {
            const struct collective *collective = &stream->collectives[c];
            if (!collective_takes_part(definitions, collective) ||
                collective->flags & COLLECTIVE_NEIGHBOUR)
                continue;
            uint32_t members = members_of(schedule, stream, collective);
            uint32_t me = comm_rank_of(definitions, collective->comm, stream->rank);
            uint32_t i = schedule_instance(schedule, collective);
            int64_t block = collective_block(collective, members, me);
            schedule->blocks[i] = block > schedule->blocks[i] ? block : schedule->blocks[i];
            if (lacks_counts(definitions, collective, members, me))
                schedule->totals[i] = 1;
        }
    }
}

static void add_totals(struct schedule *schedule)
{
    const struct trace *trace = schedule->trace;
    for (uint32_t s = 0; s < trace->owned_count; s++)
        for (uint32_t c = 0; c < trace->streams[s].collective_count; c++) {
            const struct collective *collective = &trace->streams[s].collectives[c];
            if (!collective_takes_part(trace->definitions, collective))
                continue;
            int64_t *total = &schedule->totals[schedule_instance(schedule, collective)];
            if (*total >= 0)
                *total += (int64_t)collective->sent;
        }
}

/* Collective. Finds the blocks and totals, which all members of an operation need. */
static enum status agree_on_collectives(struct schedule *schedule, struct error *error)
{
    const struct processes *processes = schedule->trace->processes;
    size_t comms = schedule->trace->definitions->comm_count;
    schedule->first_instance = malloc((comms + 1) * sizeof *schedule->first_instance);
    enum status status =
        processes_agree_memory(processes, schedule->first_instance, "collective operations", error);
    if (status != STATUS_OK)
        return status;
    collective_number_instances(schedule->trace, schedule->first_instance);
    size_t instances = (size_t)schedule->first_instance[comms];
    schedule->blocks = calloc(instances + 1, sizeof *schedule->blocks);
    schedule->totals = calloc(instances + 1, sizeof *schedule->totals);
    status = processes_agree_memory(processes, schedule->blocks && schedule->totals,
                                    "collective operations", error);
    if (status != STATUS_OK)
        return status;
    look_at_collectives(schedule);
    int64_t lacking = 0;
    processes_max(processes, schedule->blocks, instances);
    processes_max(processes, schedule->totals, instances);
    for (size_t i = 0; i < instances; i++) {
        lacking += schedule->totals[i] > 0;
        schedule->totals[i] = schedule->totals[i] > 0 ? 0 : -1;
    }
    if (lacking == 0) {
        free(schedule->totals);
        schedule->totals = NULL;
        return STATUS_OK;
    }
    add_totals(schedule);
    for (size_t i = 0; i < instances; i++) /* the others' -1 must not add up */
        schedule->totals[i] = schedule->totals[i] < 0 ? 0 : schedule->totals[i] + 1;
    processes_sum(processes, schedule->totals, instances);
    for (size_t i = 0; i < instances; i++)
        schedule->totals[i] -= schedule->totals[i] > 0 ? processes->size : 1;
    return STATUS_OK;
}

static int64_t find_last_finalize(const struct trace *trace)
{
    int64_t last = INT64_MIN;
    for (uint32_t s = 0; s < trace->owned_count; s++) {
        uint32_t row = stream_finalize_row(trace, &trace->streams[s]);
        if (row == INDEX_NONE)
            continue;
        int64_t time = (int64_t)(trace->streams[s].time[row] - trace->begin);
        last = time > last ? time : last;
    }
    processes_max(trace->processes, &last, 1);
    return last;
}

enum status schedule_open(const struct trace *trace, bool unique_tags, struct schedule *schedule,
                          struct error *error)
{
    assert(trace->matched);
    *schedule = (struct schedule){.trace = trace};
    choose_tags(schedule, unique_tags);
    schedule->last_finalize = find_last_finalize(trace);
    enum status status = agree_on_collectives(schedule, error);
    if (status != STATUS_OK)
        schedule_close(schedule);
    return status;
}

void schedule_close(struct schedule *schedule)
{
    free(schedule->first_instance);
    free(schedule->blocks);
    free(schedule->totals);
    *schedule = (struct schedule){0};
}

void schedule_tell_losses(const struct trace *trace, struct schedule_losses *losses,
                          const char *format)
{
    int64_t sums[] = {losses->one_sided, losses->estimated, losses->synchronous,
                      losses->unfinished};
    processes_sum(trace->processes, sums, sizeof sums / sizeof sums[0]);
    *losses = (struct schedule_losses){sums[0], sums[1], sums[2], sums[3]};
    if (losses->one_sided > 0)
        log_warning("%s has no one-sided communication: %lld operations and synchronisations are "
                    "left out",
                    format, (long long)losses->one_sided);
    if (losses->estimated > 0)
        log_warning("the archive lacks the counts of %lld calls of collective operations: all "
                    "their messages are equally large",
                    (long long)losses->estimated);
    if (losses->synchronous > 0)
        log_warning("%s has one kind of send: %lld synchronous, buffered or ready sends are "
                    "written as such",
                    format, (long long)losses->synchronous);
    if (losses->unfinished > 0)
        log_warning("%lld requests are never waited for", (long long)losses->unfinished);
}
