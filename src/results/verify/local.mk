# Predictions compared with recordings of the changed program.
noinst_LIBRARIES += libverify.a
libverify_a_SOURCES = \
	src/results/verify/record.c src/results/verify/record.h \
	src/results/verify/verification.c src/results/verify/verification.h \
	src/results/verify/output/formats.c src/results/verify/output/text.c src/results/verify/output/json.c src/results/verify/output/csv.c
verify_libs = libverify.a $(results_libs) $(patterns_libs) $(report_libs) $(trace_libs)

verify_page_files = $(pages)/page.html $(srcdir)/src/results/verify/output/verify.js
nodist_libverify_a_SOURCES = src/results/verify/output/verify_kind.c
BUILT_SOURCES += src/results/verify/output/verify_kind.c
CLEANFILES += src/results/verify/output/verify_kind.c
EXTRA_DIST += src/results/verify/output/verify.js
src/results/verify/output/verify_kind.c: $(verify_page_files) $(pages)/page.awk
	$(page_of) -v name=verify_page $(verify_page_files) > $@.tmp && mv $@.tmp $@
