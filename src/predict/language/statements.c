#include "predict/language/resolver.h"

#include <assert.h>
#include <string.h>

struct statements {
    LIST(const struct statement *) list;
};

static const struct statement *resolve_statement(struct resolver *resolver,
                                                 const struct syntax *node);

static void add_statements(struct resolver *resolver, const struct syntax *node,
                           struct statements *statements)
{
    if (node->kind != SYNTAX_BLOCK) {
        list_push(resolver->reader, &statements->list, resolve_statement(resolver, node));
        return;
    }
    uint32_t outside = resolver->locals.count;
    for (const struct syntax *child = node->first; child; child = child->next)
        add_statements(resolver, child, statements);
    resolver->locals.count = outside;
}

struct statement_block block_resolve(struct resolver *resolver, const struct syntax *node)
{
    struct statements statements = {0};
    uint32_t outside = resolver->locals.count;
    add_statements(resolver, node, &statements);
    resolver->locals.count = outside;
    return (struct statement_block){statements.list.items, statements.list.count};
}

/* Room for the branches of a statement. */
static struct statement_block *branches_alloc(struct resolver *resolver,
                                              struct statement *statement, uint32_t count)
{
    struct statement_block *branches = reader_alloc(resolver->reader, count, sizeof *branches);
    statement->branches = branches;
    statement->branch_count = count;
    return branches;
}

/* A body that is not always reached. */
static struct statement_block resolve_conditional(struct resolver *resolver,
                                                  const struct syntax *node)
{
    resolver->conditions++;
    struct statement_block block = block_resolve(resolver, node);
    resolver->conditions--;
    return block;
}

static void resolve_assignment(struct resolver *resolver, const struct syntax *node,
                               struct statement *statement)
{
    const struct local *local = locals_find(resolver, node->text);
    struct candidates candidates = {0};
    for (uint32_t i = 0; i < resolver->locals.count; i++)
        list_push(resolver->reader, &candidates.names, resolver->locals.items[i].name);
    const struct script_symbol *symbol = local ? NULL : names_find(resolver, node->text);
    if (symbol)
        REFUSE(resolver, node, "\"%s\" is %s, which cannot be changed; \"let\" makes a variable",
               node->text, names_kind(symbol->kind));
    if (!local) {
        const char *nearest = reader_nearest(resolver->reader, node->text, &candidates);
        REFUSE(resolver, node, "unknown variable \"%s\"%s", node->text,
               *nearest ? nearest : "; \"let\" makes one");
    }
    if (local->is_loop)
        REFUSE(resolver, node, "\"%s\" is the variable of a loop, which cannot be changed",
               node->text);
    statement->slot = local->slot;
    statement->value = expression_resolve(resolver, node->first);
}

/* The ends are outside the variable's block. */
static void resolve_loop(struct resolver *resolver, const struct syntax *node,
                         struct statement *statement)
{
    const struct syntax *from = node->first->next;
    statement->slot = NO_SLOT;
    uint32_t outside = resolver->locals.count;
    if (node->kind == SYNTAX_REPEAT) {
        statement->to = expression_resolve(resolver, from);
    } else {
        statement->from = expression_resolve(resolver, from);
        statement->to = expression_resolve(resolver, from->next);
        if (from->next->next)
            statement->step = expression_resolve(resolver, from->next->next);
        if (statement->step && statement->step->kind == EXPRESSION_NUMBER &&
            statement->step->number == 0)
            REFUSE(resolver, statement->step, "a loop with step 0 would never end");
        statement->slot = locals_add(resolver, node, true);
    }
    branches_alloc(resolver, statement, 1)[0] = resolve_conditional(resolver, node->first);
    resolver->locals.count = outside;
}

static void resolve_if(struct resolver *resolver, const struct syntax *node,
                       struct statement *statement)
{
    struct statement_block *branches = branches_alloc(resolver, statement, 2);
    statement->value = expression_resolve(resolver, node->first);
    branches[0] = resolve_conditional(resolver, node->first->next);
    if (node->count > 2)
        branches[1] = resolve_conditional(resolver, node->first->next->next);
}

static void resolve_case(struct resolver *resolver, const struct syntax *node,
                         struct statement *statement)
{
    struct statement_block *branches = branches_alloc(resolver, statement, node->count);
    const struct expression **chances =
        reader_alloc(resolver->reader, node->count, sizeof *chances);
    double sum = 0;
    uint32_t i = 0;
    for (const struct syntax *branch = node->first; branch; branch = branch->next, i++) {
        chances[i] = expression_resolve(resolver, branch->first);
        double chance = chances[i]->kind == EXPRESSION_NUMBER ? chances[i]->number : 0;
        if (!(chance >= 0 && chance <= 1))
            REFUSE(resolver, chances[i], "a probability is from 0 to 1, not %g", chance);
        sum += chance;
        if (sum > 1 + 1e-9)
            REFUSE(resolver, chances[i], "the probabilities of this case add up to %g, more than 1",
                   sum);
        branches[i] = resolve_conditional(resolver, branch->first->next);
    }
    statement->chances = chances;
    statement->index = resolver->script->case_count++;
    if (!resolver->in_part)
        resolver->uses_chance[resolver->body] = true;
}

static void resolve_call(struct resolver *resolver, const struct syntax *node,
                         struct statement *statement)
{
    struct model_script *script = resolver->script;
    enum symbol_kind wanted = resolver->in_part ? SYMBOL_PART : SYMBOL_PROCEDURE;
    const struct script_symbol *symbol = names_find(resolver, node->text);
    if (symbol && symbol->kind == SYMBOL_PROCEDURE && resolver->in_part)
        REFUSE(resolver, node, "\"%s\" is a procedure; a part says cpu %s(...);", node->text,
               node->text);
    if (symbol && symbol->kind == SYMBOL_PART && !resolver->in_part)
        REFUSE(resolver, node, "\"%s\" is a part; procedures only compute", node->text);
    symbol = names_expect(resolver, node, wanted);
    if (resolver->in_part && symbol->index == script->main)
        REFUSE(resolver, node, "main is where the program begins; nothing calls it");
    const struct procedure *called =
        resolver->in_part ? &script->parts[symbol->index] : &script->procedures[symbol->index];
    expressions_require(resolver, node, called->parameters, "");
    statement->index = symbol->index;
    statement->argument_count = node->count;
    statement->arguments = expressions_resolve(resolver, node, 0);
    names_edge(resolver, symbol->index + (resolver->in_part ? script->procedure_count : 0),
               node->place);
}

/* The clauses of one step, or of one half of sendrecv. */
struct clauses {
    const struct syntax *operand;
    const struct syntax *clause[CLAUSE_COUNT]; /* NULL: not there */
    struct script_position place;              /* of the word */
    const struct step_word *word;
};

/* Reads clauses up to a COMMA or the end. Returns what follows the COMMA. */
static const struct syntax *collect_clauses(struct resolver *resolver, const struct syntax *child,
                                            struct clauses *clauses)
{
    for (; child && child->kind != SYNTAX_COMMA; child = child->next) {
        if (child->kind == SYNTAX_OPERAND) {
            clauses->operand = child->first;
            continue;
        }
        for (const struct syntax *clause = child->first; clause; clause = clause->next) {
            if (clauses->clause[clause->operation])
                REFUSE(resolver, clause, "\"%s\" occurs twice in the step", clause->text);
            clauses->clause[clause->operation] = clause;
        }
    }
    return child ? child->next : NULL;
}

static void check_clauses(struct resolver *resolver, const struct clauses *clauses, unsigned needs,
                          unsigned may)
{
    struct script_reader *reader = resolver->reader;
    const struct step_word *word = clauses->word;
    const char *usage = step_word_usage(reader, word);
    if (word->operand == OPERAND_NONE && clauses->operand)
        REFUSE(resolver, clauses->operand, "\"%s\" has no bytes: %s", word->word, usage);
    if (word->operand != OPERAND_NONE && word->operand != OPERAND_OWN && !clauses->operand)
        REFUSE(resolver, clauses, "\"%s\" needs bytes: %s", word->word, usage);
    for (int i = 0; i < CLAUSE_COUNT; i++) {
        if (clauses->clause[i] && !((needs | may) & 1u << i))
            REFUSE(resolver, clauses->clause[i], "\"%s\" has no \"%s\" here: %s", word->word,
                   clause_words[i], usage);
        if (!clauses->clause[i] && needs & 1u << i)
            REFUSE(resolver, clauses, "\"%s\" needs \"%s\": %s", word->word,
                   clause_usage(reader, (enum clause)i), usage);
    }
}

static const struct expression *clause_value(struct resolver *resolver,
                                             const struct clauses *clauses, enum clause clause)
{
    const struct syntax *node = clauses->clause[clause];
    return node ? expression_resolve(resolver, node->first) : NULL;
}

/* The bytes that this rank itself contributes or gets. */
static const struct expression *own_count(struct resolver *resolver, const struct syntax *node,
                                          uint32_t comm)
{
    resolver->peer_comm = comm;
    const struct expression *count = expression_resolve(resolver, node);
    resolver->peer_comm = INDEX_NONE;
    return count;
}

/* Bytes for each member, in which `peer` is the member. */
static const struct expression *counts_resolve(struct resolver *resolver, const struct syntax *node)
{
    resolver->peer = true;
    const struct expression *counts = expression_resolve(resolver, node);
    resolver->peer = false;
    return counts;
}

static struct message_step resolve_end(struct resolver *resolver, const struct clauses *clauses,
                                       enum clause to_or_from)
{
    return (struct message_step){
        .bytes = expression_resolve(resolver, clauses->operand),
        .peer = clause_value(resolver, clauses, to_or_from),
        .tag = clause_value(resolver, clauses, CLAUSE_TAG),
    };
}

static uint32_t resolve_comm(struct resolver *resolver, const struct clauses *clauses)
{
    if (!clauses->clause[CLAUSE_ON])
        return 0;
    const struct syntax *name = clauses->clause[CLAUSE_ON]->first;
    return clauses->word->on_grid ? grid_resolve(resolver, name)
                                  : communicator_resolve(resolver, name);
}

static void resolve_sendrecv(struct resolver *resolver, const struct syntax *node,
                             struct statement *statement)
{
    enum { TAG = 1 << CLAUSE_TAG, ON = 1 << CLAUSE_ON };
    struct clauses sent = {.place = node->place, .word = node->word};
    const struct syntax *rest = collect_clauses(resolver, node->first, &sent);
    struct clauses got = {.place = rest->place, .word = node->word};
    collect_clauses(resolver, rest, &got);
    check_clauses(resolver, &sent, 1 << CLAUSE_TO, TAG);
    check_clauses(resolver, &got, 1 << CLAUSE_FROM, TAG | ON);
    statement->send = resolve_end(resolver, &sent, CLAUSE_TO);
    statement->receive = resolve_end(resolver, &got, CLAUSE_FROM);
    statement->comm = resolve_comm(resolver, &got);
}

static void resolve_wait(struct resolver *resolver, const struct syntax *node,
                         struct statement *statement)
{
    uint32_t count = node->first ? node->first->count : 0;
    if (count < node->word->least)
        REFUSE(resolver, node, "\"%s\" needs a request: %s", node->text,
               step_word_usage(resolver->reader, node->word));
    uint32_t *requests = reader_alloc(resolver->reader, count, sizeof *requests);
    const struct syntax *name = node->first ? node->first->first : NULL;
    for (uint32_t i = 0; name; name = name->next)
        requests[i++] = names_request(resolver, name, false);
    statement->requests = requests;
    statement->request_count = count;
}

static void resolve_step(struct resolver *resolver, const struct syntax *node,
                         struct statement *statement)
{
    const struct step_word *word = node->word;
    statement->kind = (uint8_t)word->kind;
    statement->call = word->call;
    if (word->kind == STATEMENT_WAIT) {
        resolve_wait(resolver, node, statement);
        return;
    }
    if (word->call == MPI_CALL_SENDRECV) {
        resolve_sendrecv(resolver, node, statement);
        return;
    }
    struct clauses clauses = {.place = node->place, .word = word};
    collect_clauses(resolver, node->first, &clauses);
    check_clauses(resolver, &clauses, word->needs, word->may);
    if (word->kind == STATEMENT_MESSAGE && clauses.clause[CLAUSE_TO])
        statement->send = resolve_end(resolver, &clauses, CLAUSE_TO);
    else if (word->kind == STATEMENT_MESSAGE)
        statement->receive = resolve_end(resolver, &clauses, CLAUSE_FROM);
    else if (word->operand == OPERAND_PEER)
        statement->counts = counts_resolve(resolver, clauses.operand);
    else if (clauses.operand)
        statement->bytes = expression_resolve(resolver, clauses.operand);
    else if (word->operand == OPERAND_OWN)
        statement->bytes = own_count(resolver, clauses.clause[CLAUSE_COUNTS]->first,
                                     resolve_comm(resolver, &clauses));
    if (clauses.clause[CLAUSE_COUNTS])
        statement->counts = counts_resolve(resolver, clauses.clause[CLAUSE_COUNTS]->first);
    if (clauses.clause[CLAUSE_RECEIVE])
        statement->receive_counts = counts_resolve(resolver, clauses.clause[CLAUSE_RECEIVE]->first);
    statement->root = clause_value(resolver, &clauses, CLAUSE_ROOT);
    statement->comm = resolve_comm(resolver, &clauses);
    if (clauses.clause[CLAUSE_AS]) {
        const struct syntax *request = clauses.clause[CLAUSE_AS]->first;
        statement->request = names_request(resolver, request, true);
    }
}

static void resolve_communicator(struct resolver *resolver, const struct syntax *node,
                                 struct statement *statement)
{
    static const enum mpi_call calls[] = {
        [COMM_SPLIT] = MPI_CALL_COMM_SPLIT,
        [COMM_GRID] = MPI_CALL_CART_CREATE,
        [COMM_SUB] = MPI_CALL_CART_SUB,
        [COMM_DUP] = MPI_CALL_COMM_DUP,
    };
    statement->index = communicator_resolve(resolver, node);
    if (statement->index == 0)
        REFUSE(resolver, node, "world is neither created nor freed");
    statement->call = node->kind == SYNTAX_FREE
                          ? MPI_CALL_COMM_FREE
                          : calls[resolver->script->comms[statement->index].kind];
}

/* Kinds of statements; those of one layer only have a word for messages. */
static const struct {
    uint8_t kind; /* enum statement_kind */
    bool in_procedures, in_parts;
    const char *word;
} layers[] = {
    [SYNTAX_VARIABLE] = {STATEMENT_LET, true, true, NULL},
    [SYNTAX_ASSIGN] = {STATEMENT_LET, true, true, NULL},
    [SYNTAX_LOOP] = {STATEMENT_LOOP, true, true, NULL},
    [SYNTAX_REPEAT] = {STATEMENT_LOOP, true, true, NULL},
    [SYNTAX_IF] = {STATEMENT_IF, true, true, NULL},
    [SYNTAX_CASE] = {STATEMENT_CASE, true, true, NULL},
    [SYNTAX_CALL] = {STATEMENT_CALL, true, true, NULL},
    [SYNTAX_COMPUTE] = {STATEMENT_COMPUTE, true, false, "compute"},
    [SYNTAX_CPU] = {STATEMENT_CPU, false, true, "cpu"},
    [SYNTAX_REGION] = {STATEMENT_REGION, false, true, "region"},
    [SYNTAX_STEP] = {STATEMENT_MESSAGE, false, true, NULL},
    [SYNTAX_CREATE] = {STATEMENT_CREATE, false, true, "create"},
    [SYNTAX_FREE] = {STATEMENT_FREE, false, true, "free"},
    [SYNTAX_WRITE] = {STATEMENT_FILE, false, true, "write"},
    [SYNTAX_READ] = {STATEMENT_FILE, false, true, "read"},
};

static void check_layer(struct resolver *resolver, const struct syntax *node)
{
    assert(node->kind < sizeof layers / sizeof *layers);
    if (resolver->in_part && !layers[node->kind].in_parts)
        REFUSE(resolver, node, "\"compute\" belongs in procedures; a part says cpu SECONDS;");
    if (!resolver->in_part && node->kind == SYNTAX_CPU)
        REFUSE(resolver, node, "\"cpu\" belongs in parts; a procedure says compute SECONDS;");
    if (!resolver->in_part && !layers[node->kind].in_procedures)
        REFUSE(resolver, node, "\"%s\" is a step and belongs in parts; procedures only compute",
               node->kind == SYNTAX_STEP ? node->text : layers[node->kind].word);
}

static void fill_statement(struct resolver *resolver, const struct syntax *node,
                           struct statement *statement)
{
    switch ((enum syntax_kind)node->kind) {
    case SYNTAX_VARIABLE: /* the value does not see the new variable */
        statement->value = expression_resolve(resolver, node->first);
        statement->slot = locals_add(resolver, node, false);
        return;
    case SYNTAX_ASSIGN:
        resolve_assignment(resolver, node, statement);
        return;
    case SYNTAX_LOOP:
    case SYNTAX_REPEAT:
        resolve_loop(resolver, node, statement);
        return;
    case SYNTAX_IF:
        resolve_if(resolver, node, statement);
        return;
    case SYNTAX_CASE:
        resolve_case(resolver, node, statement);
        return;
    case SYNTAX_CALL:
        resolve_call(resolver, node, statement);
        return;
    case SYNTAX_REGION:
        statement->index = names_region(resolver, node->text);
        branches_alloc(resolver, statement, 1)[0] = block_resolve(resolver, node->first);
        return;
    case SYNTAX_STEP:
        resolve_step(resolver, node, statement);
        return;
    case SYNTAX_CREATE:
    case SYNTAX_FREE:
        resolve_communicator(resolver, node, statement);
        return;
    case SYNTAX_WRITE:
    case SYNTAX_READ:
        statement->writes = node->kind == SYNTAX_WRITE;
        statement->file = node->text ? node->text : "";
        statement->value = expression_resolve(resolver, node->first);
        return;
    default:
        assert(node->kind == SYNTAX_COMPUTE || node->kind == SYNTAX_CPU);
        statement->value = expression_resolve(resolver, node->first);
    }
}

static const struct statement *resolve_statement(struct resolver *resolver,
                                                 const struct syntax *node)
{
    check_layer(resolver, node);
    struct statement *statement = reader_alloc(resolver->reader, 1, sizeof *statement);
    statement->kind = layers[node->kind].kind;
    statement->place = node->place;
    fill_statement(resolver, node, statement);
    return statement;
}
