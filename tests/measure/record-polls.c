/* Which calls of polling loops are left out, with the test's own clock: which calls belong
 * together, and that counts and times are exact. */
#include "config.h" /* REG_EFL */

#include "measure/recorder/polls.h"
#include "measure/recorder/records.h"

#include "tests/check_tap.h"

#include <signal.h>
#include <string.h>
#include <ucontext.h>

enum { SLOTS = 4096, GAP = 100, REGION = 5, OTHER_REGION = 6, REQUEST = 77, FUNCTION = 9 };

static struct record_slot slots[SLOTS];
static struct buffer buffer;
static struct recorder *const recorder = &buffer.recorder;
static uint64_t now;

static void begin_polls(void)
{
    memset(slots, 0, sizeof slots);
    memset(&buffer, 0, sizeof buffer);
    recorder->next = slots;
    recorder->end = slots + SLOTS;
    recorder->buffer = &buffer;
    recorder_poll_gap = GAP;
    measurement_state = MEASUREMENT_STAGING;
    now = 1000;
}

/* A failed test of `requests` requests from REQUEST on: `pause` after the last call, `spent` long.
 */
static void make_poll(uint32_t region, uint64_t pause, uint64_t spent, uint64_t requests)
{
    const uint64_t entered = now += pause;
    record_enter(recorder, entered, region);
    struct record_slot *const behind_enter = recorder->next;
    now += spent;
    for (uint64_t i = 0; i < requests; i++)
        record_request(recorder, now, RECORD_REQUEST_TEST, REQUEST + i, 0);
    record_failed_poll(recorder, behind_enter - 1, entered, now, region);
}

struct seen_records {
    uint32_t calls, left_out, others; /* others: records of FUNCTION */
    uint64_t inside, last;            /* ticks in calls, with those left out; time of the last */
    bool in_order;
};

static struct seen_records look_at_slots(void)
{
    struct seen_records seen = {.in_order = true};
    uint64_t enter = 0;
    for (size_t at = 0; at < SLOTS;) {
        const struct record_slot *slot = &slots[at];
        const enum record_kind kind = slot_kind(slot);
        const uint32_t id = slot_id(slot);
        at += record_slots(kind) ? record_slots(kind) : 1;
        if (kind == RECORD_NOTHING) {
            seen.in_order &= slot->first == 0;
            continue;
        }
        if (kind == RECORD_POLLS) {
            seen.left_out += id;
            seen.inside += slot->first;
            continue;
        }
        seen.in_order &= slot->first >= seen.last;
        seen.last = slot->first;
        if (id == FUNCTION) {
            seen.others++;
        } else if (kind == RECORD_ENTER) {
            enter = slot->first;
        } else if (kind == RECORD_LEAVE) {
            seen.inside += slot->first - enter;
            seen.calls++;
        }
    }
    return seen;
}

static void expect_slots(uint32_t calls, uint32_t left_out, uint64_t inside)
{
    const struct seen_records seen = look_at_slots();
    ck_assert(seen.in_order);
    ck_assert_uint_eq(seen.calls, calls);
    ck_assert_uint_eq(seen.left_out, left_out);
    ck_assert_uint_eq(seen.inside, inside);
}

START_TEST(first_and_last_stay)
{
    for (uint64_t requests = 0; requests < 4; requests++) {
        uint64_t inside = 0;
        begin_polls();
        for (uint32_t i = 1; i <= 1000; i++) {
            make_poll(REGION, 1 + i % 50, i % 7, requests);
            inside += i % 7;
            expect_slots(i < 3 ? i : 2, i < 3 ? 0 : i - 2, inside);
            ck_assert_uint_eq(look_at_slots().last, now);
        }
        ck_assert_uint_eq(slots[0].first, 1002);
        ck_assert_int_le(recorder->next - slots, 6 + 4 * (int)requests);
    }
}
END_TEST

/* Rounds of several calls. */
START_TEST(rounds_of_different_calls)
{
    for (uint32_t round = 1; round <= POLLS_ROUND + 1; round++) {
        uint64_t inside = 0;
        begin_polls();
        for (uint32_t i = 0; i < 60 * round; i++) {
            make_poll(REGION, 1 + i % 3, i % 7, i % round);
            inside += i % 7;
            ck_assert_uint_eq(look_at_slots().calls + look_at_slots().left_out, i + 1);
            ck_assert_uint_eq(look_at_slots().inside, inside);
            ck_assert_uint_eq(look_at_slots().last, now);
        }
        expect_slots(round <= POLLS_ROUND ? 2 * round : 60 * round,
                     round <= POLLS_ROUND ? 58 * round : 0, inside);
    }
    begin_polls();
    for (int i = 0; i < 30; i++)
        make_poll(i % 2 ? REGION : OTHER_REGION, 1, 2, 1);
    expect_slots(4, 26, 60);
}
END_TEST

/* A round that is not complete stays, and another loop begins. */
START_TEST(rounds_that_change)
{
    static const uint64_t requests[] = {1, 2, 1, 2, 1, 2, 1, 1, 1, 1, 1, 3, 4, 3, 4, 3, 4};
    begin_polls();
    for (int i = 0; i < 17; i++)
        make_poll(REGION, 1, 2, requests[i]);
    /* 1 2 (1 2) 1 2, the beginning of a third, 1 (2) 1, 3 4 (2) 3 4 */
    ck_assert_uint_eq(look_at_slots().calls + look_at_slots().left_out, 17);
    expect_slots(11, 6, 34);
}
END_TEST

START_TEST(not_across_a_pause)
{
    begin_polls();
    for (int i = 0; i < 30; i++)
        make_poll(REGION, i % 10 == 5 ? GAP + 1 : GAP, 2, 1);
    expect_slots(8, 22, 60); /* 5, 10, 10 and 5 in a row */
}
END_TEST

START_TEST(not_across_other_records)
{
    begin_polls();
    for (int i = 0; i < 30; i++) {
        if (i % 10 == 5)
            record_enter(recorder, now, FUNCTION);
        make_poll(REGION, 1, 2, 1);
    }
    expect_slots(8, 22, 60);
    ck_assert_uint_eq(look_at_slots().others, 3);
}
END_TEST

START_TEST(not_across_segments)
{
    begin_polls();
    for (int i = 0; i < 10; i++)
        make_poll(REGION, 1, 2, 1);
    recorder->polls.behind = NULL; /* as buffer.c does */
    for (int i = 0; i < 10; i++)
        make_poll(REGION, 1, 2, 1);
    expect_slots(4, 16, 40);
}
END_TEST

START_TEST(all_if_wanted)
{
    begin_polls();
    recorder_poll_gap = 0;
    for (int i = 0; i < 30; i++)
        make_poll(REGION, 1, 2, 1);
    expect_slots(30, 0, 60);
}
END_TEST

/* Where a block ends, tests stay, because the tests to join them with are in another block. */
START_TEST(at_the_end_of_a_block)
{
    for (ptrdiff_t room = 4; room < 20; room++) {
        uint32_t polls = 0;
        begin_polls();
        recorder->end = slots + SLOTS - 64;
        recorder->next = recorder->end - room;
        for (; recorder->end - recorder->next >= 4 && polls < 50; polls++)
            make_poll(REGION, 1, 2, 1);
        const struct seen_records seen = look_at_slots();
        ck_assert(recorder->next <= recorder->end && seen.in_order);
        ck_assert_uint_eq(seen.calls + seen.left_out, polls);
        ck_assert_uint_eq(seen.inside, 2 * polls);
    }
}
END_TEST

#if defined(__x86_64__)
static volatile sig_atomic_t steps, step_wanted;

static void enter_at_step(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)info;
    if (++steps == step_wanted) {
        record_enter(recorder, now, FUNCTION);
        ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~0x100;
    }
}

static struct record_slot *entered; /* the ENTER of the call that ends */

static void end_failed_call(void)
{
    record_failed_poll(recorder, entered, now - 2, now, REGION);
}
#endif

/* A signal handler that records at any point of the end of a call, after `before` calls of which
 * `different` are a round, loses nothing and spoils nothing. */
static void interrupt_each_instruction(uint32_t before, uint32_t different)
{
#if defined(__x86_64__)
    struct sigaction action = {.sa_sigaction = enter_at_step, .sa_flags = SA_SIGINFO};
    sigaction(SIGTRAP, &action, NULL);
    int tried = 0;
    do {
        begin_polls();
        for (uint32_t i = 0; i < before; i++)
            make_poll(REGION, 1, 2, 1 + i % different);
        entered = recorder->next;
        record_enter(recorder, now += 1, REGION);
        now += 2;
        for (uint32_t i = 0; i <= before % different; i++)
            record_request(recorder, now, RECORD_REQUEST_TEST, REQUEST + i, 0);
        steps = 0;
        step_wanted = ++tried;
        __asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" ::: "memory", "cc");
        end_failed_call();
        __asm__ volatile("pushfq; andq $~0x100, (%%rsp); popfq" ::: "memory", "cc");
        const bool interrupted = steps >= step_wanted;
        const struct seen_records seen = look_at_slots();
        ck_assert_uint_eq(seen.others, interrupted);
        ck_assert(seen.in_order);
        ck_assert_uint_eq(seen.calls + seen.left_out, before + 1);
        ck_assert_uint_eq(seen.inside, 2 * (before + 1));
        for (uint32_t i = before + 1; i <= before + 5; i++) /* and those after it */
            make_poll(REGION, 1, 2, 1 + i % different);
        ck_assert_uint_eq(look_at_slots().calls + look_at_slots().left_out, before + 6);
        ck_assert_uint_eq(look_at_slots().inside, 2 * (before + 6));
        if (!interrupted)
            break;
    } while (tried < 5000);
    ck_assert_int_gt(tried, 50);
    ck_assert_int_lt(tried, 5000);
#endif
    (void)before;
    (void)different;
}

START_TEST(interrupted_after_each_instruction)
{
    interrupt_each_instruction(5, 1); /* replaces the last round */
    interrupt_each_instruction(6, 2); /* the first call of a round */
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("polls");
    TCase *tests = tcase_create("record");
    tcase_set_timeout(tests, 0);
    tcase_add_test(tests, first_and_last_stay);
    tcase_add_test(tests, rounds_of_different_calls);
    tcase_add_test(tests, rounds_that_change);
    tcase_add_test(tests, not_across_a_pause);
    tcase_add_test(tests, not_across_other_records);
    tcase_add_test(tests, not_across_segments);
    tcase_add_test(tests, all_if_wanted);
    tcase_add_test(tests, at_the_end_of_a_block);
    tcase_add_test(tests, interrupted_after_each_instruction);
    suite_add_tcase(suite, tests);
    return check_tap(suite);
}
