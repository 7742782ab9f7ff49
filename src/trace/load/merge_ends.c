/* Joins operations that one thread of a rank has begun and another one has ended (load_private.h).
 */
#include "trace/load/merge_threads_private.h"
#include "base/sort.h"
#include "trace/load/load_private.h"

#include <stdlib.h>

/* One end of a request or of a matched probe, in the merged tables. */
struct joint {
    uint64_t id;
    uint32_t row, index;
    bool probe, ends;
};

ORDER_BY(by_end_id, struct joint, ASCENDING(probe) ?: ASCENDING(id) ?: ASCENDING(row))

static struct joint joint_of(const struct thread_merge *merge, const struct merge_source *source,
                             const struct thread_end *end, bool ends)
{
    const struct stream *m = &merge->merged;
    struct joint joint = {.id = end->id, .index = end->index, .probe = end->probe, .ends = ends};
    if (end->probe && !ends) {
        joint.index = joint.row = source->new_row[end->index];
    } else if (!end->probe && end->index & COLLECTIVE_BIT) {
        joint.index += source->collectives;
        const struct collective *c = &m->collectives[joint.index & ~COLLECTIVE_BIT];
        joint.row = ends ? c->end : c->begin;
    } else {
        joint.index += source->messages;
        const struct message *message = &m->messages[joint.index];
        joint.row = end->probe || !ends ? message->post : message->completion;
    }
    return joint;
}

/* Copies the completion of a placeholder to the request; the placeholder becomes its alias. */
static bool join_request(struct thread_merge *merge, const struct joint *begun,
                         const struct joint *ended)
{
    struct stream *m = &merge->merged;
    if ((begun->index ^ ended->index) & COLLECTIVE_BIT)
        return false;
    if (begun->index & COLLECTIVE_BIT) {
        struct collective *posted = &m->collectives[begun->index & ~COLLECTIVE_BIT];
        uint32_t stand_in = ended->index & ~COLLECTIVE_BIT, begin = posted->begin;
        *posted = m->collectives[stand_in];
        posted->begin = begin;
        merge->collective_alias[stand_in] = begun->index & ~COLLECTIVE_BIT;
        return true;
    }
    struct message *posted = &m->messages[begun->index];
    const struct message *stand_in = &m->messages[ended->index];
    if ((posted->flags ^ stand_in->flags) & MESSAGE_SEND)
        return false;
    posted->completion = stand_in->completion;
    if (!(posted->flags & MESSAGE_SEND)) {
        posted->comm = stand_in->comm;
        posted->peer = stand_in->peer;
        posted->tag = stand_in->tag;
        posted->bytes = stand_in->bytes;
        posted->partner_rank = stand_in->partner_rank;
        posted->type_size = stand_in->type_size;
    }
    merge->message_alias[ended->index] = begun->index;
    return true;
}

static bool join_ends(struct thread_merge *merge, const struct joint *begun,
                      const struct joint *ended)
{
    struct stream *m = &merge->merged;
    if (!ended->probe)
        return join_request(merge, begun, ended);
    m->arg[begun->index] = ended->index;
    m->messages[ended->index].flags |= MESSAGE_MATCHED;
    return true;
}

static enum status unjoined(const struct thread_merge *merge, const struct joint *end,
                            struct error *error)
{
    const struct stream *m = &merge->merged;
    return error_set(
        error, STATUS_INPUT,
        "%s: rank %u, event %u (%s) at %.9f s: a request completes that no thread of the rank has "
        "posted before",
        merge->trace->path, m->rank, end->row, event_kind_name((enum event_kind)m->kind[end->row]),
        trace_seconds(merge->trace,
                      (double)(m->time[end->row] - merge->trace->definitions->global_offset)));
}

/* Joins the ends with one id. Operations with the same id end in the order in which they begin.
 * Receives whose probe has no record stay as they are. */
static enum status join_sorted(struct thread_merge *merge, const struct joint *joints, size_t count,
                               struct error *error)
{
    size_t begun = 0; /* all joints before it have been joined */
    for (size_t i = 0; i < count; i++) {
        if (!joints[i].ends)
            continue;
        while (begun < i && (joints[begun].ends || joints[begun].id != joints[i].id ||
                             joints[begun].probe != joints[i].probe))
            begun++;
        bool joined = begun < i && join_ends(merge, &joints[begun], &joints[i]);
        if (joined)
            begun++;
        else if (!joints[i].probe)
            return unjoined(merge, &joints[i], error);
    }
    return STATUS_OK;
}

enum status merge_ends(struct thread_merge *merge, struct error *error)
{
    ARRAY(struct joint) joints = {0};
    bool allocated = true;
    for (uint32_t i = 0; i < merge->source_count; i++) {
        const struct merge_source *source = &merge->sources[i];
        const struct thread_ends *ends = source->stream->ends;
        for (uint32_t k = 0; ends && k < ends->begun_count && allocated; k++)
            allocated = array_push(&joints, joint_of(merge, source, &ends->begun[k], false));
        for (uint32_t k = 0; ends && k < ends->ended_count && allocated; k++)
            allocated = array_push(&joints, joint_of(merge, source, &ends->ended[k], true));
    }
    if (joints.count > 0)
        qsort(joints.items, joints.count, sizeof *joints.items, by_end_id);
    enum status status = allocated ? join_sorted(merge, joints.items, joints.count, error)
                                   : error_memory(error, "the threads of a rank");
    free(joints.items);
    return status;
}

enum status merge_check_alone(const struct trace *trace, const struct stream *s,
                              struct error *error)
{
    assert(s->rank != INDEX_NONE);
    for (uint32_t i = 0; s->ends && i < s->ends->ended_count; i++) {
        const struct thread_end *end = &s->ends->ended[i];
        if (end->probe)
            continue;
        uint32_t row = end->index & COLLECTIVE_BIT
                           ? s->collectives[end->index & ~COLLECTIVE_BIT].end
                           : s->messages[end->index].completion;
        struct thread_merge alone = {.trace = (struct trace *)trace, .merged = *s};
        return unjoined(&alone, &(struct joint){.row = row}, error);
    }
    return STATUS_OK;
}
