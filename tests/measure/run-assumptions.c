/* What silas-trace --reduce can assume, and how its messages name mistakes. */
#include "measure/reduce/assumptions.h"

#include "tests/check_tap.h"

#include <string.h>

static bool chooses(const char *text, const char *name, const char *canonical)
{
    struct run_assumptions assumptions;
    struct error error;
    bool no_memory = false;
    ck_assert_int_eq(run_assumptions_read(text, NULL, &assumptions, &error), STATUS_OK);
    bool chosen = run_assumptions_choose(&assumptions, name, canonical, &no_memory);
    run_assumptions_clear(&assumptions);
    ck_assert(!no_memory);
    return chosen;
}

START_TEST(regions_are_chosen_by_lists_of_patterns)
{
    const char text[] = "waits; scale region=\"f(int, int), sol*\"; balance region=_ZN1aEv";
    ck_assert(chooses(text, "f(int, int)", "_Z1fii"));
    ck_assert(chooses(text, "solve", "solve"));
    ck_assert(chooses(text, "a", "_ZN1aEv"));
    ck_assert(!chooses(text, "f(int", "_Z1f"));
    ck_assert(!chooses(text, "main", "main"));
    ck_assert(chooses("scale region=\"operator,(a, b)\"", "operator,(a, b)", "_Zcm"));
    ck_assert(!chooses(NULL, "main", "main"));
}
END_TEST

START_TEST(the_archive_gets_the_text)
{
    struct run_assumptions assumptions;
    struct error error;
    ck_assert_int_eq(run_assumptions_read("scale region=a factor=2; waits at_least=20us", NULL,
                                          &assumptions, &error),
                     STATUS_OK);
    ck_assert_str_eq(assumptions.text, "scale region=a; waits at_least=2e-05");
    ck_assert(assumptions.regions);
    run_assumptions_clear(&assumptions);
    ck_assert_int_eq(run_assumptions_read(NULL, NULL, &assumptions, &error), STATUS_OK);
    ck_assert_str_eq(assumptions.text, "waits at_least=0.001");
    ck_assert(!assumptions.regions);
    run_assumptions_clear(&assumptions);
}
END_TEST

static void check_message(const char *text, const char *part)
{
    struct run_assumptions assumptions;
    struct error error;
    ck_assert_int_eq(run_assumptions_read(text, NULL, &assumptions, &error), STATUS_USAGE);
    ck_assert_int_eq(error.status, STATUS_USAGE);
    ck_assert_msg(strstr(error.text, part) != NULL, "%s", error.text);
}

START_TEST(mistakes_are_named)
{
    check_message(
        "network latency=1us",
        "\"network\" is not a kind of assumption that can be used here: use waits, scale, "
        "balance; to assume others, record the whole run and use silas-reduce");
    check_message("scale callpath=main/foo", "unknown key \"callpath\"");
    check_message("scale factor=2", "the key \"region\" is missing");
    check_message("waits at_least=soon", "expected a duration");
    check_message("scale region=\"a, MPI_Send\"", "\"MPI_Send\" is in MPI");
    check_message("", "an assumption such as \"scale region=foo\" is missing");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("assumptions of a run");
    TCase *tests = tcase_create("assumptions");
    suite_add_tcase(suite, tests);
    tcase_add_test(tests, regions_are_chosen_by_lists_of_patterns);
    tcase_add_test(tests, the_archive_gets_the_text);
    tcase_add_test(tests, mistakes_are_named);
    return check_tap(suite);
}
