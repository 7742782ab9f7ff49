#include "predict/from/frames.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The name of the region that action `i` enters or leaves; NULL: it does something else. */
static const char *region_of(const struct recorded_program *program,
                             const struct rank_actions *actions, size_t i, enum action_kind kind)
{
    const struct action *action = &actions->list.items[i];
    return action->kind == kind ? program->trace->definitions->regions[action->region].name : NULL;
}

/* The region at a depth that is around all actions of a rank; NULL: none. */
static const char *frame_of(const struct recorded_program *program,
                            const struct rank_actions *actions, size_t depth)
{
    size_t count = actions->list.count;
    if (depth >= actions->opened || count < 2 * (depth + 1))
        return NULL;
    const char *enters = region_of(program, actions, depth, ACTION_ENTER);
    const char *leaves = region_of(program, actions, count - 1 - depth, ACTION_LEAVE);
    return enters && leaves && strcmp(enters, leaves) == 0 ? enters : NULL;
}

/* The region at a depth that is around all actions of all ranks; NULL: none. */
static const char *frame_at(const struct recorded_program *programs, uint32_t count, size_t depth)
{
    const char *frame = NULL;
    for (uint32_t p = 0; p < count; p++)
        for (uint32_t r = 0; r < programs[p].trace->rank_count; r++) {
            const char *own = frame_of(&programs[p], &programs[p].ranks[r], depth);
            if (!own || (frame && strcmp(own, frame) != 0))
                return NULL;
            frame = own;
        }
    return frame;
}

static void remove_frames(struct rank_actions *actions, uint32_t frames)
{
    struct action *list = actions->list.items;
    size_t count = actions->list.count - 2ul * frames;
    for (size_t i = count + frames; i < actions->list.count; i++)
        actions->rest += list[i].before;
    double *next = count > 0 ? &list[frames].before : &actions->rest;
    for (size_t i = 0; i < frames; i++)
        *next += list[i].before;
    memmove(list, list + frames, count * sizeof *list);
    actions->list.count = count;
    for (size_t i = 0; i < actions->completed.count; i++)
        actions->completed.items[i] -= frames;
}

/* The name of the program by the first event; NULL: there is none. */
static const char *program_name(const struct trace *trace)
{
    const struct stream *stream = trace_stream(trace, 0);
    if (!stream || stream->count == 0 || stream->kind[0] != EVENT_PROGRAM_BEGIN)
        return NULL;
    return trace->definitions->regions[trace->calltree.paths.items[stream->arg[0]].region].name;
}

enum status frames_take(struct recorded_program *programs, uint32_t count,
                        struct program_frames *frames, struct error *error)
{
    assert(count > 0);
    const char *region;
    uint32_t depth = 0;
    bool room = true;
    *frames = (struct program_frames){.name = program_name(programs[0].trace)};
    for (; (region = frame_at(programs, count, depth)) != NULL && room; depth++)
        room = array_push(&frames->regions, region);
    for (uint32_t p = 0; p < count && room; p++)
        for (uint32_t r = 0; r < programs[p].trace->rank_count; r++) {
            remove_frames(&programs[p].ranks[r], depth);
            programs[p].notes[FROM_NOTE_BEFORE_INIT] -= depth;
        }
    return room ? STATUS_OK : error_memory(error, "the regions of a program");
}
