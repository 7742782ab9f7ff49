# One what-if: its session and its report.
check_PROGRAMS += tests/job/print_run_spread
tests_job_print_run_spread_SOURCES = tests/job/print_run_spread.c
tests_job_print_run_spread_LDADD = $(job_libs) $(trace_libs) $(base_libs)
dist_check_SCRIPTS += tests/job/run_spread-np2.sh tests/job/kept_imbalance-np2.sh
TESTS += tests/job/run_spread-np2.sh tests/job/kept_imbalance-np2.sh
