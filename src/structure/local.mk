# The structure of a trace: what repeats in it, and cuts of what repeats.
noinst_LIBRARIES += libstructure.a
libstructure_a_SOURCES = src/structure/structure.c src/structure/structure.h src/structure/stretch.c src/structure/stretch.h \
	src/structure/in_slices.c src/structure/in_slices.h \
	src/structure/signals.c src/structure/signals.h src/structure/sampling.c src/structure/sampling.h \
	src/structure/periods.c src/structure/periods.h \
	src/structure/calls.c src/structure/calls.h src/structure/loop.h src/structure/loops.c src/structure/loops.h src/structure/loop_search.c \
	src/structure/loop_search.h src/structure/heads.c src/structure/segments.c src/structure/edges.c src/structure/nesting.c \
	src/structure/announced.c src/structure/announced.h \
	src/structure/unordered.c src/structure/unordered.h \
	src/structure/communicators.c src/structure/communicators.h \
	src/structure/tested_waits.c src/structure/tested_waits.h \
	src/structure/sequence.c src/structure/sequence.h \
	src/structure/shortening.c src/structure/shortening.h \
	src/structure/prediction.c src/structure/prediction.h src/structure/choice.c src/structure/choice.h \
	src/structure/candidates.c src/structure/candidates.h src/structure/judgement.c src/structure/completion.c \
	src/structure/contents.c src/structure/contents.h src/structure/ties.c src/structure/ties.h \
	src/structure/order.c src/structure/order.h \
	src/structure/iterations.c src/structure/iterations.h src/structure/groups.c src/structure/groups.h \
	src/structure/samples.c src/structure/samples.h src/structure/strata.c src/structure/strata.h \
	src/structure/medoid.c src/structure/medoid.h src/structure/align.c src/structure/align.h \
	src/structure/bands.c src/structure/bands.h \
	src/structure/cut.c src/structure/cut.h src/structure/cuts.c src/structure/cuts.h \
	src/structure/cut_names.c src/structure/cut_names.h \
	src/structure/cut_marks.c src/structure/cut_marks.h src/structure/cut_windows.c \
	src/structure/cut_weight.c src/structure/cut_weight.h src/structure/metrics.c src/structure/metrics.h \
	src/structure/named_range.c src/structure/named_range.h \
	src/structure/unroll.c src/structure/unroll.h src/structure/projection.c src/structure/projection.h
libstructure_a_CPPFLAGS = $(AM_CPPFLAGS) $(KISSFFT_CFLAGS)
structure_libs = libstructure.a $(transform_libs) $(KISSFFT_LIBS)
dist_doc_DATA += doc/structure.md
dist_man_MANS += doc/silas-structure.1

structure_page_files = $(pages)/page.html $(srcdir)/src/structure/structure.css $(srcdir)/src/structure/structure.js
BUILT_SOURCES += src/structure/structure_kind.c
CLEANFILES += src/structure/structure_kind.c
EXTRA_DIST += src/structure/structure.css src/structure/structure.js
src/structure/structure_kind.c: $(structure_page_files) $(pages)/page.awk
	$(page_of) -v name=structure_page $(structure_page_files) > $@.tmp && mv $@.tmp $@
