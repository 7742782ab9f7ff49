# Traces as schedules of other tools.
check_PROGRAMS += tests/schedules/decompose
tests_schedules_decompose_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_schedules_decompose_LDADD = libschedules.la $(CHECK_LIBS)
TESTS += tests/schedules/decompose tests/schedules/export.sh tests/schedules/simgrid.sh tests/schedules/read.sh
EXTRA_DIST += tests/schedules/export.sh tests/schedules/simgrid.sh tests/schedules/read.sh tests/schedules/everything.txt tests/schedules/actions.txt
check_PROGRAMS += tests/schedules/export_template
tests_schedules_export_template_SOURCES = tests/schedules/export_template.c
tests_schedules_export_template_LDADD = libexports.la
