#include "predict/language/resolver.h"

#include <string.h>

static uint32_t body_count(const struct model_script *script)
{
    return script->procedure_count + script->part_count;
}

static const char *body_name(const struct model_script *script, uint32_t body)
{
    return body < script->procedure_count ? script->procedures[body].name
                                          : script->parts[body - script->procedure_count].name;
}

/* True for bodies from which calls that are sure lead to an end; the others are on a circle of such
 * calls, or lead to one. A round extends the ends by one call. */
static bool *find_ending(struct resolver *resolver)
{
    uint32_t count = body_count(resolver->script);
    bool *ends = reader_alloc(resolver->reader, count, sizeof *ends);
    bool *waits = reader_alloc(resolver->reader, count, sizeof *waits);
    bool changed = true;
    while (changed) {
        changed = false;
        memset(waits, 0, count);
        for (uint32_t i = 0; i < resolver->edges.count; i++) {
            const struct call_edge *edge = &resolver->edges.items[i];
            waits[edge->from] |= edge->sure && !ends[edge->to];
        }
        for (uint32_t i = 0; i < count; i++) {
            changed |= !waits[i] && !ends[i];
            ends[i] = !waits[i];
        }
    }
    return ends;
}

/* A sure call from `body` to a body that does not end. */
static const struct call_edge *next_on_circle(const struct resolver *resolver, const bool *ends,
                                              uint32_t body)
{
    for (uint32_t i = 0; i < resolver->edges.count; i++) {
        const struct call_edge *edge = &resolver->edges.items[i];
        if (edge->from == body && edge->sure && !ends[edge->to])
            return edge;
    }
    return NULL;
}

void calls_refuse_endless(struct resolver *resolver)
{
    const struct model_script *script = resolver->script;
    const bool *ends = find_ending(resolver);
    uint32_t count = body_count(script), body = 0;
    while (body < count && ends[body])
        body++;
    if (body == count)
        return;
    for (uint32_t i = 0; i < count;
         i++) /* after as many calls as there are bodies we are on the circle */
        body = next_on_circle(resolver, ends, body)->to;
    const struct call_edge *edge = next_on_circle(resolver, ends, body);
    const char *name = body_name(script, body), *through = body_name(script, edge->to);
    if (edge->to == body)
        REFUSE(resolver, edge,
               "\"%s\" always calls itself and would never end; let a condition decide", name);
    REFUSE(resolver, edge,
           "\"%s\" always calls \"%s\", which always leads back to it, and would never end; "
           "let a condition decide",
           name, through);
}

void calls_find_constant(struct resolver *resolver)
{
    struct model_script *script = resolver->script;
    bool *chance = resolver->uses_chance, changed = true;
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < resolver->edges.count; i++) {
            const struct call_edge *edge = &resolver->edges.items[i];
            if (edge->from >= script->procedure_count || chance[edge->from] || !chance[edge->to])
                continue;
            chance[edge->from] = changed = true;
        }
    }
    for (uint32_t i = 0; i < script->procedure_count; i++)
        script->procedures[i].constant = !chance[i];
}
