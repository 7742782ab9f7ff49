#include "replay/model/envelope.h"

#include <stdlib.h>
#include <string.h>

typedef __int128 wide;

bool envelopes_open(struct envelopes *envelopes, struct envelope_range range)
{
    memset(envelopes, 0, sizeof *envelopes);
    envelopes->range = range;
    envelopes->arena = arena_create();
    return envelopes->arena != NULL;
}

void envelopes_close(struct envelopes *envelopes)
{
    arena_destroy(envelopes->arena);
    free(envelopes->scratch.items);
    memset(envelopes, 0, sizeof *envelopes);
}

struct envelope envelope_zero(void)
{
    static const struct straight zero = {0, 0};
    return (struct envelope){.lines = &zero, .count = 1};
}

static wide line_at(struct straight line, int64_t x)
{
    return line.value + (wide)line.slope * x;
}

int64_t envelope_at(const struct envelope *envelope, int64_t x)
{
    wide largest = line_at(envelope_line(envelope, 0), x);
    for (size_t i = 1; i < envelope->count; i++) {
        wide value = line_at(envelope_line(envelope, i), x);
        largest = value > largest ? value : largest;
    }
    return (int64_t)largest;
}

/* --- the larger of two ------------------------------------------------------------------------ */

/* Whether line b is nowhere the largest between a and c, with ascending slopes: a and c meet no
 * later than a and b do. */
static bool is_below(struct straight a, struct straight b, struct straight c)
{
    return (wide)(a.value - b.value) * (c.slope - b.slope) >=
           (wide)(b.value - c.value) * (b.slope - a.slope);
}

/* Pushes a line at least as steep as those on the stack; drops lines that are no longer the largest
 * anywhere in the range. Returns the new height. */
static size_t stack_line(struct envelope_range range, struct straight *stack, size_t height,
                         struct straight line)
{
    while (height > 0) {
        struct straight top = stack[height - 1];
        if (line_at(line, range.high) <= line_at(top, range.high))
            return height;
        if (line_at(line, range.low) >= line_at(top, range.low) ||
            (height > 1 && is_below(stack[height - 2], top, line)))
            height--;
        else
            break;
    }
    stack[height] = line;
    return height + 1;
}

static bool same_lines(const struct envelope *envelope, const struct straight *lines, size_t count)
{
    bool same = envelope->count == count;
    for (size_t i = 0; i < count && same; i++) {
        struct straight line = envelope_line(envelope, i);
        same = line.value == lines[i].value && line.slope == lines[i].slope;
    }
    return same;
}

bool envelope_max(struct envelopes *envelopes, const struct envelope *a, const struct envelope *b,
                  struct envelope *larger)
{
    struct envelope first = *a, second = *b;
    size_t height = 0, i = 0, j = 0;
    if (!array_reserve(&envelopes->scratch, first.count + second.count))
        return false;
    struct straight *stack = envelopes->scratch.items;
    while (i < first.count || j < second.count) {
        struct straight line;
        bool take_first =
            j == second.count ||
            (i < first.count && envelope_line(&first, i).slope <= envelope_line(&second, j).slope);
        line = take_first ? envelope_line(&first, i++) : envelope_line(&second, j++);
        height = stack_line(envelopes->range, stack, height, line);
    }
    if (same_lines(&first, stack, height)) {
        *larger = first;
    } else if (same_lines(&second, stack, height)) {
        *larger = second;
    } else {
        larger->shift = (struct straight){0, 0};
        larger->count = height;
        larger->lines = arena_memdup(envelopes->arena, stack, height * sizeof *stack);
    }
    return larger->lines != NULL || height == 0;
}
