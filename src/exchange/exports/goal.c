/* GOAL text: the input of LogGOPSim's txt2bin and of ATLAHS (Hoefler, Siebert, Lumsdaine: Group
 * Operation Assembly Language, ICPP 2009). doc/schedules.md has the grammar.
 *
 * The operations of a rank form a chain. What follows a blocking operation requires it; what
 * follows one that only begins requires its start (irequires); a wait requires the messages that it
 * completes. A nonblocking collective operation is a second chain from the call that begins it to
 * its wait.
 *
 * txt2bin wants each label before the dependences that name it, and no blanks before a line. */
#include "base/mpi/job_text.h"
#include "base/map.h"
#include "exchange/exports/format.h"
#include "exchange/schedules/schedule.h"

#include <inttypes.h>
#include <stdlib.h>

extern const struct export_format export_goal;

struct goal_requirement {
    uint32_t label;
    bool starts; /* on its start only */
};

struct chain {
    ARRAY(struct goal_requirement) ends; /* what the next operation depends on */
};

struct goal_writer {
    FILE *stream;
    uint32_t labels;     /* of the rank so far */
    struct chain chain;  /* where operations are added */
    struct chain main;   /* the rank's chain, while that of a nonblocking operation is written */
    struct map requests; /* request -> label */
    struct map places;   /* number of a nonblocking operation -> place in `asides` */
    ARRAY(struct chain) asides;
    uint32_t aside;
};

static bool depend(struct chain *chain, uint32_t label, bool starts)
{
    if (chain->ends.count > 0 && chain->ends.items[0].label == label) {
        chain->ends.items[0].starts &= starts;
        return true;
    }
    return array_push(&chain->ends, ((struct goal_requirement){label, starts}));
}

/* After the line of an operation. */
static bool end_operation(struct goal_writer *writer, uint32_t label, bool starts)
{
    struct chain *chain = &writer->chain;
    for (size_t i = 0; i < chain->ends.count; i++)
        fprintf(writer->stream, "l%u %s l%u\n", label,
                chain->ends.items[i].starts ? "irequires" : "requires", chain->ends.items[i].label);
    chain->ends.count = 0;
    return depend(chain, label, starts) && !ferror(writer->stream);
}

static bool write_compute(void *context, uint64_t nanoseconds)
{
    struct goal_writer *writer = context;
    fprintf(writer->stream, "l%u: calc %" PRIu64 "\n", ++writer->labels, nanoseconds);
    return end_operation(writer, writer->labels, false);
}

static bool write_message(void *context, const struct schedule_message *message, bool blocking)
{
    struct goal_writer *writer = context;
    uint32_t label = ++writer->labels;
    uint64_t bytes = message->bytes > 0 ? message->bytes : 1; /* it computes with bytes - 1 */
    fprintf(writer->stream, "l%u: %s %" PRIu64 "b %s %u tag %u\n", label,
            message->sends ? "send" : "recv", bytes, message->sends ? "to" : "from", message->peer,
            message->tag);
    return end_operation(writer, label, !blocking) &&
           (blocking || map_set(&writer->requests, message->request, label));
}

static bool write_wait(void *context, const struct schedule_message *messages, size_t count)
{
    struct goal_writer *writer = context;
    bool room = true;
    for (size_t i = 0; i < count && room; i++) {
        uint32_t label = map_take(&writer->requests, messages[i].request);
        room = label == MAP_NONE || depend(&writer->chain, label, false);
    }
    return room;
}

static bool copy_chain(struct chain *copy, const struct chain *chain)
{
    for (size_t i = 0; i < chain->ends.count; i++)
        if (!array_push(&copy->ends, chain->ends.items[i]))
            return false;
    return true;
}

static bool go_aside(void *context, uint32_t number)
{
    struct goal_writer *writer = context;
    const struct chain empty = {0};
    writer->main = writer->chain;
    writer->chain = empty;
    writer->aside = (uint32_t)writer->asides.count;
    return array_push(&writer->asides, empty) && map_set(&writer->places, number, writer->aside) &&
           copy_chain(&writer->chain, &writer->main);
}

static bool return_aside(void *context)
{
    struct goal_writer *writer = context;
    writer->asides.items[writer->aside] = writer->chain;
    writer->chain = writer->main;
    writer->main = (struct chain){0};
    return true;
}

static bool join(void *context, uint32_t number)
{
    struct goal_writer *writer = context;
    uint32_t place = map_take(&writer->places, number);
    if (place == MAP_NONE)
        return true;
    struct chain *aside = &writer->asides.items[place];
    bool room = true;
    for (size_t i = 0; i < aside->ends.count && room; i++)
        room = depend(&writer->chain, aside->ends.items[i].label, aside->ends.items[i].starts);
    free(aside->ends.items);
    *aside = (struct chain){0};
    return room;
}

static void clear_writer(struct goal_writer *writer)
{
    free(writer->chain.ends.items);
    free(writer->main.ends.items);
    for (size_t i = 0; i < writer->asides.count; i++)
        free(writer->asides.items[i].ends.items);
    free(writer->asides.items);
    map_clear(&writer->requests);
    map_clear(&writer->places);
}

static enum status write_rank(const struct schedule *schedule, const struct stream *stream,
                              FILE *file, struct schedule_losses *losses, struct error *error)
{
    struct goal_writer writer = {.stream = file};
    const struct schedule_sink sink = {
        .context = &writer,
        .compute = write_compute,
        .message = write_message,
        .wait = write_wait,
        .go_aside = go_aside,
        .return_aside = return_aside,
        .join = join,
    };
    fprintf(file, "\nrank %u {\n", stream->rank);
    bool written = schedule_walk(schedule, stream, &sink, losses);
    fprintf(file, "}\n");
    clear_writer(&writer);
    if (written || ferror(file)) /* job_text_close tells */
        return STATUS_OK;
    return error_memory(error, "the schedule");
}

static enum status write_goal(const struct trace *trace, const struct export_options *options,
                              struct error *error)
{
    struct schedule schedule;
    struct job_text *text;
    struct schedule_losses losses = {0};
    enum status status = schedule_open(trace, false, &schedule, error);
    if (status != STATUS_OK)
        return status;
    status = job_text_open(trace->processes, options->path, &text, error);
    if (status != STATUS_OK)
        goto close_schedule;
    FILE *file = job_text_stream(text);
    if (trace->processes->rank == 0)
        fprintf(file, "num_ranks %u\n", trace->rank_count);
    for (uint32_t s = 0; s < trace->owned_count && status == STATUS_OK; s++)
        status = write_rank(&schedule, &trace->streams[s], file, &losses, error);
    status = job_text_close(text, status, error);
    if (status == STATUS_OK)
        schedule_tell_losses(trace, &losses, "GOAL");
close_schedule:
    schedule_close(&schedule);
    return status;
}

const struct export_format export_goal = {
    .name = "goal",
    .description = "schedules for LogGOPSim and ATLAHS",
    .runs = true,
    .write = write_goal,
};
