/* Differences against numbers: random programs of a few ranks, under many assumptions at once. Each
 * variable has a value for every assumption; what the algebra claims must hold for all of them. */
#include "reduce/rules/difference.h"

#include "../check_tap.h"

enum { ASSUMPTIONS = 12, RANKS = 5, VARIABLES = 4096, STEPS = 400, PROGRAMS = 60 };

/* Values of the variables by assumption. */
static uint64_t names[VARIABLES];
static int64_t values[VARIABLES][ASSUMPTIONS];
static int variable_count;

struct rank {
    struct difference difference;
    int64_t later[ASSUMPTIONS]; /* what the difference stands for */
    int64_t time;
    struct naming naming;
};

static unsigned seed;

static int64_t any(int64_t limit)
{
    seed = seed * 1103515245u + 12345u;
    return (int64_t)((seed >> 8) % (unsigned)limit);
}

static int find_variable(uint64_t name)
{
    for (int i = variable_count - 1; i >= 0; i--)
        if (names[i] == name)
            return i;
    return -1;
}

static void define_variable(uint64_t name, const int64_t *later)
{
    ck_assert_int_lt(variable_count, VARIABLES);
    names[variable_count] = name;
    for (int a = 0; a < ASSUMPTIONS; a++)
        values[variable_count][a] = later[a];
    variable_count++;
}

/* The difference stands for these numbers; variables not seen before have just been made. */
static void check_difference(const struct difference *difference, const int64_t *later)
{
    ck_assert_uint_ge(difference->count, 1);
    if (difference->count == 1 && find_variable(difference->terms[0].variable.name) < 0)
        define_variable(difference->terms[0].variable.name, later);
    for (int a = 0; a < ASSUMPTIONS; a++) {
        int64_t most = INT64_MIN;
        for (uint32_t i = 0; i < difference->count; i++) {
            const struct variable *variable = &difference->terms[i].variable;
            int which = find_variable(variable->name);
            ck_assert_int_ge(which, 0);
            int64_t value = values[which][a] + difference->terms[i].offset;
            most = value > most ? value : most;
            if (variable->parent == VARIABLE_NONE)
                continue;
            int64_t above = values[which][a] - values[find_variable(variable->parent)][a];
            ck_assert_int_ge(above, variable->low);
            ck_assert_int_le(above, variable->high);
        }
        ck_assert_int_eq(most, later[a]);
    }
}

static void check_claims(const struct rank *a, const struct rank *b, int *equal, int *within)
{
    int64_t slack = any(40) - 20;
    bool claimed_equal = difference_equal(&a->difference, &b->difference);
    bool claimed_within = difference_within(&a->difference, &b->difference, slack);
    *equal += claimed_equal && a != b;
    *within += claimed_within && !claimed_equal;
    for (int k = 0; k < ASSUMPTIONS; k++) {
        ck_assert(!claimed_equal || a->later[k] == b->later[k]);
        ck_assert(!claimed_within || a->later[k] <= b->later[k] + slack);
    }
}

/* The rank computes; an assumption may change that. */
static void compute_for_random_time(struct rank *rank)
{
    int64_t length = 1 + any(30);
    rank->time += length;
    if (any(3) > 0)
        return;
    int64_t longer = any(2) ? 0 : DIFFERENCE_UNBOUNDED;
    rank->difference =
        difference_between(&rank->difference, -length, &rank->difference, longer, &rank->naming);
    for (int a = 0; a < ASSUMPTIONS; a++)
        rank->later[a] += longer ? any(3 * length) - length : -any(length + 1);
    check_difference(&rank->difference, rank->later);
}

/* A call of `rank` that waits for some of the others, and ends `cost` later. */
static void wait_for_others(struct rank *ranks, int me, int *needless)
{
    struct rank *rank = &ranks[me];
    struct arrival arrivals[RANKS];
    size_t count = 1 + (size_t)any(3);
    for (size_t i = 0; i < count; i++) {
        int other = (int)any(RANKS);
        arrivals[i] = (struct arrival){ranks[other].difference, ranks[other].time + any(5),
                                       (uint32_t)other, false};
    }
    const struct difference before = rank->difference;
    struct difference after = difference_after(&before, rank->time, arrivals, count, &rank->naming);
    int64_t all[ASSUMPTIONS], end = rank->time, kept = rank->time;
    for (size_t i = 0; i < count; i++) {
        end = arrivals[i].time > end ? arrivals[i].time : end;
        kept = !arrivals[i].needless && arrivals[i].time > kept ? arrivals[i].time : kept;
        *needless += arrivals[i].needless;
    }
    bool computes = true;
    for (size_t i = 0; i < count; i++)
        computes = computes && arrivals[i].needless;
    ck_assert(!computes || difference_equal(&before, &after));
    ck_assert(computes || kept == end);
    for (int a = 0; a < ASSUMPTIONS; a++) {
        int64_t whole = rank->time + rank->later[a], less = whole;
        for (size_t i = 0; i < count; i++) {
            int64_t at = arrivals[i].time + ranks[arrivals[i].index].later[a];
            whole = at > whole ? at : whole;
            if (!arrivals[i].needless)
                less = at > less ? at : less;
        }
        ck_assert(whole - end == less - kept); /* the end does not depend on needless arrivals */
        all[a] = whole - end;
    }
    int64_t wait = end - rank->time;
    for (int a = 0; a < ASSUMPTIONS; a++) {
        int64_t skipped = rank->later[a] - wait; /* an assumption may leave this wait out */
        rank->later[a] = wait > 8 && any(2) ? skipped : all[a];
    }
    rank->time = end + 1;
    rank->difference = after;
    if (wait > 8) {
        /* the result as such has no rank any more; its variables have values all the same */
        check_difference(&after, all);
        rank->difference = difference_between(&before, -wait, &after, 0, &rank->naming);
    }
    check_difference(&rank->difference, rank->later);
}

START_TEST(claims_hold_under_all_assumptions)
{
    int equal = 0, within = 0, needless = 0;
    for (int program = 0; program < PROGRAMS; program++) {
        struct rank ranks[RANKS];
        static const int64_t nothing[ASSUMPTIONS];
        seed = (unsigned)program * 7919u + 1;
        variable_count = 0;
        define_variable(0, nothing);
        for (int r = 0; r < RANKS; r++)
            ranks[r] = (struct rank){difference_zero(), {0}, any(20), naming_of((uint32_t)r)};
        for (int step = 0; step < STEPS; step++) {
            int me = (int)any(RANKS);
            if (any(2))
                compute_for_random_time(&ranks[me]);
            else
                wait_for_others(ranks, me, &needless);
            check_claims(&ranks[any(RANKS)], &ranks[any(RANKS)], &equal, &within);
        }
    }
    ck_assert_int_gt(equal, 10 * PROGRAMS / 3); /* the claims are not empty */
    ck_assert_int_gt(within, 10 * PROGRAMS / 3);
    ck_assert_int_gt(needless, 10 * PROGRAMS / 3);
}
END_TEST

/* The cases of the paper's figure 3: p is the sender, q the receiver. */
START_TEST(messages_of_the_paper)
{
    struct naming p = naming_of(0), q = naming_of(1);
    struct difference zero = difference_zero();
    struct difference sender = difference_between(&zero, -50, &zero, 0, &p);
    /* the receiver waited 10: later if the message is, but by 10 less at most */
    struct arrival arrival = {sender, 110, 0, false};
    struct difference after = difference_after(&zero, 100, &arrival, 1, &q);
    ck_assert(!arrival.needless);
    ck_assert_uint_eq(after.count, 2);
    ck_assert_int_eq(after.terms[0].offset, -10);
    ck_assert_int_eq(after.terms[1].offset, 0);
    /* it waited 60, longer than the sender can be shortened: it follows the sender */
    arrival = (struct arrival){sender, 160, 0, false};
    after = difference_after(&zero, 100, &arrival, 1, &q);
    ck_assert(difference_equal(&after, &sender));
    /* the message waited: it never binds, because the sender can only be earlier */
    arrival = (struct arrival){sender, 100, 0, false};
    after = difference_after(&zero, 100, &arrival, 1, &q);
    ck_assert(arrival.needless && difference_equal(&after, &zero));
    /* R3: both have the same difference, whichever of them waited */
    arrival = (struct arrival){sender, 170, 0, false};
    after = difference_after(&sender, 100, &arrival, 1, &q);
    ck_assert(arrival.needless && difference_equal(&after, &sender));
}
END_TEST

/* Of two arrivals with the same difference the later one is enough. */
START_TEST(one_of_two_arrivals_stays)
{
    struct naming p = naming_of(0), q = naming_of(1);
    struct difference zero = difference_zero();
    struct difference sender = difference_between(&zero, -50, &zero, DIFFERENCE_UNBOUNDED, &p);
    struct arrival arrivals[] = {{sender, 105, 0, false}, {sender, 120, 1, false}};
    difference_after(&zero, 100, arrivals, 2, &q);
    ck_assert_uint_eq(arrivals[0].index, 1);
    ck_assert(!arrivals[0].needless && arrivals[1].needless);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("differences");
    TCase *tests = tcase_create("differences");
    tcase_add_test(tests, claims_hold_under_all_assumptions);
    tcase_add_test(tests, messages_of_the_paper);
    tcase_add_test(tests, one_of_two_arrivals_stays);
    suite_add_tcase(suite, tests);
    return check_tap(suite);
}
