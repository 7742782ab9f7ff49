#include "predict/language/syntax.h"

#include <assert.h>

struct syntax *syntax_create(struct script_reader *reader, enum syntax_kind kind,
                             struct script_position place, const char *text)
{
    struct syntax *node = reader_alloc(reader, 1, sizeof *node);
    node->kind = (uint8_t)kind;
    node->place = place;
    node->text = text;
    return node;
}

struct syntax *syntax_number(struct script_reader *reader, struct script_position place,
                             double number)
{
    struct syntax *node = syntax_create(reader, SYNTAX_NUMBER, place, NULL);
    node->number = number;
    return node;
}

struct syntax *syntax_add(struct script_reader *reader, struct syntax *parent, struct syntax *child)
{
    if (child->depth >= DEEPEST_NESTING)
        reader_refuse(reader, child->place,
                      "nested deeper than %d levels; divide it, by lets or procedures",
                      DEEPEST_NESTING);
    if (parent->depth <= child->depth)
        parent->depth = (uint16_t)(child->depth + 1);
    if (parent->last)
        parent->last->next = child;
    else
        parent->first = child;
    parent->last = child;
    parent->count++;
    return parent;
}

struct syntax *syntax_operator(struct script_reader *reader, enum expression_kind operation,
                               struct script_position place, struct syntax *a, struct syntax *b,
                               struct syntax *c)
{
    assert(a);
    struct syntax *node = syntax_create(reader, SYNTAX_OPERATOR, place, NULL);
    node->operation = (uint8_t)operation;
    syntax_add(reader, node, a);
    if (b)
        syntax_add(reader, node, b);
    if (c)
        syntax_add(reader, node, c);
    return node;
}

const struct syntax *syntax_child(const struct syntax *parent, uint32_t i)
{
    assert(i < parent->count);
    const struct syntax *child = parent->first;
    while (i-- > 0)
        child = child->next;
    return child;
}
