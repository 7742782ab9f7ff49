#include "predict/language/resolver.h"

#include "predict/arithmetic.h"

#include <assert.h>
#include <string.h>

static const char *const kind_names[SYMBOL_KINDS] = {
    [SYMBOL_GLOBAL] = "a param or let",
    [SYMBOL_TABLE] = "a table",
    [SYMBOL_COMM] = "a communicator",
    [SYMBOL_TRACE] = "a trace",
    [SYMBOL_OPERATION] = "an operation",
    [SYMBOL_PROCEDURE] = "a procedure",
    [SYMBOL_PART] = "a part",
};

const char *names_kind(enum symbol_kind kind)
{
    assert(kind < SYMBOL_KINDS);
    return kind_names[kind];
}

bool names_function(const char *name)
{
    for (int i = 0; script_function_names[i]; i++)
        if (strcmp(script_function_names[i], name) == 0)
            return true;
    return strcmp(name, "coord") == 0 || strcmp(name, "shift") == 0 || strcmp(name, "in_turn") == 0;
}

static uint32_t number_of(struct resolver *resolver, struct name_set *set, const char *name)
{
    uint32_t number = name_set_text(set, name, NULL);
    if (number == MAP_NONE)
        reader_no_memory(resolver->reader);
    return number;
}

void names_declare(struct resolver *resolver, const struct syntax *node, enum symbol_kind kind,
                   uint32_t index, uint32_t order)
{
    struct script_reader *reader = resolver->reader;
    uint32_t number = number_of(resolver, &resolver->declared, node->text);
    if (names_function(node->text))
        REFUSE(resolver, node, "\"%s\" is a function of the language", node->text);
    if (number < resolver->symbols.count) {
        const struct script_symbol *other = &resolver->symbols.items[number];
        if (other->place.line == 0)
            REFUSE(resolver, node, "\"world\" is the communicator of all ranks");
        REFUSE(resolver, node, "\"%s\" is already %s, declared in line %u", node->text,
               names_kind(other->kind), other->place.line);
    }
    const struct script_symbol symbol = {kind, node->text, index, order, node->place};
    list_push(reader, &resolver->symbols, symbol);
}

const struct script_symbol *names_find(struct resolver *resolver, const char *name)
{
    uint32_t number = number_of(resolver, &resolver->declared, name);
    return number < resolver->symbols.count ? &resolver->symbols.items[number] : NULL;
}

void names_add(struct resolver *resolver, enum symbol_kind kind, struct candidates *candidates)
{
    for (uint32_t i = 0; i < resolver->symbols.count; i++)
        if (resolver->symbols.items[i].kind == kind)
            list_push(resolver->reader, &candidates->names, resolver->symbols.items[i].name);
}

const struct script_symbol *names_expect(struct resolver *resolver, const struct syntax *node,
                                         enum symbol_kind kind)
{
    const char *name = node->text;
    const struct script_symbol *symbol = names_find(resolver, name);
    struct candidates candidates = {0};
    if (!symbol) {
        names_add(resolver, kind, &candidates);
        REFUSE(resolver, node, "unknown %s \"%s\"%s", strchr(names_kind(kind), ' ') + 1, name,
               reader_nearest(resolver->reader, name, &candidates));
    }
    if (symbol->kind != kind)
        REFUSE(resolver, node, "\"%s\" is %s; expected %s", name, names_kind(symbol->kind),
               names_kind(kind));
    if (symbol->order >= resolver->order)
        REFUSE(resolver, node,
               "\"%s\" is declared in line %u; declarations use only those before them", name,
               symbol->place.line);
    return symbol;
}

const struct local *locals_find(const struct resolver *resolver, const char *name)
{
    for (uint32_t i = resolver->locals.count; i-- > 0;)
        if (strcmp(resolver->locals.items[i].name, name) == 0)
            return &resolver->locals.items[i];
    return NULL;
}

uint32_t locals_add(struct resolver *resolver, const struct syntax *node, bool is_loop)
{
    assert(resolver->body != UINT32_MAX);
    const struct local *other = locals_find(resolver, node->text);
    if (other)
        REFUSE(resolver, node, "\"%s\" is a variable already, from line %u", node->text,
               other->place.line);
    uint32_t slot = resolver->locals.count;
    const struct local local = {node->text, slot, node->place, is_loop};
    list_push(resolver->reader, &resolver->locals, local);
    if (resolver->slots <= slot)
        resolver->slots = slot + 1;
    return slot;
}

void names_edge(struct resolver *resolver, uint32_t to, struct script_position place)
{
    const struct call_edge edge = {resolver->body, to, place, resolver->conditions == 0};
    if (resolver->body != UINT32_MAX)
        list_push(resolver->reader, &resolver->edges, edge);
}

uint32_t names_region(struct resolver *resolver, const char *name)
{
    return number_of(resolver, &resolver->regions, name);
}

uint32_t names_request(struct resolver *resolver, const struct syntax *node, bool posted)
{
    uint32_t number = number_of(resolver, &resolver->requests, node->text);
    const struct request_use use = {node->place, posted};
    if (number == resolver->request_uses.count)
        list_push(resolver->reader, &resolver->request_uses, use);
    resolver->request_uses.items[number].posted |= posted;
    return number;
}
