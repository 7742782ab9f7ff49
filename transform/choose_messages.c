/* The owner of the sender knows everything except the receiver's call path. It sends its candidates
 * to the receiver's owner, which decides and sends the decision back. */
#include "transform/choose.h"

#include "base/names.h"
#include "trace/exchange.h"
#include "transform/repeated_messages.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sent by the owner of a candidate's send to the owner of its receive. */
struct message_candidate {
    uint32_t sender, sent; /* rank, and index in its messages */
    uint32_t post;         /* row of the sender's event, for messages */
    bool here;             /* the sender's call path matches, or the section has no call path */
};

struct message_chooser {
    const struct conditions *conditions;
    const struct trace *trace;
    struct callpath_marks marks;
    struct choice *choice;
    bool *comms;        /* [comm]: chosen */
    bool **repeated;    /* [owned stream][message]; NULL: not a condition */
    bool **matches;     /* [owned stream][message]: the call path that posts it matches */
    enum status status; /* of the decisions */
    struct error *error;
};

/* Marks the communicators with the name or index `item`. */
static bool choose_comm(const struct trace *trace, const char *item, bool *chosen)
{
    const struct definitions *definitions = trace->definitions;
    char *end;
    errno = 0;
    unsigned long index = strtoul(item, &end, 10);
    bool any = false;
    if (end != item && *end == '\0' && errno == 0 && index < definitions->comm_count)
        return chosen[index] = true;
    for (uint32_t c = 0; c < definitions->comm_count; c++)
        if (name_matches(item, comm_name(definitions, c)))
            any = chosen[c] = true;
    return any;
}

static enum status unknown_comm(const struct message_chooser *chooser, const char *item,
                                struct error *error)
{
    const struct definitions *definitions = chooser->trace->definitions;
    const char **names = malloc((definitions->comm_count + 1) * sizeof *names);
    if (!names)
        return error_memory(error, "the choice of communicators");
    size_t count = 0;
    char nearest[600];
    for (uint32_t c = 0; c < definitions->comm_count; c++)
        if (definitions->comms[c].name && *definitions->comms[c].name)
            names[count++] = definitions->comms[c].name;
    names_nearest(item, names, count, nearest, sizeof nearest);
    free(names);
    if (definitions->comm_count == 0)
        return section_error(error, chooser->conditions->section, "communicator",
                             "the trace has no communicators");
    return section_error(error, chooser->conditions->section, "communicator",
                         "no communicator \"%s\": expected an index from 0 to %u or a name%s%s",
                         item, definitions->comm_count - 1, *nearest ? "; the nearest are " : "",
                         nearest);
}

static enum status choose_comms(struct message_chooser *chooser, struct error *error)
{
    const char *list = chooser->conditions->communicator;
    if (!list || choose_comm(chooser->trace, list, chooser->comms))
        return STATUS_OK;
    bool out_of_memory = false;
    enum status status = STATUS_OK;
    char *item;
    while (status == STATUS_OK && (item = names_next(&list, &out_of_memory))) {
        if (!choose_comm(chooser->trace, item, chooser->comms))
            status = unknown_comm(chooser, item, error);
        free(item);
    }
    return out_of_memory ? error_memory(error, "the choice of communicators") : status;
}

/* Notes for every message whether the call path that posts it matches. */
static void match_places(const struct message_chooser *chooser, const struct stream *stream,
                         bool *matches)
{
    bool anywhere = !callpath_marks_wanted(chooser->conditions->section);
    uint32_t path = CALLPATH_NONE;
    for (uint32_t row = 0; row < stream->count; row++) {
        switch (stream->kind[row]) {
        case EVENT_SEND:
        case EVENT_RECV:
        case EVENT_ISEND:
        case EVENT_IRECV_REQUEST:
            matches[stream->arg[row]] =
                anywhere || marks_of(&chooser->marks, path) & CALLPATH_INSIDE;
            break;
        default:
            path = callpath_after(&chooser->trace->calltree, stream, row, path);
        }
    }
}

/* Checks all conditions except the call paths. */
static bool message_is_wanted(const struct message_chooser *chooser, uint32_t sender,
                              const struct message *message)
{
    const struct conditions *c = chooser->conditions;
    return ranges_contain(&c->size, message->bytes) && ranges_contain(&c->tag, message->tag) &&
           ranges_contain(&c->sender, sender) &&
           ranges_contain(&c->receiver, message->partner_rank) &&
           (!c->communicator || chooser->comms[message->comm]);
}

static bool write_candidate(void *data, uint32_t s, uint32_t m, void *value)
{
    struct message_chooser *chooser = data;
    const struct stream *stream = &chooser->trace->streams[s];
    const struct message *message = &stream->messages[m];
    if (!(message->flags & MESSAGE_SEND))
        return false;
    chooser->choice->total++;
    *(struct message_candidate *)value = (struct message_candidate){
        .sender = stream->rank, .sent = m, .post = message->post, .here = chooser->matches[s][m]};
    return message_is_wanted(chooser, stream->rank, message) &&
           (!chooser->repeated || chooser->repeated[s][m]);
}

static enum status dangling(const struct message_chooser *chooser,
                            const struct message_candidate *candidate, const struct stream *stream,
                            uint32_t m)
{
    char other[700] = "an unknown event";
    if (m < stream->message_count)
        trace_describe_event(chooser->trace, stream, stream->messages[m].post, other, sizeof other);
    return section_error(
        chooser->error, chooser->conditions->section, NULL,
        "the cut would leave a dangling end: the send at rank %u, event %u is removed, "
        "but %s is not the receive it is matched with",
        candidate->sender, candidate->post, other);
}

/* On the owner of the receive: marks the message if it is chosen. */
static void decide_message(void *data, uint32_t s, uint32_t m, const void *value)
{
    struct message_chooser *chooser = data;
    const struct message_candidate *candidate = value;
    const struct stream *stream = &chooser->trace->streams[s];
    const struct message *message = m < stream->message_count ? &stream->messages[m] : NULL;
    if (chooser->status != STATUS_OK || (!candidate->here && message && !chooser->matches[s][m]))
        return;
    if (!message || message->flags & MESSAGE_SEND || !message_is_kept(message) ||
        message->partner != candidate->sent || message->partner_rank != candidate->sender) {
        chooser->status = dangling(chooser, candidate, stream, m);
        return;
    }
    chooser->choice->chosen[s][m] = true;
    chooser->choice->count++;
}

static bool write_decision(void *data, uint32_t s, uint32_t m, void *value)
{
    const struct message_chooser *chooser = data;
    *(bool *)value = chooser->choice->chosen[s][m];
    return *(bool *)value && !(chooser->trace->streams[s].messages[m].flags & MESSAGE_SEND);
}

static void store_decision(void *data, uint32_t s, uint32_t m, const void *value)
{
    ((const struct message_chooser *)data)->choice->chosen[s][m] = *(const bool *)value;
}

static enum status choose_both_ends(struct message_chooser *chooser, struct error *error)
{
    static const struct partner_exchange candidates = {.purpose = "the exchange of messages to cut",
                                                       .size = sizeof(struct message_candidate),
                                                       .send = write_candidate,
                                                       .receive = decide_message},
                                         decisions = {.purpose = "the exchange of messages to cut",
                                                      .size = sizeof(bool),
                                                      .send = write_decision,
                                                      .receive = store_decision};
    const struct trace *trace = chooser->trace;
    chooser->error = error;
    enum status status = partners_exchange(trace, true, &candidates, chooser, error);
    if (status == STATUS_OK)
        status = processes_agree(trace->processes, chooser->status, error);
    if (status == STATUS_OK)
        status = partners_exchange(trace, true, &decisions, chooser, error);
    return status;
}

static enum status find_repeated(struct message_chooser *chooser, struct error *error)
{
    const struct trace *trace = chooser->trace;
    chooser->repeated = choice_flags(chooser->choice, trace, true);
    bool allocated = chooser->repeated != NULL;
    for (uint32_t s = 0; s < trace->owned_count && allocated; s++)
        allocated = repeated_messages_mark(trace, &trace->streams[s], chooser->repeated[s]);
    return allocated ? STATUS_OK : error_memory(error, "the choice of messages");
}

/* The steps without communication. */
static enum status prepare_messages(struct message_chooser *chooser, struct error *error)
{
    const struct trace *trace = chooser->trace;
    const struct conditions *c = chooser->conditions;
    struct choice *choice = chooser->choice;
    choice->chosen = choice_flags(choice, trace, true);
    chooser->matches = choice_flags(choice, trace, true);
    if (choice->arena)
        chooser->comms = arena_alloc(choice->arena, trace->definitions->comm_count);
    if (!choice->chosen || !chooser->matches || !chooser->comms)
        return error_memory(error, "the choice of messages");
    enum status status = callpath_marks_create(c->section, trace, &chooser->marks, error);
    if (status == STATUS_OK)
        status = choose_comms(chooser, error);
    if (status == STATUS_OK)
        status = conditions_check_ranks(c->section, "sender", &c->sender, trace, error);
    if (status == STATUS_OK)
        status = conditions_check_ranks(c->section, "receiver", &c->receiver, trace, error);
    for (uint32_t s = 0; s < trace->owned_count && status == STATUS_OK; s++)
        match_places(chooser, &trace->streams[s], chooser->matches[s]);
    if (status == STATUS_OK && c->repeated)
        status = find_repeated(chooser, error);
    return status;
}

enum status messages_choose(const struct conditions *conditions, const struct trace *trace,
                            struct choice *choice, struct error *error)
{
    struct message_chooser chooser = {.conditions = conditions, .trace = trace, .choice = choice};
    assert(trace->matched);
    *choice = (struct choice){0};
    enum status status = prepare_messages(&chooser, error);
    status = processes_agree(trace->processes, status, error);
    if (status == STATUS_OK)
        status = choose_both_ends(&chooser, error);
    callpath_marks_clear(&chooser.marks);
    return choice_finish(choice, conditions, trace, "messages", status, error);
}
