/* A script as it is written: a tree of declarations, statements and expressions with the names in
 * them not looked up yet. The grammar (grammar.y) builds it. */
#ifndef PREDICTION_LANGUAGE_SYNTAX_H
#define PREDICTION_LANGUAGE_SYNTAX_H

#include "predict/language/reader.h"
#include "predict/language/steps.h"

enum syntax_kind {
    /* Expressions. `text` is the name; children are operands. */
    SYNTAX_NUMBER,   /* `number` */
    SYNTAX_NAME,     /* of a value; of a communicator where one is expected */
    SYNTAX_TEXT,     /* in double quotes */
    SYNTAX_OPERATOR, /* `operation` */
    SYNTAX_RANK,     /* child, if any: NAME */
    SYNTAX_SIZE,
    SYNTAX_PEER,
    SYNTAX_ITEM,   /* of a table: index */
    SYNTAX_CALL,   /* arguments; a function, procedure or (as a statement) part */
    SYNTAX_VECTOR, /* AMOUNT ... */
    SYNTAX_AMOUNT, /* operation class: how many */
    SYNTAX_MEASURED,
    SYNTAX_SAMPLED, /* NAME of the trace, TEXT, rank */
    SYNTAX_LIST,    /* values, or several of anything */

    /* Statements. */
    SYNTAX_BLOCK,    /* statements */
    SYNTAX_VARIABLE, /* let: value */
    SYNTAX_ASSIGN,   /* value */
    SYNTAX_LOOP,     /* body, from, to [, step] */
    SYNTAX_REPEAT,   /* body, count */
    SYNTAX_IF,       /* condition, then [, else] */
    SYNTAX_CASE,     /* BRANCH ... */
    SYNTAX_BRANCH,   /* chance, statement */
    SYNTAX_COMPUTE,  /* seconds */
    SYNTAX_CPU,      /* seconds */
    SYNTAX_REGION,   /* body */
    SYNTAX_STEP,     /* `word`; OPERAND or CLAUSE ...; of sendrecv the second half after COMMA */
    SYNTAX_OPERAND,  /* bytes; NAME of a request */
    SYNTAX_CLAUSE,   /* `operation`: enum clause; value, or `text`: name */
    SYNTAX_COMMA,
    SYNTAX_CREATE,
    SYNTAX_FREE,
    SYNTAX_WRITE, /* bytes; `text`: file or NULL */
    SYNTAX_READ,

    /* Declarations. `text`: name. */
    SYNTAX_PROGRAM,
    SYNTAX_PARAM,              /* value */
    SYNTAX_LET,                /* value */
    SYNTAX_STARTUP,            /* seconds */
    SYNTAX_SHUTDOWN,           /* seconds */
    SYNTAX_TABLE,              /* values */
    SYNTAX_TRACE,              /* TEXT */
    SYNTAX_DECLARED_OPERATION, /* seconds, or nothing */
    SYNTAX_COMMUNICATOR,       /* CALL */
    SYNTAX_GRID,               /* CALL */
    SYNTAX_PROCEDURE,          /* LIST of NAME, BLOCK */
    SYNTAX_PART,
};

enum { DEEPEST_NESTING = 1000 };

struct syntax {
    uint8_t kind;      /* enum syntax_kind */
    uint8_t operation; /* enum expression_kind, enum clause */
    uint16_t depth;    /* levels below */
    uint32_t count;    /* of children */
    struct script_position place;
    const char *text;
    double number;
    const struct step_word *word;
    struct syntax *first, *last, *next; /* children; the next one of the same parent */
};

struct syntax *syntax_create(struct script_reader *reader, enum syntax_kind kind,
                             struct script_position place, const char *text);
struct syntax *syntax_number(struct script_reader *reader, struct script_position place,
                             double number);
/* Appends a child and returns the parent. Refuses trees that are deeper than DEEPEST_NESTING. */
struct syntax *syntax_add(struct script_reader *reader, struct syntax *parent,
                          struct syntax *child);
/* Operators with their operands; `b` and `c` may be NULL. */
struct syntax *syntax_operator(struct script_reader *reader, enum expression_kind operation,
                               struct script_position place, struct syntax *a, struct syntax *b,
                               struct syntax *c);

/* Child `i` < parent->count. */
const struct syntax *syntax_child(const struct syntax *parent, uint32_t i);

#endif
