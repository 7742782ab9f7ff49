/* From syntax to a script: names are looked up, constants computed. The resolver is the state of
 * that; names.c, expressions.c, statements.c, declarations.c and calls.c are its steps.
 *
 * Declarations share one set of names; each name is declared once. Variables of parts and
 * procedures hide params and lets of the same name until the end of their block; no other name is
 * affected, because a communicator, a table or a procedure is named where no value could stand.
 * Requests and regions have separate sets. */
#ifndef PREDICTION_LANGUAGE_RESOLVER_H
#define PREDICTION_LANGUAGE_RESOLVER_H

#include "base/name_set.h"
#include "predict/language/syntax.h"

enum symbol_kind {
    SYMBOL_GLOBAL,
    SYMBOL_TABLE,
    SYMBOL_COMM,
    SYMBOL_TRACE,
    SYMBOL_OPERATION,
    SYMBOL_PROCEDURE,
    SYMBOL_PART,
    SYMBOL_KINDS,
};

struct script_symbol {
    enum symbol_kind kind;
    const char *name;
    uint32_t index; /* among those of its kind */
    uint32_t order; /* among all declarations */
    struct script_position place;
};

struct local {
    const char *name;
    uint32_t slot;
    struct script_position place;
    bool is_loop; /* the variable of a loop: not assigned to */
};

/* Where an expression stands decides what may be used in it. */
enum usage {
    USAGE_EARLY,       /* names that need no communicators and no measured regions: params,
                          lets of such, tables; rank and size of the world */
    USAGE_DECLARATION, /* all declared earlier, but no procedures */
    USAGE_TIME,        /* all but variables */
    USAGE_BODY,        /* all */
};

struct call_edge {     /* a procedure or part that uses another */
    uint32_t from, to; /* numbers of parts follow those of the procedures */
    struct script_position place;
    bool sure; /* whenever the first runs, it uses the second */
};

struct request_use {
    struct script_position place; /* of the first that waits for it, or posts it */
    bool posted;
};

struct resolver {
    struct script_reader *reader;
    struct model_script *script;
    /* Numbers of names. Their memory is not the arena's: the caller clears them. */
    struct name_set declared, regions, requests;
    LIST(struct script_symbol) symbols;    /* by number in `declared` */
    LIST(struct request_use) request_uses; /* by number in `requests` */
    LIST(struct script_measurement) measurements;
    LIST(struct call_edge) edges;
    bool *uses_chance; /* of each procedure: random(), sampled(), in_turn() or case */

    /* Where we are. */
    enum usage usage;
    bool peer;          /* `peer` may be used */
    uint32_t peer_comm; /* INDEX_NONE, or `peer` is the own rank in this communicator */
    uint32_t order;     /* declarations from this one on may not be used; UINT32_MAX: all may */
    uint32_t body;      /* number of the procedure or part as in edges, UINT32_MAX: none */
    bool in_part;
    uint32_t conditions; /* around this place; 0: it is always reached */
    LIST(struct local) locals;
    uint32_t slots; /* of the body so far */
};

/* Ends the reading with an error at the place of a syntax node or expression. */
#define REFUSE(resolver, node, ...) reader_refuse((resolver)->reader, (node)->place, __VA_ARGS__)

/* Whether the language has a function of this name. */
bool names_function(const char *name);

/* Notes a declaration. Refuses a name that is taken. `node->text` is the name. */
void names_declare(struct resolver *resolver, const struct syntax *node, enum symbol_kind kind,
                   uint32_t index, uint32_t order);

/* The symbol of this name and kind. Refuses others, with the nearest name of that kind. */
const struct script_symbol *names_expect(struct resolver *resolver, const struct syntax *node,
                                         enum symbol_kind kind);
/* The symbol of any kind; NULL: there is none. */
const struct script_symbol *names_find(struct resolver *resolver, const char *name);
/* As the others of that kind, for messages. */
void names_add(struct resolver *resolver, enum symbol_kind kind, struct candidates *candidates);
/* "a table" */
const char *names_kind(enum symbol_kind kind);

/* A new variable; returns its slot. Refuses a name that a variable in force has. */
uint32_t locals_add(struct resolver *resolver, const struct syntax *node, bool is_loop);
const struct local *locals_find(const struct resolver *resolver, const char *name); /* or NULL */

/* Notes that the body being read uses procedure or part `to` (numbered as in edges). */
void names_edge(struct resolver *resolver, uint32_t to, struct script_position place);

/* Numbers of names that need no declaration. */
uint32_t names_region(struct resolver *resolver, const char *name);
uint32_t names_request(struct resolver *resolver, const struct syntax *node, bool posted);

/* Refuses what may not be used where the resolver is. */
const struct expression *expression_resolve(struct resolver *resolver, const struct syntax *node);

/* The class of operations with this name; OPERATION_COUNT: the language has none. */
enum operation expressions_operation(const char *name);

/* The children of a node from number `first` on. */
const struct expression *const *expressions_resolve(struct resolver *resolver,
                                                    const struct syntax *node, uint32_t first);

/* Refuses a call that has not this many arguments. `usage` may be "". */
void expressions_require(struct resolver *resolver, const struct syntax *node, uint32_t count,
                         const char *usage);

/* The communicator that a name stands for. */
uint32_t communicator_resolve(struct resolver *resolver, const struct syntax *node);
/* The same for a grid, which others are refused. */
uint32_t grid_resolve(struct resolver *resolver, const struct syntax *node);
/* Number of dimensions of a grid. */
uint32_t grid_dimensions(const struct model_script *script, uint32_t comm);

/* What the value of an expression depends on, as a sum of these. For expressions of
 * USAGE_DECLARATION, whose measurements are in `script` already. */
enum expression_dependence {
    DEPENDS_ON_RANK = 1, /* it may differ between ranks */
    DEPENDS_LATE = 2,    /* on communicators or measured regions: not for USAGE_EARLY */
};
unsigned expression_dependences(const struct model_script *script,
                                const struct expression *expression);

/* The statements of a body: a statement, or a block, whose variables end with it. Blocks within
 * blocks become part of the outer one. */
struct statement_block block_resolve(struct resolver *resolver, const struct syntax *node);

/* Fills `resolver->script` from a parsed script. `resolver->reader` and `->script` are set, all
 * else is zero. */
void declarations_resolve(struct resolver *resolver, const struct syntax *tree);

/* Refuses procedures and parts that would call themselves without end, because no condition, loop
 * or case is between. */
void calls_refuse_endless(struct resolver *resolver);

/* Sets `constant` of the procedures. */
void calls_find_constant(struct resolver *resolver);

#endif
