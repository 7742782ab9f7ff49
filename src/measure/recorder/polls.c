#include "measure/recorder/polls.h"

#include "measure/recorder/records.h"

#include <string.h>

uint64_t recorder_poll_gap;

/* The compiler must not move stores across this: signal handlers, and readers of the records of a
 * killed process, must see them in this order. */
static void keep_store_order(void)
{
    atomic_signal_fence(memory_order_seq_cst);
}

static bool is_test(const struct record_slot *slot)
{
    return slot_kind(slot) == RECORD_REQUEST_TEST || slot_kind(slot) == RECORD_RMA_COMPLETE;
}

/* Whether the slots from `enter` up to `behind` are the records of one failed call and nothing
 * else. They are not if a signal handler has recorded in between or if the block was replaced. */
static bool is_whole(const struct recorder *recorder, const struct record_slot *enter,
                     const struct record_slot *behind, uint64_t entered, uint32_t region)
{
    if ((uintptr_t)behind > (uintptr_t)recorder->end || (uintptr_t)behind <= (uintptr_t)enter ||
        recorder->end - behind < 2 || enter->first != entered ||
        enter->second != record_pack(RECORD_ENTER, 0, 0, region))
        return false;
    const struct record_slot *slot = enter + 1;
    while (slot < behind && is_test(slot))
        slot += record_slots(slot_kind(slot));
    return slot == behind;
}

/* Whether the records from `slot` up to, not including, `behind` equal those from `other` on, apart
 * from their times. */
static bool records_are_equal(const struct record_slot *slot, const struct record_slot *behind,
                              const struct record_slot *other)
{
    while (slot < behind) {
        const unsigned length = record_slots(slot_kind(slot));
        if (slot->second != other->second)
            return false;
        for (unsigned i = 1; i < length; i++)
            if (slot[i].first != other[i].first || slot[i].second != other[i].second)
                return false;
        slot += length;
        other += length;
    }
    return true;
}

/* Whether the call with the records from `enter` to `behind` (its POLLS) repeats another call. */
static bool repeats_poll(const struct poll *poll, const struct record_slot *enter,
                         const struct record_slot *behind)
{
    return behind - enter == poll->polls - poll->enter &&
           records_are_equal(enter, behind, poll->enter);
}

/* The length of the round that ends with the new call and repeats the round before; 0: none does.
 */
static uint32_t find_repeated_round(const struct last_polls *last, const struct record_slot *enter,
                                    const struct record_slot *behind)
{
    for (uint32_t round = 1; 2 * round - 1 <= last->count; round++) {
        const struct poll *after = &last->calls[last->count], *before = after - round;
        bool same = repeats_poll(before, enter, behind);
        for (uint32_t i = 1; i < round && same; i++)
            same = repeats_poll(before - i, after[-(int)i].enter, after[-(int)i].polls);
        if (same)
            return round;
    }
    return 0;
}

/* Gives a call of the last round the times of the new call, whose records end at `behind`; the
 * latest time is written first. The call's old times are counted in its POLLS. */
static void replace(struct poll *poll, const struct record_slot *enter,
                    const struct record_slot *behind, uint64_t left)
{
    struct record_slot *polls = poll->polls, *leave = polls + 1;
    polls->first += leave->first - poll->enter->first;
    polls->second = record_pack(RECORD_POLLS, 0, 0, slot_id(polls) + 1);
    keep_store_order();
    leave->first = left;
    keep_store_order();
    for (const struct record_slot *test = enter + 1; test < behind;) {
        poll->enter[test - enter].first = test->first;
        test += record_slots(slot_kind(test));
    }
    keep_store_order();
    poll->enter->first = enter->first;
    keep_store_order();
}

/* Sets the recorder's next slot if it still is the expected one. Only signal handlers of this
 * thread can interfere, so one instruction is enough; a locked one costs as much as the rest of the
 * function. */
static bool put_back(struct recorder *recorder, struct record_slot *expected,
                     struct record_slot *next)
{
#if defined(__x86_64__)
    bool done;
    __asm__ volatile("cmpxchgq %3, %0"
                     : "+m"(recorder->next), "+a"(expected), "=@ccz"(done)
                     : "r"(next)
                     : "memory");
    return done;
#else
    return __atomic_compare_exchange_n(&recorder->next, &expected, next, false, __ATOMIC_RELAXED,
                                       __ATOMIC_RELAXED);
#endif
}

/* Clears records and frees their slots, unless a signal handler has recorded after them. After the
 * first store a reader stops at the first of these slots. */
static bool release_slots(struct recorder *recorder, struct record_slot *enter,
                          struct record_slot *behind)
{
    enter->second = 0;
    keep_store_order();
    for (struct record_slot *slot = behind; slot-- > enter + 1;)
        *slot = (struct record_slot){0};
    keep_store_order();
    enter->first = 0;
    keep_store_order();
    return put_back(recorder, behind, enter);
}

/* The new call ends a round that repeats the last one. The new round takes its place. */
static void fold_round(struct recorder *recorder, struct record_slot *enter,
                       struct record_slot *behind, uint64_t left)
{
    struct last_polls *last = &recorder->polls;
    struct record_slot *first = last->count > last->round ? last->calls[last->round].enter : enter;
    replace(&last->calls[last->round - 1], enter, behind, left);
    for (uint32_t i = last->round - 1; i-- > 0;) {
        const struct poll *new = &last->calls[last->round + i];
        replace(&last->calls[i], new->enter, new->polls, new->polls[1].first);
    }
    last->count = last->round;
    last->behind = release_slots(recorder, first, behind) ? first : NULL;
}

/* Records the leave of the call, preceded by a POLLS that counts no call yet. False if a signal
 * handler has recorded in between; then no loop contains the call. */
static bool end_poll(struct recorder *recorder, struct record_slot *enter,
                     const struct record_slot *behind, uint64_t left, uint32_t region)
{
    struct last_polls *last = &recorder->polls;
    struct record_slot *polls = recorder_reserve(recorder, 2);
    record_commit(polls, RECORD_POLLS, 0, 0, 0);
    record_begin(polls + 1, left);
    record_commit(polls + 1, RECORD_LEAVE, 0, 0, region);
    if (polls != behind) {
        last->behind = NULL;
        return false;
    }
    if (last->count == sizeof last->calls / sizeof last->calls[0])
        memmove(last->calls, last->calls + 1, --last->count * sizeof last->calls[0]);
    last->calls[last->count++] = (struct poll){enter, polls};
    last->behind = polls + 2;
    return true;
}

/* Keeps only the calls of the last round in the list. */
static void begin_loop(struct last_polls *last, uint32_t round)
{
    memmove(last->calls, last->calls + last->count - round, round * sizeof last->calls[0]);
    last->count = last->round = round;
}

/* Whether the new call is the next one of the loop's round. */
static bool loop_continues(const struct last_polls *last, const struct record_slot *enter,
                           const struct record_slot *behind)
{
    const struct poll *poll = &last->calls[last->count - last->round];
    return repeats_poll(poll, enter, behind) && slot_id(poll->polls) < UINT32_MAX - 1;
}

/* Whether the new call, whose records end at `behind`, is the next call of the loop's round. Then
 * its records are complete, because they equal those of the round. */
static inline bool in_loop(const struct recorder *recorder, const struct record_slot *enter,
                           const struct record_slot *behind, uint64_t entered)
{
    const struct last_polls *last = &recorder->polls;
    return last->behind == enter && last->round > 0 && enter->first == entered &&
           entered - last->behind[-1].first <= recorder_poll_gap &&
           loop_continues(last, enter, behind);
}

void record_failed_poll(struct recorder *recorder, struct record_slot *enter, uint64_t entered,
                        uint64_t left, uint32_t region)
{
    struct last_polls *last = &recorder->polls;
    /* Read once: records that a signal handler writes from now on do not belong to this call. */
    struct record_slot *const behind = __atomic_load_n(&recorder->next, __ATOMIC_RELAXED);
    if (__builtin_expect(in_loop(recorder, enter, behind, entered), 1)) {
        if (last->count + 1 == 2 * last->round)
            fold_round(recorder, enter, behind, left);
        else if (is_whole(recorder, enter, behind, entered, region))
            end_poll(recorder, enter, behind, left, region);
        else
            goto apart;
        return;
    }
    if (recorder_poll_gap == 0 || !is_whole(recorder, enter, behind, entered, region))
        goto apart;
    if (last->round > 0 || last->behind != enter ||
        entered - last->behind[-1].first > recorder_poll_gap)
        last->count = last->round = 0;
    const uint32_t round = find_repeated_round(last, enter, behind);
    if (end_poll(recorder, enter, behind, left, region) && round > 0)
        begin_loop(last, round);
    return;
apart:
    last->behind = NULL;
    record_leave(recorder, left, region);
}
