/* Runs a Check suite without forking and prints TAP to standard output. For serial tests. */
#ifndef TESTS_CHECK_TAP_H
#define TESTS_CHECK_TAP_H

#include <check.h>
#include <stdlib.h>

static inline int check_tap(Suite *suite)
{
    SRunner *runner = srunner_create(suite);
    srunner_set_fork_status(runner, CK_NOFORK);
    srunner_set_tap(runner, "-");
    srunner_run_all(runner, CK_SILENT);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif
