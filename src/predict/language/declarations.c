#include "predict/language/resolver.h"

#include "predict/grid.h"

#include <string.h>

static uint32_t count_of(const struct syntax *tree, enum syntax_kind kind)
{
    uint32_t count = 0;
    for (const struct syntax *node = tree->first; node; node = node->next)
        count += node->kind == kind;
    return count;
}

static void allocate(struct resolver *resolver, const struct syntax *tree)
{
    struct script_reader *reader = resolver->reader;
    struct model_script *script = resolver->script;
    uint32_t globals = count_of(tree, SYNTAX_PARAM) + count_of(tree, SYNTAX_LET);
    uint32_t comms = count_of(tree, SYNTAX_COMMUNICATOR) + count_of(tree, SYNTAX_GRID) + 1;
    uint32_t procedures = count_of(tree, SYNTAX_PROCEDURE), parts = count_of(tree, SYNTAX_PART);
    script->globals = reader_alloc(reader, globals, sizeof *script->globals);
    script->tables = reader_alloc(reader, count_of(tree, SYNTAX_TABLE), sizeof *script->tables);
    script->comms = reader_alloc(reader, comms, sizeof *script->comms);
    script->traces = reader_alloc(reader, count_of(tree, SYNTAX_TRACE), sizeof *script->traces);
    script->operations =
        reader_alloc(reader, count_of(tree, SYNTAX_DECLARED_OPERATION), sizeof *script->operations);
    script->procedures = reader_alloc(reader, procedures, sizeof *script->procedures);
    script->parts = reader_alloc(reader, parts, sizeof *script->parts);
    resolver->uses_chance = reader_alloc(reader, procedures, sizeof *resolver->uses_chance);
}

static void declare_program(struct resolver *resolver, const struct syntax *node)
{
    if (resolver->script->name || resolver->script->bare)
        REFUSE(resolver, node, "the program has a name already: \"%s\"",
               resolver->script->name ? resolver->script->name : "");
    if (*node->text)
        resolver->script->name = node->text;
    else if (node->count == 0)
        REFUSE(resolver, node, "the name of the program is empty");
    resolver->script->bare = !*node->text;
    uint32_t *frames = reader_alloc(resolver->reader, node->count + 1ul, sizeof *frames);
    for (const struct syntax *region = node->first; region; region = region->next)
        frames[resolver->script->frame_count++] = names_region(resolver, region->text);
    resolver->script->frames = frames;
}

static void declare_procedure(struct resolver *resolver, const struct syntax *node, uint32_t order)
{
    struct model_script *script = resolver->script;
    bool is_part = node->kind == SYNTAX_PART;
    uint32_t index = is_part ? script->part_count++ : script->procedure_count++;
    struct procedure *procedure = is_part ? &script->parts[index] : &script->procedures[index];
    procedure->name = node->text;
    procedure->place = node->place;
    procedure->parameters = node->first->count;
    procedure->region = INDEX_NONE;
    names_declare(resolver, node, is_part ? SYMBOL_PART : SYMBOL_PROCEDURE, index, order);
    bool is_main = strcmp(node->text, "main") == 0;
    if (is_main && !is_part)
        REFUSE(resolver, node, "main is a part, not a procedure");
    if (is_main && procedure->parameters > 0)
        REFUSE(resolver, node->first->first, "main has no parameters; use param");
    if (is_main)
        script->main = index;
    else if (is_part)
        procedure->region = names_region(resolver, node->text);
}

static void declare(struct resolver *resolver, const struct syntax *node, uint32_t order)
{
    struct model_script *script = resolver->script;
    switch ((enum syntax_kind)node->kind) {
    case SYNTAX_PARAM:
    case SYNTAX_LET:
        names_declare(resolver, node, SYMBOL_GLOBAL, script->global_count++, order);
        return;
    case SYNTAX_TABLE:
        names_declare(resolver, node, SYMBOL_TABLE, script->table_count++, order);
        return;
    case SYNTAX_TRACE:
        script->traces[script->trace_count] =
            (struct script_trace){node->text, node->first->text, node->place};
        names_declare(resolver, node, SYMBOL_TRACE, script->trace_count++, order);
        return;
    case SYNTAX_DECLARED_OPERATION:
        names_declare(resolver, node, SYMBOL_OPERATION, script->operation_count++, order);
        return;
    case SYNTAX_COMMUNICATOR:
    case SYNTAX_GRID:
        names_declare(resolver, node, SYMBOL_COMM, script->comm_count++, order);
        return;
    case SYNTAX_PROCEDURE:
    case SYNTAX_PART:
        declare_procedure(resolver, node, order);
        return;
    default:
        if (node->kind == SYNTAX_PROGRAM)
            declare_program(resolver, node);
    }
}

static void declare_all(struct resolver *resolver, const struct syntax *tree)
{
    struct model_script *script = resolver->script;
    struct syntax world = {.kind = SYNTAX_COMMUNICATOR, .text = "world"};
    script->comms[0].name = world.text;
    script->comms[0].kind = COMM_WORLD;
    script->main = UINT32_MAX;
    names_declare(resolver, &world, SYMBOL_COMM, script->comm_count++, 0);
    uint32_t order = 1;
    for (const struct syntax *node = tree->first; node; node = node->next)
        declare(resolver, node, order++);
    struct candidates parts = {0};
    names_add(resolver, SYMBOL_PART, &parts);
    if (script->main == UINT32_MAX) {
        const char *nearest = reader_nearest(resolver->reader, "main", &parts);
        REFUSE(resolver, tree, "the script has no \"part main\"%s", nearest);
    }
}

static void resolve_global(struct resolver *resolver, const struct syntax *node)
{
    uint32_t index = names_find(resolver, node->text)->index;
    struct global *global = &resolver->script->globals[index];
    *global = (struct global){
        .name = node->text,
        .place = node->place,
        .value = expression_resolve(resolver, node->first),
        .param = node->kind == SYNTAX_PARAM,
    };
    resolver->script->measurements = resolver->measurements.items;
    unsigned dependences = expression_dependences(resolver->script, global->value);
    global->varies = dependences & DEPENDS_ON_RANK;
    global->late = dependences & DEPENDS_LATE;
}

static void resolve_own_operation(struct resolver *resolver, const struct syntax *node)
{
    const uint32_t index = names_find(resolver, node->text)->index;
    if (expressions_operation(node->text) != OPERATION_COUNT)
        REFUSE(resolver, node, "\"%s\" is a class of operations of the language", node->text);
    resolver->script->operations[index] = (struct script_operation){
        .name = node->text,
        .place = node->place,
        .seconds = node->first ? expression_resolve(resolver, node->first) : NULL,
    };
}

static void require_same(struct resolver *resolver, const struct expression *expression,
                         const char *what)
{
    if (expression_dependences(resolver->script, expression) & DEPENDS_ON_RANK)
        REFUSE(resolver, expression,
               "%s must be the same on all ranks, so it cannot depend on rank", what);
}

static void resolve_table(struct resolver *resolver, const struct syntax *node)
{
    struct script_table *table = &resolver->script->tables[names_find(resolver, node->text)->index];
    const struct syntax *values = node->first;
    resolver->usage = USAGE_EARLY;
    *table = (struct script_table){.name = node->text,
                                   .place = node->place,
                                   .items = expressions_resolve(resolver, values, 0),
                                   .count = values->count};
    resolver->usage = USAGE_DECLARATION;
    for (uint32_t i = 0; i < table->count; i++)
        require_same(resolver, table->items[i], "an item of a table");
}

/* Item `i` of the arguments of a call that makes a communicator. */
static const struct syntax *comm_argument(struct resolver *resolver, const struct syntax *call,
                                          uint32_t i, bool is_list, const char *usage)
{
    if (i >= call->count)
        REFUSE(resolver, call, "expected %s", usage);
    const struct syntax *argument = syntax_child(call, i);
    if ((argument->kind == SYNTAX_LIST) != is_list)
        REFUSE(resolver, argument, "expected %s here: %s", is_list ? "a list in [ ]" : "a value",
               usage);
    return argument;
}

static void resolve_split(struct resolver *resolver, const struct syntax *call,
                          struct comm_declaration *comm, const char *usage)
{
    comm->color = expression_resolve(resolver, comm_argument(resolver, call, 1, false, usage));
    if (call->count > 2)
        comm->key = expression_resolve(resolver, comm_argument(resolver, call, 2, false, usage));
}

static void resolve_cart(struct resolver *resolver, const struct syntax *call,
                         struct comm_declaration *comm, const char *usage)
{
    const struct syntax *extents = comm_argument(resolver, call, 1, true, usage);
    const struct syntax *flags = comm_argument(resolver, call, 2, true, usage);
    if (extents->count > DIMS_MOST)
        REFUSE(resolver, extents, "a grid has at most %d dimensions", DIMS_MOST);
    if (extents->count != flags->count)
        REFUSE(resolver, flags, "the list has %u items for %u dimensions", flags->count,
               extents->count);
    comm->count = extents->count;
    comm->dimensions = expressions_resolve(resolver, extents, 0);
    comm->flags = expressions_resolve(resolver, flags, 0);
    for (uint32_t i = 0; i < comm->count; i++) {
        require_same(resolver, comm->dimensions[i], "the extent of a grid");
        require_same(resolver, comm->flags[i], "whether a dimension is periodic");
    }
}

static void resolve_sub(struct resolver *resolver, const struct syntax *call,
                        struct comm_declaration *comm, const char *usage)
{
    const struct syntax *flags = comm_argument(resolver, call, 1, true, usage);
    uint32_t dimensions = grid_dimensions(resolver->script, comm->parent);
    if (flags->count != dimensions)
        REFUSE(resolver, flags, "the list has %u items for the %u dimensions of \"%s\"",
               flags->count, dimensions, call->first->text);
    comm->count = flags->count;
    comm->flags = expressions_resolve(resolver, flags, 0);
    for (uint32_t i = 0; i < comm->count; i++)
        if (comm->flags[i]->kind != EXPRESSION_NUMBER)
            REFUSE(resolver, comm->flags[i], "whether a dimension is kept is true or false");
}

static void resolve_communicator(struct resolver *resolver, const struct syntax *node)
{
    static const struct {
        const char *name, *usage;
        uint8_t kind, least, most; /* arguments */
        bool of_grid;
        void (*resolve)(struct resolver *resolver, const struct syntax *call,
                        struct comm_declaration *comm, const char *usage);
    } makers[] = {
        {"split", "split(COMMUNICATOR, COLOUR [, KEY])", COMM_SPLIT, 2, 3, false, resolve_split},
        {"cart", "cart(COMMUNICATOR, [EXTENT, ...], [PERIODIC, ...])", COMM_GRID, 3, 3, false,
         resolve_cart},
        {"sub", "sub(GRID, [KEPT, ...])", COMM_SUB, 2, 2, true, resolve_sub},
        {"dup", "dup(COMMUNICATOR)", COMM_DUP, 1, 1, false, NULL},
    };
    const struct syntax *call = node->first, *parent = call->first;
    struct comm_declaration *comm =
        &resolver->script->comms[names_find(resolver, node->text)->index];
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++) {
        if (strcmp(makers[i].name, call->text) != 0)
            continue;
        comm->kind = makers[i].kind;
        comm->name = node->text;
        comm->place = node->place;
        if (parent->kind != SYNTAX_NAME || call->count < makers[i].least ||
            call->count > makers[i].most)
            REFUSE(resolver, call, "expected %s", makers[i].usage);
        if (node->kind == SYNTAX_GRID && comm->kind != COMM_GRID && comm->kind != COMM_SUB)
            REFUSE(resolver, call, "a grid is made by cart or sub, not by %s", call->text);
        comm->parent = (makers[i].of_grid ? grid_resolve : communicator_resolve)(resolver, parent);
        if (makers[i].resolve)
            makers[i].resolve(resolver, call, comm, makers[i].usage);
        return;
    }
    REFUSE(resolver, call, "\"%s\" does not make a communicator; expected split, cart, sub or dup",
           call->text);
}

static void resolve_declaration(struct resolver *resolver, const struct syntax *node)
{
    switch ((enum syntax_kind)node->kind) {
    case SYNTAX_PARAM:
    case SYNTAX_LET:
        resolve_global(resolver, node);
        return;
    case SYNTAX_TABLE:
        resolve_table(resolver, node);
        return;
    case SYNTAX_DECLARED_OPERATION:
        resolve_own_operation(resolver, node);
        return;
    case SYNTAX_COMMUNICATOR:
    case SYNTAX_GRID:
        resolve_communicator(resolver, node);
        return;
    default:
        return;
    }
}

static void resolve_body(struct resolver *resolver, const struct syntax *node)
{
    struct model_script *script = resolver->script;
    uint32_t index = names_find(resolver, node->text)->index;
    resolver->in_part = node->kind == SYNTAX_PART;
    resolver->body = index + (resolver->in_part ? script->procedure_count : 0);
    resolver->locals.count = resolver->slots = 0;
    struct procedure *procedure =
        resolver->in_part ? &script->parts[index] : &script->procedures[index];
    for (const struct syntax *name = node->first->first; name; name = name->next)
        locals_add(resolver, name, false);
    procedure->body = block_resolve(resolver, node->first->next);
    procedure->slots = resolver->slots;
    resolver->body = UINT32_MAX;
}

static void resolve_startup(struct resolver *resolver, const struct syntax *node)
{
    const struct expression **time =
        node->kind == SYNTAX_STARTUP ? &resolver->script->startup : &resolver->script->shutdown;
    if (*time)
        REFUSE(resolver, node, "\"%s\" occurs twice; the first is in line %u",
               node->kind == SYNTAX_STARTUP ? "startup" : "shutdown", (*time)->place.line);
    *time = expression_resolve(resolver, node->first);
}

static const char **names_of(struct resolver *resolver, const struct name_set *set)
{
    const char **names = reader_alloc(resolver->reader, set->items.count, sizeof *names);
    for (size_t i = 0; i < set->items.count; i++)
        names[i] =
            reader_strndup(resolver->reader, set->items.items[i].data, set->items.items[i].size);
    return names;
}

static void finish_names(struct resolver *resolver)
{
    struct model_script *script = resolver->script;
    script->regions = names_of(resolver, &resolver->regions);
    script->region_count = (uint32_t)resolver->regions.items.count;
    script->requests = names_of(resolver, &resolver->requests);
    script->request_count = resolver->request_uses.count;
    script->measurements = resolver->measurements.items;
    script->measurement_count = resolver->measurements.count;
    struct candidates posted = {0};
    for (uint32_t i = 0; i < script->request_count; i++)
        if (resolver->request_uses.items[i].posted)
            list_push(resolver->reader, &posted.names, script->requests[i]);
    for (uint32_t i = 0; i < script->request_count; i++)
        if (!resolver->request_uses.items[i].posted)
            reader_refuse(resolver->reader, resolver->request_uses.items[i].place,
                          "unknown request \"%s\": no step says \"as %s\"%s", script->requests[i],
                          script->requests[i],
                          reader_nearest(resolver->reader, script->requests[i], &posted));
}

void declarations_resolve(struct resolver *resolver, const struct syntax *tree)
{
    resolver->body = UINT32_MAX;
    resolver->peer_comm = INDEX_NONE;
    allocate(resolver, tree);
    declare_all(resolver, tree);

    resolver->usage = USAGE_DECLARATION;
    resolver->order = 1;
    for (const struct syntax *node = tree->first; node; node = node->next, resolver->order++)
        resolve_declaration(resolver, node);

    resolver->order = UINT32_MAX;
    resolver->usage = USAGE_TIME;
    for (const struct syntax *node = tree->first; node; node = node->next)
        if (node->kind == SYNTAX_STARTUP || node->kind == SYNTAX_SHUTDOWN)
            resolve_startup(resolver, node);
    resolver->usage = USAGE_BODY;
    for (const struct syntax *node = tree->first; node; node = node->next)
        if (node->kind == SYNTAX_PROCEDURE || node->kind == SYNTAX_PART)
            resolve_body(resolver, node);
    finish_names(resolver);
    calls_refuse_endless(resolver);
    calls_find_constant(resolver);
}
