/* Which calls are similar, and their costs without a lost core. */
#include "replay/costs/call_groups.h"
#include "replay/costs/limits.h"
#include "tests/check_tap.h"

enum { PATH = 3 };

/* Calls of one path: a send of 0, one of 64 bytes, one of 1 MiB; each takes 100 ticks. */
static uint8_t kinds[] = {EVENT_ENTER, EVENT_SEND,  EVENT_LEAVE, EVENT_ENTER, EVENT_SEND,
                          EVENT_LEAVE, EVENT_ENTER, EVENT_SEND,  EVENT_LEAVE};
static uint32_t arguments[] = {PATH, 0, PATH, PATH, 1, PATH, PATH, 2, PATH};
static uint64_t times[] = {1000, 1000, 1100, 2000, 2000, 2100, 3000, 3000, 3100};
static struct message messages[] = {{.bytes = 0}, {.bytes = 64}, {.bytes = 1 << 20}};
static struct stream stream = {
    .count = 9, .kind = kinds, .arg = arguments, .time = times, .messages = messages};

START_TEST(calls_of_a_path_are_told_apart_by_their_size)
{
    ck_assert_uint_eq(call_group(&stream, PATH, 0, 2), PATH * CALL_SIZES);
    ck_assert_uint_eq(call_group(&stream, PATH, 3, 5), PATH * CALL_SIZES + 4);
    ck_assert_uint_eq(call_group(&stream, PATH, 6, 8), PATH * CALL_SIZES + CALL_SIZES - 1);
}
END_TEST

START_TEST(an_unknown_size_is_as_the_nearest_one)
{
    int64_t values[2 * CALL_SIZES];
    for (int i = 0; i < 2 * CALL_SIZES; i++)
        values[i] = -1;
    values[2] = 20;
    values[8] = 80;
    call_groups_fill(values, 2, -1, 7);
    ck_assert_int_eq(values[0], 20);
    ck_assert_int_eq(values[5], 20); /* of two the smaller */
    ck_assert_int_eq(values[6], 80);
    ck_assert_int_eq(values[CALL_SIZES - 1], 80);
    ck_assert_int_eq(values[CALL_SIZES], 7);
}
END_TEST

START_TEST(a_loss_is_taken_out_of_the_calls_that_it_prolonged)
{
    struct trace trace = {.streams = &stream, .owned_count = 1};
    struct lost_time lost = {2040, 3500};
    int64_t usual[(PATH + 1) * CALL_SIZES];
    int64_t *all = usual;
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        usual[i] = 10;
    const struct listed_call first = {.enter = 0, .leave = 2}, second = {.enter = 3, .leave = 5};
    const size_t group = PATH * CALL_SIZES;
    struct call_limits limits = {.lost = &lost, .lost_count = 1, .usual = &all, .stream_count = 1};
    /* no loss; all of the cost is lost; hardly longer than usual; shorter than usual */
    ck_assert_int_eq(
        call_limits_apply(&limits, &trace, 0, &first, group, (struct call_cost){100, true}), 100);
    ck_assert_int_eq(
        call_limits_apply(&limits, &trace, 0, &second, group, (struct call_cost){60, true}), 10);
    ck_assert_int_eq(
        call_limits_apply(&limits, &trace, 0, &second, group, (struct call_cost){14, true}), 14);
    ck_assert_int_eq(
        call_limits_apply(&limits, &trace, 0, &second, group, (struct call_cost){4, true}), 4);
    lost.end = 2070; /* while the call waited: it cost 30 after that */
    ck_assert_int_eq(
        call_limits_apply(&limits, &trace, 0, &second, group, (struct call_cost){30, true}), 30);
    ck_assert_int_eq(
        call_limits_apply(&limits, &trace, 0, &second, group, (struct call_cost){60, true}), 10);
    lost.begin =
        2060; /* most of the cost is the call's own: it was a long one, whatever was lost */
    ck_assert_int_eq(
        call_limits_apply(&limits, &trace, 0, &second, group, (struct call_cost){60, true}), 50);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("similar_calls");
    TCase *tests = tcase_create("costs");
    tcase_add_test(tests, calls_of_a_path_are_told_apart_by_their_size);
    tcase_add_test(tests, an_unknown_size_is_as_the_nearest_one);
    tcase_add_test(tests, a_loss_is_taken_out_of_the_calls_that_it_prolonged);
    suite_add_tcase(suite, tests);
    return check_tap(suite);
}
