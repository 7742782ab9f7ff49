# Teams of threads: the simulator against closed forms.
check_PROGRAMS += tests/threads/test_teams
tests_threads_test_teams_SOURCES = tests/threads/test_teams.c
tests_threads_test_teams_LDADD = $(trace_libs) $(CHECK_LIBS)
TESTS += tests/threads/test_teams
TESTS += tests/threads/what-if.sh
EXTRA_DIST += tests/threads/what-if.sh
