/* Reads model scripts and prints each of them after reading, one line a declaration, statement
 * or expression: script_dump FILE... Prints the message of a script that is refused. */
#include "predict/arithmetic.h"
#include "predict/script.h"

#include <inttypes.h>
#include <stdio.h>

static const char *const operators[] = {
    [EXPRESSION_NEGATE] = "neg",
    [EXPRESSION_NOT] = "not",
    [EXPRESSION_ADD] = "+",
    [EXPRESSION_SUBTRACT] = "-",
    [EXPRESSION_MULTIPLY] = "*",
    [EXPRESSION_DIVIDE] = "/",
    [EXPRESSION_FLOOR_DIVIDE] = "//",
    [EXPRESSION_MODULO] = "%",
    [EXPRESSION_POWER] = "^",
    [EXPRESSION_EQUAL] = "==",
    [EXPRESSION_UNEQUAL] = "!=",
    [EXPRESSION_LESS] = "<",
    [EXPRESSION_LESS_EQUAL] = "<=",
    [EXPRESSION_GREATER] = ">",
    [EXPRESSION_GREATER_EQUAL] = ">=",
    [EXPRESSION_AND] = "and",
    [EXPRESSION_OR] = "or",
    [EXPRESSION_CHOICE] = "?",
};

static void print_expression(const struct model_script *script, const struct expression *e);

static void print_amount(const struct model_script *script, const struct vector_amount *amount)
{
    printf("%s%s:", amount->kind == AMOUNT_CHAIN ? "chain." : "",
           amount->kind == AMOUNT_FOOTPRINT ? "footprint"
           : amount->kind == AMOUNT_OWN     ? script->operations[amount->index].name
                                            : operation_names[amount->index]);
}

static void print_call(const struct model_script *script, const struct expression *e,
                       const char *name)
{
    printf("(%s", name);
    for (uint32_t i = 0; i < e->count; i++) {
        printf(" ");
        if (e->kind == EXPRESSION_VECTOR)
            print_amount(script, &e->amounts[i]);
        print_expression(script, e->arguments[i]);
    }
    printf(")");
}

static void print_expression(const struct model_script *script, const struct expression *e)
{
    char name[200];
    switch ((enum expression_kind)e->kind) {
    case EXPRESSION_NUMBER:
        printf("%.15g", e->number);
        return;
    case EXPRESSION_LOCAL:
        printf("$%" PRIu32, e->index);
        return;
    case EXPRESSION_GLOBAL:
        printf("%s", script->globals[e->index].name);
        return;
    case EXPRESSION_PEER:
        printf("peer");
        return;
    case EXPRESSION_RANK:
    case EXPRESSION_SIZE:
        printf("%s(%s)", e->kind == EXPRESSION_RANK ? "rank" : "size",
               script->comms[e->index].name);
        return;
    case EXPRESSION_TABLE:
        snprintf(name, sizeof name, "item %s", script->tables[e->index].name);
        break;
    case EXPRESSION_COORD:
    case EXPRESSION_SHIFT:
        snprintf(name, sizeof name, "%s %s", e->kind == EXPRESSION_COORD ? "coord" : "shift",
                 script->comms[e->index].name);
        break;
    case EXPRESSION_FUNCTION:
        snprintf(name, sizeof name, "%s", script_function_names[e->index]);
        break;
    case EXPRESSION_PROCEDURE:
        snprintf(name, sizeof name, "time %s", script->procedures[e->index].name);
        break;
    case EXPRESSION_VECTOR:
        snprintf(name, sizeof name, "vector");
        break;
    case EXPRESSION_MEASURED:
        snprintf(name, sizeof name, "measured %" PRIu32, e->index);
        break;
    default:
        snprintf(name, sizeof name, "%s", operators[e->kind]);
    }
    print_call(script, e, name);
}

static void print_value(const struct model_script *script, const char *name,
                        const struct expression *e)
{
    if (!e)
        return;
    printf(" %s=", name);
    print_expression(script, e);
}

static void print_block(const struct model_script *script, const struct statement_block *block,
                        int depth);

static void print_end(const struct model_script *script, const char *name,
                      const struct message_step *end)
{
    if (!end->bytes)
        return;
    printf(" %s", name);
    print_value(script, "bytes", end->bytes);
    print_value(script, "peer", end->peer);
    print_value(script, "tag", end->tag);
}

static void print_step(const struct model_script *script, const struct statement *s)
{
    printf("%s", mpi_call_infos[s->call].name);
    if (s->kind == STATEMENT_CREATE || s->kind == STATEMENT_FREE) {
        printf(" %s", script->comms[s->index].name);
        return;
    }
    if (s->kind == STATEMENT_WAIT) {
        for (uint32_t i = 0; i < s->request_count; i++)
            printf(" %s", script->requests[s->requests[i]]);
        return;
    }
    printf(" on %s", script->comms[s->comm].name);
    print_end(script, "sends", &s->send);
    print_end(script, "receives", &s->receive);
    print_value(script, "bytes", s->bytes);
    print_value(script, "counts", s->counts);
    print_value(script, "receive_counts", s->receive_counts);
    print_value(script, "root", s->root);
    enum mpi_class class = mpi_call_infos[s->call].class;
    if (class == MPI_CLASS_ISEND || class == MPI_CLASS_IRECV || class == MPI_CLASS_ICOLLECTIVE ||
        class == MPI_CLASS_INEIGHBOUR)
        printf(" as %s", script->requests[s->request]);
}

static void print_statement(const struct model_script *script, const struct statement *s, int depth)
{
    static const char *const names[] = {
        [STATEMENT_LET] = "let",   [STATEMENT_LOOP] = "loop",     [STATEMENT_IF] = "if",
        [STATEMENT_CASE] = "case", [STATEMENT_CALL] = "call",     [STATEMENT_COMPUTE] = "compute",
        [STATEMENT_CPU] = "cpu",   [STATEMENT_REGION] = "region", [STATEMENT_FILE] = "file",
    };
    printf("%*s%u:%u ", 2 * depth, "", s->place.line, s->place.column);
    if (s->kind >= STATEMENT_MESSAGE && s->kind <= STATEMENT_FREE) {
        print_step(script, s);
    } else {
        printf("%s", names[s->kind]);
        if (s->kind == STATEMENT_LET || s->kind == STATEMENT_LOOP)
            s->slot == NO_SLOT ? printf(" -") : printf(" $%" PRIu32, s->slot);
        if (s->kind == STATEMENT_REGION)
            printf(" \"%s\"", script->regions[s->index]);
        if (s->kind == STATEMENT_CASE)
            printf(" %" PRIu32, s->index);
        if (s->kind == STATEMENT_FILE)
            printf(" %s \"%s\"", s->writes ? "write" : "read", s->file);
        if (s->kind == STATEMENT_CALL)
            printf(" %" PRIu32, s->index);
        print_value(script, "value", s->value);
        print_value(script, "from", s->from);
        print_value(script, "to", s->to);
        print_value(script, "step", s->step);
        for (uint32_t i = 0; i < s->argument_count; i++)
            print_value(script, "argument", s->arguments[i]);
    }
    printf("\n");
    for (uint32_t i = 0; i < s->branch_count; i++) {
        printf("%*sbranch", 2 * depth + 1, "");
        if (s->chances)
            print_value(script, "chance", s->chances[i]);
        printf("\n");
        print_block(script, &s->branches[i], depth + 1);
    }
}

static void print_block(const struct model_script *script, const struct statement_block *block,
                        int depth)
{
    for (uint32_t i = 0; i < block->count; i++)
        print_statement(script, block->statements[i], depth);
}

static void print_comm(const struct model_script *script, const struct comm_declaration *comm)
{
    static const char *const kinds[] = {"world", "split", "grid", "sub", "dup"};
    printf("communicator %s = %s", comm->name, kinds[comm->kind]);
    if (comm->kind != COMM_WORLD)
        printf(" of %s", script->comms[comm->parent].name);
    print_value(script, "color", comm->color);
    print_value(script, "key", comm->key);
    for (uint32_t i = 0; i < comm->count; i++) {
        if (comm->dimensions)
            print_value(script, "extent", comm->dimensions[i]);
        print_value(script, "flag", comm->flags[i]);
    }
    printf("\n");
}

static void print_declarations(const struct model_script *script)
{
    printf("program %s\n", script->name);
    for (uint32_t i = 0; i < script->global_count; i++) {
        const struct global *global = &script->globals[i];
        printf("%s %s%s", global->param ? "param" : "let", global->name,
               global->varies ? " varies" : "");
        print_value(script, "value", global->value);
        printf("\n");
    }
    for (uint32_t i = 0; i < script->table_count; i++) {
        printf("table %s", script->tables[i].name);
        for (uint32_t j = 0; j < script->tables[i].count; j++)
            print_value(script, "item", script->tables[i].items[j]);
        printf("\n");
    }
    for (uint32_t i = 0; i < script->comm_count; i++)
        print_comm(script, &script->comms[i]);
    for (uint32_t i = 0; i < script->operation_count; i++) {
        printf("operation %s", script->operations[i].name);
        if (script->operations[i].seconds)
            print_value(script, "seconds", script->operations[i].seconds);
        printf("\n");
    }
    for (uint32_t i = 0; i < script->trace_count; i++)
        printf("trace %s = %s\n", script->traces[i].name, script->traces[i].path);
    for (uint32_t i = 0; i < script->measurement_count; i++) {
        const struct script_measurement *measurement = &script->measurements[i];
        printf("measurement %s \"%s\"", script->traces[measurement->trace].name,
               measurement->region);
        print_value(script, "rank", measurement->rank);
        printf("\n");
    }
    printf("times");
    print_value(script, "startup", script->startup);
    print_value(script, "shutdown", script->shutdown);
    printf("\n");
}

static void print_script(const struct model_script *script)
{
    print_declarations(script);
    for (uint32_t i = 0; i < script->procedure_count; i++) {
        const struct procedure *procedure = &script->procedures[i];
        printf("procedure %s%s: %" PRIu32 " parameters, %" PRIu32 " slots\n", procedure->name,
               procedure->constant ? " constant" : "", procedure->parameters, procedure->slots);
        print_block(script, &procedure->body, 1);
    }
    for (uint32_t i = 0; i < script->part_count; i++) {
        const struct procedure *part = &script->parts[i];
        printf("%s %s: %" PRIu32 " parameters, %" PRIu32 " slots, region %s\n",
               i == script->main ? "main" : "part", part->name, part->parameters, part->slots,
               part->region == INDEX_NONE ? "none" : script->regions[part->region]);
        print_block(script, &part->body, 1);
    }
    printf("%" PRIu32 " cases\n", script->case_count);
}

int main(int argc, char **argv)
{
    int failed = 0;
    for (int i = 1; i < argc; i++) {
        struct model_script *script;
        struct error error;
        if (script_read(argv[i], &script, &error) == STATUS_OK)
            print_script(script);
        else
            failed = error.status;
        if (!script)
            printf("%s\n", error.text);
        script_destroy(script);
    }
    return failed;
}
