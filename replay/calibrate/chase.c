#include "replay/calibrate/chase.h"

#include <assert.h>
#include <stdlib.h>

static uint64_t next_random(uint64_t *state) /* Marsaglia's xorshift */
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void **chase_line(const struct chase *chase, size_t line)
{
    return (void **)((char *)chase->buffer + line * CHASE_LINE);
}

/* Sattolo's algorithm: a random permutation that is one cycle. It works in the lines themselves,
 * which hold numbers until they get addresses. */
static void make_cycle(struct chase *chase)
{
    uint64_t state = 88172645463325252u;
    for (size_t i = 0; i < chase->lines; i++)
        *(size_t *)chase_line(chase, i) = i;
    for (size_t i = chase->lines - 1; i > 0; i--) {
        size_t *one = (size_t *)chase_line(chase, i);
        size_t *other = (size_t *)chase_line(chase, next_random(&state) % i);
        size_t number = *one;
        *one = *other;
        *other = number;
    }
    for (size_t i = 0; i < chase->lines; i++) {
        size_t next = *(size_t *)chase_line(chase, i);
        *chase_line(chase, i) = chase_line(chase, next);
    }
}

bool chase_open(struct chase *chase, size_t bytes)
{
    assert(bytes >= 2 * CHASE_LINE);
    *chase = (struct chase){.lines = bytes / CHASE_LINE};
    chase->buffer = aligned_alloc(CHASE_LINE, chase->lines * CHASE_LINE);
    if (!chase->buffer)
        return false;
    make_cycle(chase);
    chase->at = chase->buffer;
    return true;
}

void chase_close(struct chase *chase)
{
    free(chase->buffer);
    *chase = (struct chase){0};
}

void chase_go(struct chase *chase, uint64_t loads)
{
    void **at = chase->at;
    assert(loads % 8 == 0);
    for (; loads > 0; loads -= 8) {
        at = *at;
        at = *at;
        at = *at;
        at = *at;
        at = *at;
        at = *at;
        at = *at;
        at = *at;
    }
    __asm__ volatile("" : "+r"(at)); /* the result is needed, and so are all loads */
    chase->at = at;
}

void stream_scale(double *restrict to, const double *restrict from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = 3 * from[i];
    __asm__ volatile("" : : "r"(to) : "memory");
}
