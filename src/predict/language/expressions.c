#include "predict/language/resolver.h"

#include "predict/arithmetic.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static struct expression *create(struct resolver *resolver, enum expression_kind kind,
                                 const struct syntax *node)
{
    struct expression *expression = reader_alloc(resolver->reader, 1, sizeof *expression);
    expression->kind = (uint8_t)kind;
    expression->place = node->place;
    return expression;
}

static struct expression *number(struct resolver *resolver, const struct syntax *node, double value)
{
    struct expression *expression = create(resolver, EXPRESSION_NUMBER, node);
    expression->number = value;
    return expression;
}

const struct expression *const *expressions_resolve(struct resolver *resolver,
                                                    const struct syntax *node, uint32_t first)
{
    const struct expression **all =
        reader_alloc(resolver->reader, node->count + 1, sizeof(struct expression *));
    uint32_t i = 0;
    for (const struct syntax *child = node->first; child; child = child->next, i++)
        if (i >= first)
            all[i - first] = expression_resolve(resolver, child);
    return all;
}

/* The value if all operands are numbers. Infinities and NaN are left to the evaluation, which names
 * the place if it gets there. */
static bool compute_constant(const struct expression *expression, double *value)
{
    double numbers[3] = {0};
    for (uint32_t i = 0; i < expression->count; i++) {
        if (expression->arguments[i]->kind != EXPRESSION_NUMBER)
            return false;
        numbers[i] = expression->arguments[i]->number;
    }
    if (expression->kind == EXPRESSION_FUNCTION)
        *value = arithmetic_function((enum script_function)expression->index, numbers);
    else if (expression->kind == EXPRESSION_AND)
        *value = numbers[0] != 0 && numbers[1] != 0;
    else if (expression->kind == EXPRESSION_OR)
        *value = numbers[0] != 0 || numbers[1] != 0;
    else
        *value =
            arithmetic_operator((enum expression_kind)expression->kind, numbers[0], numbers[1]);
    return isfinite(*value);
}

static const struct expression *fold(struct expression *expression)
{
    const struct expression *first = expression->arguments[0];
    if (expression->kind == EXPRESSION_CHOICE)
        return first->kind != EXPRESSION_NUMBER ? expression
               : first->number != 0             ? expression->arguments[1]
                                                : expression->arguments[2];
    double value;
    if (compute_constant(expression, &value)) {
        expression->kind = EXPRESSION_NUMBER;
        expression->number = value;
        expression->index = expression->count = 0;
        expression->arguments = NULL;
    }
    return expression;
}

static bool comm_is_grid(const struct model_script *script, uint32_t comm)
{
    while (script->comms[comm].kind == COMM_DUP)
        comm = script->comms[comm].parent;
    return script->comms[comm].kind == COMM_GRID || script->comms[comm].kind == COMM_SUB;
}

uint32_t grid_dimensions(const struct model_script *script, uint32_t comm)
{
    assert(comm < script->comm_count);
    while (script->comms[comm].kind == COMM_DUP)
        comm = script->comms[comm].parent;
    const struct comm_declaration *grid = &script->comms[comm];
    uint32_t kept = 0;
    for (uint32_t i = 0; grid->kind == COMM_SUB && i < grid->count; i++)
        kept += grid->flags[i]->number != 0;
    return grid->kind == COMM_SUB ? kept : grid->count;
}

uint32_t communicator_resolve(struct resolver *resolver, const struct syntax *node)
{
    return names_expect(resolver, node, SYMBOL_COMM)->index;
}

uint32_t grid_resolve(struct resolver *resolver, const struct syntax *node)
{
    uint32_t comm = communicator_resolve(resolver, node);
    if (!comm_is_grid(resolver->script, comm))
        REFUSE(resolver, node, "communicator \"%s\" is not a grid: grids are made by cart and sub",
               node->text);
    return comm;
}

/* A name that is declared, but not as a value. */
_Noreturn static void refuse_kind(struct resolver *resolver, const struct syntax *node,
                                  enum symbol_kind kind)
{
    const char *name = node->text;
    switch (kind) {
    case SYMBOL_TABLE:
        REFUSE(resolver, node, "\"%s\" is a table: write %s[INDEX]", name, name);
    case SYMBOL_COMM:
        REFUSE(resolver, node, "\"%s\" is a communicator: write rank(%s) or size(%s)", name, name,
               name);
    case SYMBOL_OPERATION:
        REFUSE(resolver, node, "\"%s\" is an operation: { %s: COUNT } is its time", name, name);
    case SYMBOL_TRACE:
        REFUSE(resolver, node, "\"%s\" is a trace: write measured(%s, \"REGION\", RANK)", name,
               name);
    case SYMBOL_PROCEDURE:
        REFUSE(resolver, node, "\"%s\" is a procedure: %s(...) is its time", name, name);
    default:
        REFUSE(resolver, node, "\"%s\" is a part and has no value", name);
    }
}

static const struct expression *resolve_global(struct resolver *resolver, const struct syntax *node)
{
    struct expression *expression = create(resolver, EXPRESSION_GLOBAL, node);
    expression->index = names_expect(resolver, node, SYMBOL_GLOBAL)->index;
    if (resolver->usage == USAGE_EARLY && resolver->script->globals[expression->index].late)
        REFUSE(resolver, node,
               "\"%s\" depends on communicators or measured times; here only params, rank, "
               "size and lets of these can be used",
               node->text);
    return expression;
}

static const struct expression *resolve_name(struct resolver *resolver, const struct syntax *node)
{
    const struct local *local = locals_find(resolver, node->text);
    if (local && resolver->usage == USAGE_BODY) {
        struct expression *expression = create(resolver, EXPRESSION_LOCAL, node);
        expression->index = local->slot;
        return expression;
    }
    const struct script_symbol *symbol = names_find(resolver, node->text);
    if (symbol && symbol->kind == SYMBOL_GLOBAL)
        return resolve_global(resolver, node);
    if (symbol)
        refuse_kind(resolver, node, symbol->kind);
    if (local)
        REFUSE(resolver, node,
               "\"%s\" is a variable; here only params, lets, tables, rank and size can be used",
               node->text);
    struct candidates candidates = {0};
    for (uint32_t i = 0; i < resolver->locals.count; i++)
        list_push(resolver->reader, &candidates.names, resolver->locals.items[i].name);
    names_add(resolver, SYMBOL_GLOBAL, &candidates);
    const char *nearest = reader_nearest(resolver->reader, node->text, &candidates);
    REFUSE(resolver, node, "unknown name \"%s\"%s", node->text,
           *nearest                        ? nearest
           : resolver->usage == USAGE_BODY ? "; expected a param, a let or a variable of this block"
                                           : "; expected a param or let");
}

/* Refuses names that are declared later than the resolver's place. */
static void require(struct resolver *resolver, const struct syntax *node, enum usage usage,
                    const char *what)
{
    if (resolver->usage < usage)
        REFUSE(resolver, node, "%s cannot be used here: only params, lets, tables, rank and size%s",
               what, resolver->usage == USAGE_EARLY ? "" : ", communicators, measured times");
}

static const struct expression *resolve_rank(struct resolver *resolver, const struct syntax *node)
{
    struct expression *expression =
        create(resolver, node->kind == SYNTAX_RANK ? EXPRESSION_RANK : EXPRESSION_SIZE, node);
    if (node->count > 0) {
        expression->index = communicator_resolve(resolver, node->first);
        if (expression->index != 0)
            require(resolver, node, USAGE_DECLARATION, "a communicator");
    }
    return expression;
}

void expressions_require(struct resolver *resolver, const struct syntax *node, uint32_t count,
                         const char *usage)
{
    static const char *const numbers[] = {"no arguments", "1 argument"};
    char text[32];
    snprintf(text, sizeof text, "%u arguments", count);
    if (node->count != count)
        REFUSE(resolver, node, "\"%s\" takes %s, not %u%s%s", node->text,
               count < 2 ? numbers[count] : text, node->count, *usage ? ": " : "", usage);
}

/* For values that differ from one evaluation to the next. */
static void require_varying(struct resolver *resolver, const struct syntax *node, const char *what)
{
    require(resolver, node, USAGE_TIME, what);
    if (resolver->body < resolver->script->procedure_count)
        resolver->uses_chance[resolver->body] = true;
}

static const struct expression *resolve_function(struct resolver *resolver,
                                                 const struct syntax *node,
                                                 enum script_function function)
{
    expressions_require(resolver, node, script_function_arguments[function], "");
    struct expression *expression = create(resolver, EXPRESSION_FUNCTION, node);
    expression->index = function;
    expression->count = node->count;
    if (function == FUNCTION_RANDOM) {
        require_varying(resolver, node, "random()");
        return expression;
    }
    expression->arguments = expressions_resolve(resolver, node, 0);
    return fold(expression);
}

/* coord(GRID, dimension) and shift(GRID, dimension, distance). */
static const struct expression *resolve_grid(struct resolver *resolver, const struct syntax *node,
                                             bool is_shift)
{
    require(resolver, node, USAGE_DECLARATION, "a grid");
    /* The first argument is a name, the others are values. */
    expressions_require(resolver, node, is_shift ? 3 : 2,
                        is_shift ? "shift(GRID, DIMENSION, DISTANCE)" : "coord(GRID, DIMENSION)");
    struct expression *expression =
        create(resolver, is_shift ? EXPRESSION_SHIFT : EXPRESSION_COORD, node);
    if (node->first->kind != SYNTAX_NAME)
        REFUSE(resolver, node->first, "expected the name of a grid");
    expression->index = grid_resolve(resolver, node->first);
    expression->count = node->count - 1;
    expression->arguments = expressions_resolve(resolver, node, 1);
    const struct expression *dimension = expression->arguments[0];
    uint32_t dimensions = grid_dimensions(resolver->script, expression->index);
    if (dimension->kind == EXPRESSION_NUMBER &&
        !(dimension->number >= 0 && dimension->number < dimensions &&
          dimension->number == floor(dimension->number)))
        REFUSE(resolver, dimension, "grid \"%s\" has dimensions 0 to %u, not %g", node->first->text,
               dimensions - 1, dimension->number);
    return expression;
}

static const struct expression *resolve_in_turn(struct resolver *resolver,
                                                const struct syntax *node)
{
    require_varying(resolver, node, "in_turn()");
    expressions_require(resolver, node, 3, "in_turn(TABLE, FIRST, COUNT)");
    if (node->first->kind != SYNTAX_NAME)
        REFUSE(resolver, node->first, "expected the name of a table");
    struct expression *expression = create(resolver, EXPRESSION_IN_TURN, node);
    expression->index = names_expect(resolver, node->first, SYMBOL_TABLE)->index;
    expression->number = resolver->script->turn_count++;
    expression->count = 2;
    expression->arguments = expressions_resolve(resolver, node, 1);
    return expression;
}

static const struct expression *resolve_procedure(struct resolver *resolver,
                                                  const struct syntax *node)
{
    const struct script_symbol *symbol = names_find(resolver, node->text);
    if (!symbol) {
        struct candidates candidates = {0};
        names_add(resolver, SYMBOL_PROCEDURE, &candidates);
        for (int i = 0; script_function_names[i]; i++)
            list_push(resolver->reader, &candidates.names, script_function_names[i]);
        list_push(resolver->reader, &candidates.names, "coord");
        list_push(resolver->reader, &candidates.names, "shift");
        list_push(resolver->reader, &candidates.names, "in_turn");
        REFUSE(resolver, node, "unknown function or procedure \"%s\"%s", node->text,
               reader_nearest(resolver->reader, node->text, &candidates));
    }
    require(resolver, node, USAGE_TIME, "the time of a procedure");
    symbol = names_expect(resolver, node, SYMBOL_PROCEDURE);
    expressions_require(resolver, node, resolver->script->procedures[symbol->index].parameters, "");
    struct expression *expression = create(resolver, EXPRESSION_PROCEDURE, node);
    expression->index = symbol->index;
    expression->count = node->count;
    expression->arguments = expressions_resolve(resolver, node, 0);
    names_edge(resolver, symbol->index, node->place);
    return expression;
}

static const struct expression *resolve_call(struct resolver *resolver, const struct syntax *node)
{
    for (int i = 0; script_function_names[i]; i++)
        if (strcmp(script_function_names[i], node->text) == 0)
            return resolve_function(resolver, node, (enum script_function)i);
    if (strcmp(node->text, "coord") == 0 || strcmp(node->text, "shift") == 0)
        return resolve_grid(resolver, node, node->text[0] == 's');
    if (strcmp(node->text, "in_turn") == 0)
        return resolve_in_turn(resolver, node);
    return resolve_procedure(resolver, node);
}

enum operation expressions_operation(const char *name)
{
    int i = 0;
    while (i < OPERATION_COUNT && strcmp(operation_names[i], name) != 0)
        i++;
    return (enum operation)i;
}

static struct vector_amount resolve_operation_class(struct resolver *resolver,
                                                    const struct syntax *amount)
{
    const enum operation operation = expressions_operation(amount->text);
    struct candidates candidates = {0};
    if (operation != OPERATION_COUNT)
        return (struct vector_amount){AMOUNT_OPERATION, operation};
    if (names_find(resolver, amount->text))
        return (struct vector_amount){AMOUNT_OWN,
                                      names_expect(resolver, amount, SYMBOL_OPERATION)->index};
    for (int i = 0; i < OPERATION_COUNT; i++)
        list_push(resolver->reader, &candidates.names, operation_names[i]);
    names_add(resolver, SYMBOL_OPERATION, &candidates);
    const char *nearest = reader_nearest(resolver->reader, amount->text, &candidates);
    REFUSE(resolver, amount, "unknown class of operations \"%s\"%s", amount->text,
           *nearest ? nearest
                    : "; doc/predict.md lists them, and \"operation NAME;\" declares your own");
}

static struct vector_amount resolve_chained_class(struct resolver *resolver,
                                                  const struct syntax *amount)
{
    struct vector_amount found = resolve_operation_class(resolver, amount);
    if (found.kind != AMOUNT_OPERATION || !operation_chains((enum operation)found.index))
        REFUSE(resolver, amount,
               "\"%s\" cannot be in a chain; expected an operation of doubles or integers, load_l1 "
               "or store",
               amount->text);
    found.kind = AMOUNT_CHAIN;
    return found;
}

/* A resource vector while its amounts are read. */
struct vector_resolving {
    const struct expression **arguments;
    struct vector_amount *amounts;
    uint32_t count;
};

static void add_amount(struct resolver *resolver, struct vector_resolving *vector,
                       const struct syntax *amount, struct vector_amount what)
{
    for (uint32_t i = 0; i < vector->count; i++)
        if (vector->amounts[i].kind == what.kind && vector->amounts[i].index == what.index)
            REFUSE(resolver, amount, "\"%s\" occurs twice in the vector", amount->text);
    vector->amounts[vector->count] = what;
    vector->arguments[vector->count++] = expression_resolve(resolver, amount->first);
}

/* chain: { flop_add: 1, load_l1: 1 } */
static void add_chain_amounts(struct resolver *resolver, struct vector_resolving *vector,
                              const struct syntax *chain)
{
    if (chain->first->kind != SYNTAX_VECTOR)
        REFUSE(resolver, chain, "expected a resource vector after \"chain:\": chain: { ... }");
    for (const struct syntax *amount = chain->first->first; amount; amount = amount->next)
        add_amount(resolver, vector, amount, resolve_chained_class(resolver, amount));
}

static const struct expression *resolve_vector(struct resolver *resolver, const struct syntax *node)
{
    struct script_reader *reader = resolver->reader;
    require(resolver, node, USAGE_DECLARATION, "a resource vector");
    struct expression *expression = create(resolver, EXPRESSION_VECTOR, node);
    uint32_t most = node->count;
    for (const struct syntax *amount = node->first; amount; amount = amount->next)
        most += amount->first->count;
    struct vector_resolving vector = {
        .arguments = reader_alloc(reader, most, sizeof *vector.arguments),
        .amounts = reader_alloc(reader, most, sizeof *vector.amounts)};
    for (const struct syntax *amount = node->first; amount; amount = amount->next) {
        if (strcmp(amount->text, "chain") == 0)
            add_chain_amounts(resolver, &vector, amount);
        else if (strcmp(amount->text, "footprint") == 0)
            add_amount(resolver, &vector, amount, (struct vector_amount){AMOUNT_FOOTPRINT, 0});
        else
            add_amount(resolver, &vector, amount, resolve_operation_class(resolver, amount));
    }
    expression->count = vector.count;
    expression->arguments = vector.arguments;
    expression->amounts = vector.amounts;
    return expression;
}

static bool expressions_equal(const struct expression *a, const struct expression *b)
{
    if (a->kind != b->kind || a->index != b->index || a->count != b->count ||
        a->number != b->number)
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (!expressions_equal(a->arguments[i], b->arguments[i]))
            return false;
    return true;
}

static const struct expression *resolve_measured(struct resolver *resolver,
                                                 const struct syntax *node)
{
    bool sampled = node->kind == SYNTAX_SAMPLED;
    if (sampled)
        require_varying(resolver, node, "sampled()");
    else
        require(resolver, node, USAGE_DECLARATION, "a measured time");
    struct script_measurement wanted = {.sampled = sampled, .place = node->place};
    const struct syntax *trace = node->first;
    wanted.trace = names_expect(resolver, trace, SYMBOL_TRACE)->index;
    wanted.region = trace->next->text;
    enum usage usage = resolver->usage;
    resolver->usage = USAGE_EARLY;
    wanted.rank = expression_resolve(resolver, trace->next->next);
    resolver->usage = usage;

    struct expression *expression =
        create(resolver, sampled ? EXPRESSION_SAMPLED : EXPRESSION_MEASURED, node);
    for (uint32_t i = 0; i < resolver->measurements.count; i++) {
        const struct script_measurement *other = &resolver->measurements.items[i];
        expression->index = i;
        if (other->trace == wanted.trace && other->sampled == sampled &&
            strcmp(other->region, wanted.region) == 0 &&
            expressions_equal(other->rank, wanted.rank))
            return expression;
    }
    expression->index = resolver->measurements.count;
    list_push(resolver->reader, &resolver->measurements, wanted);
    return expression;
}

static const struct expression *resolve_item(struct resolver *resolver, const struct syntax *node)
{
    struct expression *expression = create(resolver, EXPRESSION_TABLE, node);
    expression->index = names_expect(resolver, node, SYMBOL_TABLE)->index;
    expression->count = 1;
    expression->arguments = expressions_resolve(resolver, node, 0);
    const struct script_table *table = &resolver->script->tables[expression->index];
    const struct expression *index = expression->arguments[0];
    if (index->kind == EXPRESSION_NUMBER && !(index->number >= 0 && index->number < table->count &&
                                              index->number == floor(index->number)))
        REFUSE(resolver, index, "table \"%s\" has items 0 to %u, not %g", table->name,
               table->count - 1, index->number);
    return expression;
}

static const struct expression *resolve_operator(struct resolver *resolver,
                                                 const struct syntax *node)
{
    struct expression *expression = create(resolver, (enum expression_kind)node->operation, node);
    bool partial = expression->kind == EXPRESSION_AND || expression->kind == EXPRESSION_OR ||
                   expression->kind == EXPRESSION_CHOICE;
    const struct expression **operands =
        reader_alloc(resolver->reader, node->count, sizeof *operands);
    for (const struct syntax *operand = node->first; operand; operand = operand->next) {
        resolver->conditions += partial && expression->count > 0;
        operands[expression->count] = expression_resolve(resolver, operand);
        resolver->conditions -= partial && expression->count > 0;
        expression->count++;
    }
    expression->arguments = operands;
    return fold(expression);
}

static const struct expression *resolve_peer(struct resolver *resolver, const struct syntax *node)
{
    if (resolver->peer_comm != INDEX_NONE) {
        struct expression *self = create(resolver, EXPRESSION_RANK, node);
        self->index = resolver->peer_comm;
        return self;
    }
    if (!resolver->peer)
        REFUSE(resolver, node, "\"peer\" can be used only in counts of collective operations");
    return create(resolver, EXPRESSION_PEER, node);
}

const struct expression *expression_resolve(struct resolver *resolver, const struct syntax *node)
{
    switch ((enum syntax_kind)node->kind) {
    case SYNTAX_NUMBER:
        return number(resolver, node, node->number);
    case SYNTAX_NAME:
        return resolve_name(resolver, node);
    case SYNTAX_RANK:
    case SYNTAX_SIZE:
        return resolve_rank(resolver, node);
    case SYNTAX_PEER:
        return resolve_peer(resolver, node);
    case SYNTAX_ITEM:
        return resolve_item(resolver, node);
    case SYNTAX_CALL:
        return resolve_call(resolver, node);
    case SYNTAX_VECTOR:
        return resolve_vector(resolver, node);
    case SYNTAX_MEASURED:
    case SYNTAX_SAMPLED:
        return resolve_measured(resolver, node);
    case SYNTAX_LIST:
        REFUSE(resolver, node, "expected a value, not a list");
    default:
        assert(node->kind == SYNTAX_OPERATOR);
        return resolve_operator(resolver, node);
    }
}

static unsigned own_dependences(const struct model_script *script,
                                const struct vector_amount *amount)
{
    const struct expression *seconds =
        amount->kind == AMOUNT_OWN ? script->operations[amount->index].seconds : NULL;
    return seconds ? expression_dependences(script, seconds) : 0;
}

unsigned expression_dependences(const struct model_script *script,
                                const struct expression *expression)
{
    unsigned sum = 0;
    switch ((enum expression_kind)expression->kind) {
    case EXPRESSION_RANK:
        return DEPENDS_ON_RANK | (expression->index != 0 ? DEPENDS_LATE : 0);
    case EXPRESSION_SIZE:
        return expression->index != 0 ? DEPENDS_ON_RANK | DEPENDS_LATE : 0;
    case EXPRESSION_COORD:
    case EXPRESSION_SHIFT:
        return DEPENDS_ON_RANK | DEPENDS_LATE;
    case EXPRESSION_GLOBAL:
        return (script->globals[expression->index].varies ? DEPENDS_ON_RANK : 0) |
               (script->globals[expression->index].late ? DEPENDS_LATE : 0);
    case EXPRESSION_MEASURED:
        return DEPENDS_LATE |
               expression_dependences(script, script->measurements[expression->index].rank);
    default:
        for (uint32_t i = 0; i < expression->count && expression->kind == EXPRESSION_VECTOR; i++)
            sum |= own_dependences(script, &expression->amounts[i]);
        for (uint32_t i = 0; i < expression->count; i++)
            sum |= expression_dependences(script, expression->arguments[i]);
        return sum;
    }
}
