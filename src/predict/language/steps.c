#include "predict/language/steps.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

const char *const clause_words[CLAUSE_COUNT] = {
#define X(identifier, word, argument) word,
    CLAUSES(X)
#undef X
};

static const char *const clause_arguments[CLAUSE_COUNT] = {
#define X(identifier, word, argument) argument,
    CLAUSES(X)
#undef X
};

/* Sets of clauses. */
enum {
    NOTHING = 0,
#define X(identifier, word, argument) identifier = 1 << CLAUSE_##identifier,
    CLAUSES(X)
#undef X
};

#define MESSAGE(word, call, needs)                                                         \
    {                                                                                      \
        word, MPI_CALL_##call, STATEMENT_MESSAGE, OPERAND_BYTES, needs, TAG | ON, false, 0 \
    }
/* Blocking and nonblocking. */
#define MESSAGES(word, call, needs) \
    MESSAGE(word, call, needs), MESSAGE("i" word, I##call, needs | AS)
#define NEIGHBOURS(word, call)                                                                     \
    {word, MPI_CALL_##call, STATEMENT_COLLECTIVE, OPERAND_BYTES, ON, NOTHING, true, 0},            \
    {                                                                                              \
        "i" word, MPI_CALL_I##call, STATEMENT_COLLECTIVE, OPERAND_BYTES, ON | AS, NOTHING, true, 0 \
    }
#define WAIT(word, call, least)                                                             \
    {                                                                                       \
        word, MPI_CALL_##call, STATEMENT_WAIT, OPERAND_NONE, NOTHING, NOTHING, false, least \
    }

/* Columns of the table of collective operations, which decide what follows their words. */
enum {
#define X(operation, number, name, flow, sent, received, buffers, counts, reduces) \
    FLOW_OF_##operation = FLOW_##flow, COUNTS_OF_##operation = SIDES_##counts,
    COLLECTIVE_OPERATIONS(X)
#undef X
};
#define HAS_ROOT(operation)    (1 << FLOW_OF_##operation & (1 << FLOW_FROM_ROOT | 1 << FLOW_TO_ROOT))
#define HAS_VECTORS(operation) ((COUNTS_OF_##operation & SIDES_BOTH) == SIDES_BOTH)
#define HAS_VECTOR(operation)  (COUNTS_OF_##operation && !HAS_VECTORS(operation))
#define OPERAND_OF(operation)                                    \
    (1 << FLOW_OF_##operation & 1 << FLOW_BARRIER ? OPERAND_NONE \
     : HAS_VECTORS(operation)                     ? OPERAND_PEER \
     : HAS_VECTOR(operation)                      ? OPERAND_OWN  \
                                                  : OPERAND_BYTES)
#define COLLECTIVE(operation, word, call, request)                  \
    {                                                               \
        word, call, STATEMENT_COLLECTIVE, OPERAND_OF(operation),    \
            (HAS_VECTOR(operation) ? COUNTS : NOTHING) | (request), \
            ON | (HAS_ROOT(operation)      ? ROOT                   \
                  : HAS_VECTORS(operation) ? RECEIVE                \
                                           : NOTHING),              \
            false, 0                                                \
    }
#define COLLECTIVES(operation, word)                             \
    COLLECTIVE(operation, #word, MPI_CALL_##operation, NOTHING), \
        COLLECTIVE(operation, "i" #word, MPI_CALL_I##operation, AS)

/* clang-format off */
static const struct step_word step_words[] = {
    MESSAGES("send", SEND, TO),
    MESSAGES("ssend", SSEND, TO),
    MESSAGES("bsend", BSEND, TO),
    MESSAGES("rsend", RSEND, TO),
    MESSAGES("recv", RECV, FROM),
    MESSAGE("sendrecv", SENDRECV, NOTHING), /* of its halves one needs TO, the other FROM */
    WAIT("wait", WAIT, 1),
    WAIT("waitall", WAITALL, 0),
    WAIT("waitany", WAITANY, 0),
#define X(operation, word, ...) COLLECTIVES(operation, word),
    COLLECTIVE_ALGORITHMS(X)
#undef X
    NEIGHBOURS("neighbor_allgather", NEIGHBOR_ALLGATHER),
    NEIGHBOURS("neighbor_alltoall", NEIGHBOR_ALLTOALL),
};
/* clang-format on */

enum { STEP_WORDS = sizeof step_words / sizeof *step_words };

const struct step_word *step_word_find(const char *word)
{
    for (int i = 0; i < STEP_WORDS; i++)
        if (strcmp(step_words[i].word, word) == 0)
            return &step_words[i];
    return NULL;
}

void step_words_add(struct script_reader *reader, struct candidates *candidates)
{
    for (int i = 0; i < STEP_WORDS; i++)
        list_push(reader, &candidates->names, step_words[i].word);
}

const char *step_word_usage(struct script_reader *reader, const struct step_word *word)
{
    if (word->call == MPI_CALL_SENDRECV)
        return "sendrecv BYTES to PEER [tag TAG], BYTES from PEER [tag TAG] [on COMMUNICATOR];";
    char text[200];
    size_t at = (size_t)snprintf(text, sizeof text, "%s", word->word);
    if (word->operand == OPERAND_BYTES)
        at += (size_t)snprintf(text + at, sizeof text - at, " BYTES");
    if (word->operand == OPERAND_OWN)
        at += (size_t)snprintf(text + at, sizeof text - at, " [BYTES]");
    if (word->operand == OPERAND_PEER)
        at += (size_t)snprintf(text + at, sizeof text - at, " BYTES_TO_PEER");
    for (int i = 0; i < CLAUSE_COUNT; i++) {
        const char *format = word->needs & 1 << i ? " %s %s" : " [%s %s]";
        if ((word->needs | word->may) & 1 << i)
            at += (size_t)snprintf(text + at, sizeof text - at, format, clause_words[i],
                                   clause_arguments[i]);
    }
    if (word->kind == STATEMENT_WAIT)
        at += (size_t)snprintf(text + at, sizeof text - at,
                               word->least > 0 ? " REQUEST, ..." : " [REQUEST, ...]");
    at += (size_t)snprintf(text + at, sizeof text - at, ";");
    return reader_strndup(reader, text, at);
}

const char *clause_usage(struct script_reader *reader, enum clause clause)
{
    assert(clause < CLAUSE_COUNT);
    char text[40];
    int length =
        snprintf(text, sizeof text, "%s %s", clause_words[clause], clause_arguments[clause]);
    return reader_strndup(reader, text, (size_t)length);
}
