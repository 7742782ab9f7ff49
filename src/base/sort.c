/* Radix sort from the lowest digit up (Knuth, The Art of Computer Programming 3, 5.2.5); digits
 * that are equal in all keys are skipped. Few items are inserted one by one (5.2.1), because the
 * pass over a digit costs as much as a thousand insertions. */
#include "base/sort.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS, DIGIT_MASK = DIGITS - 1, FEW = 64 };

static bool is_sorted(const struct keyed *items, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (items[i - 1].key > items[i].key)
            return false;
    return true;
}

/* The bits in which keys differ. */
static uint64_t differing_bits(const struct keyed *items, size_t count)
{
    uint64_t bits = 0;
    for (size_t i = 1; i < count; i++)
        bits |= items[i].key ^ items[0].key;
    return bits;
}

/* Sorts `items` into `sorted` by one digit. */
static void sort_digit(const struct keyed *items, struct keyed *sorted, size_t count, int shift)
{
    size_t place[DIGITS + 1] = {0};
    for (size_t i = 0; i < count; i++)
        place[(items[i].key >> shift & DIGIT_MASK) + 1]++;
    for (size_t digit = 0; digit < DIGITS; digit++)
        place[digit + 1] += place[digit];
    for (size_t i = 0; i < count; i++)
        sorted[place[items[i].key >> shift & DIGIT_MASK]++] = items[i];
}

static void insert_all(struct keyed *items, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const struct keyed item = items[i];
        size_t place = i;
        for (; place > 0 && items[place - 1].key > item.key; place--)
            items[place] = items[place - 1];
        items[place] = item;
    }
}

bool keyed_sort(struct keyed *items, size_t count)
{
    assert(items || count == 0);
    if (count < 2 || is_sorted(items, count))
        return true;
    if (count <= FEW) {
        insert_all(items, count);
        return true;
    }
    struct keyed *room = malloc(count * sizeof *room), *from = items, *to = room;
    if (!room)
        return false;
    uint64_t bits = differing_bits(items, count);
    for (int shift = 0; shift < 64; shift += DIGIT_BITS) {
        if ((bits >> shift & DIGIT_MASK) == 0)
            continue;
        sort_digit(from, to, count, shift);
        struct keyed *swapped = from;
        from = to;
        to = swapped;
    }
    if (from != items)
        memcpy(items, from, count * sizeof *items);
    free(room);
    return true;
}
