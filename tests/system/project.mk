# Tests of the project as a whole: layering, headers, formatting.
AM_TESTS_ENVIRONMENT += \
	HEADER_CPPFLAGS='-I$(abs_top_srcdir)/src -I$(abs_top_srcdir) -I$(abs_top_srcdir)/src/plugins/include -I$(abs_top_builddir)/src -I$(abs_top_builddir) $(OTF2_CFLAGS) $(HWLOC_CFLAGS) $(INIH_CFLAGS) $(JANSSON_CFLAGS)'; \
	export HEADER_CPPFLAGS;
EXTRA_DIST += tests/system/print-circles tests/system/print-namesakes tests/system/failing_calls.py
dist_check_SCRIPTS += tests/system/include-direction.sh tests/system/headers.sh tests/system/selftest.sh tests/system/packages.sh tests/system/failing-calls.sh tests/system/format.sh tests/system/mpi-coverage.sh \
	tests/system/circles.sh tests/system/namesakes.sh tests/system/tools.sh tests/system/documentation.sh tests/system/completion.sh tests/system/terminal.sh tests/system/tutorial.sh tests/system/suite.sh
TESTS += tests/system/include-direction.sh tests/system/headers.sh tests/system/selftest.sh tests/system/packages.sh tests/system/failing-calls.sh tests/system/format.sh tests/system/mpi-coverage.sh \
	tests/system/circles.sh tests/system/namesakes.sh tests/system/tools.sh tests/system/documentation.sh tests/system/completion.sh tests/system/terminal.sh tests/system/tutorial.sh tests/system/suite.sh
