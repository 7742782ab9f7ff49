#include "measure/recorder/polls.h"

#include "measure/recorder/records.h"

#include <string.h>

enum { LONGEST_ROUND = 256, POLLS_SLOTS = 2 }; /* slots */

static enum record_kind kind_of(const struct record_slot *slot)
{
    return (enum record_kind)(slot->second & 0xff);
}

static size_t slots_of(const struct poll *poll)
{
    return (size_t)(poll->behind - poll->at);
}

/* Whether two calls differ in their times at most. */
static bool same_call(const struct poll *a, const struct poll *b)
{
    if (a->what != b->what || slots_of(a) != slots_of(b))
        return false;
    for (size_t at = 0; at < slots_of(a);) {
        unsigned slots = record_slots(kind_of(&a->at[at]));
        if (slots == 0 || a->at[at].second != b->at[at].second ||
            memcmp(&a->at[at + 1], &b->at[at + 1], (slots - 1) * sizeof *a->at) != 0)
            return false;
        at += slots;
    }
    return true;
}

/* Ticks from a call's Enter to its Leave. */
static uint64_t length(const struct poll *poll)
{
    return poll->behind[-1].first - poll->at->first;
}

static void forget(struct polls *polls)
{
    polls->count = polls->period = 0;
}

/* Empties the slots from the last to the first: what is left is a whole sequence of records, or
 * ends with an open region, at any moment when the process may be killed. */
static void empty(struct record_slot *first, struct record_slot *behind)
{
    for (struct record_slot *slot = behind; slot-- > first;) {
        *(volatile uint64_t *)&slot->second = 0;
        *(volatile uint64_t *)&slot->first = 0;
    }
}

/* Gives back the slots from `behind` on, all of them empty, that end where the recorder goes on. If
 * a signal handler has recorded after them they stay empty, which readers skip. */
static void give_back(struct recorder *recorder, struct record_slot *behind,
                      struct record_slot *end)
{
    struct polls *polls = &recorder->buffer->polls;
    struct record_slot *expected = end;
    atomic_signal_fence(memory_order_seq_cst);
    if (!__atomic_compare_exchange_n(&recorder->next, &expected, behind, false, __ATOMIC_RELAXED,
                                     __ATOMIC_RELAXED))
        forget(polls);
    polls->behind = behind;
}

static void put_count(struct record_slot *slot, uint64_t count, uint64_t ticks)
{
    slot[1].first = count;
    slot[1].second = ticks;
}

/* The last three rounds of `period` calls are the same: the second is left out, and the third
 * becomes the last one. */
static void fold_first(struct recorder *recorder, unsigned period)
{
    struct polls *polls = &recorder->buffer->polls;
    struct poll *second = &polls->list[polls->count - 2 * period], *third = second + period;
    struct record_slot copy[LONGEST_ROUND], *begin = second->at, *to = begin;
    struct record_slot *end = third[period - 1].behind;
    size_t slots = (size_t)(end - third->at), from = 0;
    uint64_t ticks[POLLS_PERIOD];
    if (slots > LONGEST_ROUND)
        return;
    memcpy(copy, third->at, slots * sizeof *copy);
    for (unsigned i = 0; i < period; i++)
        ticks[i] = length(&second[i]);
    empty(begin, end);
    for (unsigned i = 0; i < period; i++) {
        size_t call = slots_of(&second[i]);
        record_begin(to, copy[from].first);
        put_count(to, 1, ticks[i]);
        record_commit(to, RECORD_POLLS, 0, 0, 0);
        polls->list[i] = (struct poll){to + POLLS_SLOTS, to + POLLS_SLOTS + call, second[i].what};
        to += POLLS_SLOTS;
        memcpy(to, copy + from, call * sizeof *copy);
        to += call;
        from += call;
    }
    polls->period = polls->count = period;
    give_back(recorder, to, end);
}

/* The round that has just ended replaces the last one. */
static void fold_more(struct recorder *recorder)
{
    struct polls *polls = &recorder->buffer->polls;
    struct poll *last = polls->list, *next = last + polls->period;
    struct record_slot *end = next[polls->period - 1].behind;
    for (unsigned i = 0; i < polls->period; i++) {
        struct record_slot *count = last[i].at - POLLS_SLOTS;
        put_count(count, count[1].first + 1, count[1].second + length(&last[i]));
        for (size_t at = 0; at < slots_of(&last[i]);
             at += record_slots(kind_of(&last[i].at[at]))) /* of all records, the time */
            last[i].at[at].first = next[i].at[at].first;
    }
    polls->count = polls->period;
    empty(next->at, end);
    give_back(recorder, last[polls->period - 1].behind, end);
}

/* Whether the last three rounds of `period` calls are the same. */
static bool repeats(const struct polls *polls, unsigned period)
{
    if (polls->count < 3 * period)
        return false;
    const struct poll *list = &polls->list[polls->count - 3 * period];
    for (unsigned i = 0; i < 2 * period; i++)
        if (!same_call(&list[i], &list[i + period]))
            return false;
    return true;
}

void polls_add(struct recorder *recorder, struct record_slot *enter, uint64_t what)
{
    struct polls *polls = recorder->buffer ? &recorder->buffer->polls : NULL;
    struct record_slot *behind = recorder->next;
    if (!polls || measurement_settings.every_poll)
        return;
    bool whole = behind > enter && kind_of(enter) == RECORD_ENTER &&
                 kind_of(behind - 1) == RECORD_LEAVE && behind[-1].first >= enter->first;
    if (!whole || enter != polls->behind ||
        enter->first - polls->time > measurement_settings.poll_gap)
        forget(polls);
    if (!whole)
        return;
    polls->behind = behind;
    polls->time = behind[-1].first;
    if (polls->count == POLLS_LISTED) {
        memmove(polls->list, polls->list + 1, (POLLS_LISTED - 1) * sizeof *polls->list);
        polls->count--;
    }
    polls->list[polls->count++] = (struct poll){enter, behind, what};
    if (polls->period) {
        unsigned place = polls->count - polls->period - 1;
        if (!same_call(&polls->list[place], &polls->list[polls->count - 1])) {
            polls->list[0] = polls->list[polls->count - 1];
            polls->count = 1;
            polls->period = 0;
        } else if (place + 1 == polls->period) {
            fold_more(recorder);
        }
        return;
    }
    for (unsigned period = 1; period <= POLLS_PERIOD && !polls->period; period++)
        if (repeats(polls, period))
            fold_first(recorder, period);
}
