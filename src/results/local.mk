# Anything that has severities, for the programs that compare: runs, their means, and conditions that they must meet.
noinst_LIBRARIES += libresults.a
libresults_a_SOURCES = \
	src/results/result.c src/results/result.h \
	src/results/report_json.c src/results/report_json.h \
	src/results/group.c src/results/group.h \
	src/results/shift.c src/results/shift.h \
	src/results/gate.c src/results/gate.h src/results/gate_write.c \
	src/results/trend.c src/results/trend.h src/results/trend_page.c
results_libs = libresults.a $(replay_libs) $(transform_libs) $(patterns_libs) $(report_libs) $(trace_libs)

# Its page.
trend_page_files = $(pages)/page.html $(srcdir)/src/results/trend.css $(srcdir)/src/results/trend.js
nodist_libresults_a_SOURCES = src/results/trend_kind.c
BUILT_SOURCES += src/results/trend_kind.c
CLEANFILES += src/results/trend_kind.c
EXTRA_DIST += $(trend_page_files)
src/results/trend_kind.c: $(trend_page_files) $(pages)/page.awk
	$(page_of) -v name=trend_page $(trend_page_files) > $@.tmp && mv $@.tmp $@
