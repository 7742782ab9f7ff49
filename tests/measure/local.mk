# The tracer, from the wrappers to the archive.
check_PROGRAMS += tests/measure/calls_print \
	tests/measure/calls-messages tests/measure/calls-requests \
	tests/measure/calls-collectives tests/measure/calls-communicators tests/measure/intercommunicator tests/measure/calls-stress \
	tests/measure/calls-refused tests/measure/calls-datatypes
tests_measure_calls_print_SOURCES = tests/measure/calls_print.c
tests_measure_calls_print_LDADD = $(base_libs)
tests_measure_calls_print_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
tests_measure_calls_messages_SOURCES = tests/measure/calls-messages.c
tests_measure_calls_requests_SOURCES = tests/measure/calls-requests.c
tests_measure_calls_collectives_SOURCES = tests/measure/calls-collectives.c
tests_measure_calls_communicators_SOURCES = tests/measure/calls-communicators.c
tests_measure_intercommunicator_SOURCES = tests/measure/intercommunicator.c
tests_measure_calls_datatypes_SOURCES = tests/measure/calls-datatypes.c
tests_measure_calls_refused_SOURCES = tests/measure/calls-refused.c
tests_measure_calls_stress_SOURCES = tests/measure/calls-stress.c

EXTRA_DIST += tests/measure/calls.bash tests/measure/calls-consistent.awk tests/measure/calls-fortran.F90 tests/measure/calls-f08.F90 \
	tests/measure/calls-messages.expected tests/measure/calls-requests.expected \
	tests/measure/calls-refused.expected tests/measure/calls-datatypes.expected tests/measure/calls-collectives.expected tests/measure/calls-communicators.expected \
	tests/measure/calls-fortran.expected
dist_check_SCRIPTS += tests/measure/calls.sh tests/measure/calls-fortran.sh tests/measure/calls-f08.sh tests/measure/calls-stress.sh tests/measure/calls-archive.sh tests/measure/call-sites.sh
TESTS += tests/measure/call-sites.sh tests/measure/calls.sh tests/measure/calls-fortran.sh tests/measure/calls-f08.sh tests/measure/calls-stress.sh tests/measure/calls-archive.sh
include tests/measure/record.mk
include tests/measure/python.mk
