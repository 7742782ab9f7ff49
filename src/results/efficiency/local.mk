# POP's efficiencies of traces.
noinst_LIBRARIES += libefficiency.a
libefficiency_a_SOURCES = src/results/efficiency/measure.c src/results/efficiency/measure.h src/results/efficiency/measurement.h \
	src/results/efficiency/focus.c src/results/efficiency/focus.h src/results/efficiency/sweep.c src/results/efficiency/sweep_regions.c \
	src/results/efficiency/thread_reader.c src/results/efficiency/thread_reader.h \
	src/results/efficiency/recording.c src/results/efficiency/recording.h src/results/efficiency/text.c src/results/efficiency/write.c
pop_page_files = $(pages)/page.html $(efficiencies_files) $(srcdir)/src/results/efficiency/pop.js
nodist_libefficiency_a_SOURCES = src/results/efficiency/pop_kind.c
BUILT_SOURCES += src/results/efficiency/pop_kind.c
CLEANFILES += src/results/efficiency/pop_kind.c
EXTRA_DIST += src/results/efficiency/pop.js
src/results/efficiency/pop_kind.c: $(pop_page_files) $(pages)/page.awk
	$(page_of) -v name=pop_page $(pop_page_files) > $@.tmp && mv $@.tmp $@
efficiency_libs = libefficiency.a $(patterns_libs) $(replay_libs) $(structure_libs) $(reduction_libs) $(report_libs)

bin_PROGRAMS += silas-pop
silas_pop_SOURCES = src/programs/silas-pop.c src/programs/pop_variation.c src/programs/pop_variation.h \
	src/programs/asked_trace.c src/programs/asked_trace.h
silas_pop_LDADD = $(program_libs) $(job_libs)
dist_man_MANS += doc/silas-pop.1
dist_doc_DATA += doc/pop.schema.json
