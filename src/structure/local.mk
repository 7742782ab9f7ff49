# The structure of a trace: what repeats in it, and cuts of what repeats.
noinst_LTLIBRARIES += libstructure.la
libstructure_la_SOURCES = structure/structure.c structure/structure.h \
	structure/in_slices.c structure/in_slices.h \
	structure/signals.c structure/signals.h \
	structure/periods.c structure/periods.h \
	structure/calls.c structure/calls.h structure/visits.c structure/visits.h \
	structure/iterations.c structure/iterations.h \
	structure/medoid.c structure/medoid.h structure/align.c structure/align.h \
	structure/bands.c structure/bands.h \
	structure/cut.c structure/cut.h structure/cuts.c structure/cuts.h \
	structure/cut_marks.c structure/cut_marks.h structure/cut_windows.c \
	structure/cut_weight.c structure/cut_weight.h structure/metrics.c structure/metrics.h \
	structure/named_range.c structure/named_range.h \
	structure/unroll.c structure/unroll.h structure/projection.c structure/projection.h
libstructure_la_CPPFLAGS = $(AM_CPPFLAGS) $(KISSFFT_CFLAGS)
libstructure_la_LIBADD = libtransform.la $(KISSFFT_LIBS)
dist_doc_DATA += doc/structure.md
dist_man_MANS += doc/silas-structure.1
