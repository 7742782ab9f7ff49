#include "measure/recorder/polls.h"

#include "measure/recorder/records.h"

uint64_t recorder_poll_gap;

/* The compiler must not move stores across: signal handlers and the readers of what a killed
 * process has left see them in this order. */
static void in_order(void)
{
    atomic_signal_fence(memory_order_seq_cst);
}

static enum record_kind kind_of(const struct record_slot *slot)
{
    return (enum record_kind)(slot->second & 0xff);
}

static bool is_test(const struct record_slot *slot)
{
    return kind_of(slot) == RECORD_REQUEST_TEST || kind_of(slot) == RECORD_RMA_COMPLETE;
}

/* Whether the slots from `enter` on are the records of a failed call so far. They are not if a
 * signal handler has recorded in between, or a block has been replaced. */
static bool is_whole(const struct recorder *recorder, const struct record_slot *enter,
                     uint64_t entered, uint32_t region)
{
    const struct record_slot *next = recorder->next;
    if ((uintptr_t)next > (uintptr_t)recorder->end || (uintptr_t)next <= (uintptr_t)enter ||
        recorder->end - next < 2 || enter->first != entered ||
        enter->second != record_pack(RECORD_ENTER, 0, 0, region))
        return false;
    const struct record_slot *slot = enter + 1;
    while (slot < next && is_test(slot))
        slot += record_slots(kind_of(slot));
    return slot == next;
}

/* Whether the records from `slot` up to but not including `behind` are those from `other` on, but
 * for their times. */
static bool are_equal(const struct record_slot *slot, const struct record_slot *behind,
                      const struct record_slot *other)
{
    while (slot < behind) {
        const unsigned length = record_slots(kind_of(slot));
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

/* Whether the call whose records so far begin at `enter` repeats the last failed one. */
static bool repeats(const struct recorder *recorder, const struct record_slot *enter)
{
    const struct last_poll *last = &recorder->poll;
    const ptrdiff_t closing = last->polls ? 2 : 1; /* POLLS and LEAVE */
    return last->behind == enter && enter->first - last->behind[-1].first <= recorder_poll_gap &&
           recorder->next - enter == last->behind - last->enter - closing &&
           are_equal(enter, recorder->next, last->enter);
}

/* The last call's records get the times of the new one's, its ENTER last. */
static void take_times(struct record_slot *last, const struct record_slot *enter,
                       const struct record_slot *behind)
{
    for (const struct record_slot *test = enter + 1; test < behind;) {
        const unsigned length = record_slots(kind_of(test));
        last[test - enter].first = test->first;
        test += length;
    }
    in_order();
    last->first = enter->first;
    in_order();
}

/* Clears records and gives their slots back, unless a signal handler has recorded behind them.
 * Their reader stops at the first one from the first store on. */
static bool give_back(struct recorder *recorder, struct record_slot *enter,
                      struct record_slot *behind)
{
    enter->second = 0;
    in_order();
    for (struct record_slot *slot = behind; slot-- > enter + 1;)
        *slot = (struct record_slot){0};
    in_order();
    enter->first = 0;
    in_order();
    struct record_slot *expected = behind;
    return __atomic_compare_exchange_n(&recorder->next, &expected, enter, false, __ATOMIC_RELAXED,
                                       __ATOMIC_RELAXED);
}

/* Leaves out the last failed call: the new one takes its place. */
static void fold(struct recorder *recorder, struct record_slot *enter, uint64_t left)
{
    struct last_poll *last = &recorder->poll;
    struct record_slot *polls = last->polls, *leave = last->behind - 1;
    struct record_slot *behind = recorder->next;
    const uint64_t spent = leave->first - last->enter->first;
    const uint32_t count = (uint32_t)(polls->second >> 32);
    leave->first = left;
    in_order();
    take_times(last->enter, enter, behind);
    polls->first += spent;
    polls->second = record_pack(RECORD_POLLS, 0, 0, count + 1);
    in_order();
    if (!give_back(recorder, enter, behind))
        last->behind = NULL;
}

/* Records that the call ends; if it repeats another one, with a record for those that will be left
 * out. */
static void end_poll(struct recorder *recorder, struct record_slot *enter, uint64_t left,
                     uint32_t region, bool again)
{
    const size_t count = again ? 2 : 1;
    struct record_slot *slot = recorder_reserve(recorder, count);
    struct record_slot *leave = slot + count - 1;
    if (again)
        record_commit(slot, RECORD_POLLS, 0, 0, 0);
    record_begin(leave, left);
    record_commit(leave, RECORD_LEAVE, 0, 0, region);
    recorder->poll = (struct last_poll){enter, leave + 1, again ? slot : NULL};
}

void record_failed_poll(struct recorder *recorder, struct record_slot *enter, uint64_t entered,
                        uint64_t left, uint32_t region)
{
    struct last_poll *last = &recorder->poll;
    if (recorder_poll_gap == 0 || !is_whole(recorder, enter, entered, region)) {
        last->behind = NULL;
        record_leave(recorder, left, region);
        return;
    }
    const bool again = repeats(recorder, enter);
    if (again && last->polls && last->polls->second >> 32 < UINT32_MAX - 1)
        fold(recorder, enter, left);
    else
        end_poll(recorder, enter, left, region, again);
}
