/* The table of steps: which word becomes which MPI call, and what may stand after the word. */
#ifndef PREDICTION_LANGUAGE_STEPS_H
#define PREDICTION_LANGUAGE_STEPS_H

#include "predict/language/reader.h"

/* X(identifier, word, what follows it in messages) */
#define CLAUSES(X)                 \
    X(TO, "to", "PEER")            \
    X(FROM, "from", "PEER")        \
    X(ROOT, "root", "RANK")        \
    X(COUNTS, "counts", "BYTES")   \
    X(RECEIVE, "receive", "BYTES") \
    X(TAG, "tag", "TAG")           \
    X(ON, "on", "COMMUNICATOR")    \
    X(AS, "as", "REQUEST")

enum clause {
#define X(identifier, word, argument) CLAUSE_##identifier,
    CLAUSES(X)
#undef X
        CLAUSE_COUNT
};

extern const char *const clause_words[CLAUSE_COUNT];

enum step_operand {
    OPERAND_NONE,
    OPERAND_BYTES, /* of a block */
    OPERAND_OWN,   /* the same; may be left out, as the counts say it */
    OPERAND_PEER,  /* bytes to each member, may use `peer` */
};

struct step_word {
    const char *word;
    enum mpi_call call;
    enum statement_kind kind; /* STATEMENT_MESSAGE, _COLLECTIVE, _WAIT */
    enum step_operand operand;
    uint8_t needs, may; /* bits 1 << enum clause */
    bool on_grid;       /* its communicator is a grid */
    uint8_t least;      /* of a WAIT: number of requests that must be named */
};

/* NULL if the word is not that of a step. */
const struct step_word *step_word_find(const char *word);
/* All words of steps, for messages. */
void step_words_add(struct script_reader *reader, struct candidates *candidates);

/* How a step is written: "send BYTES to PEER [tag TAG] [on COMMUNICATOR];". */
const char *step_word_usage(struct script_reader *reader, const struct step_word *word);
/* "to PEER" */
const char *clause_usage(struct script_reader *reader, enum clause clause);

#endif
