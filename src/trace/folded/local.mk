# Folded loops: a trace as one small file. Part of the trace's library, because every tool reads it.
libtrace_la_SOURCES += loops/loops.h loops/container_private.h loops/write.c loops/read.c \
	loops/definitions_code.c loops/definitions_code.h loops/known_definitions.c \
	loops/streams.c loops/streams.h \
	loops/symbols.c loops/symbols.h \
	loops/rows.c loops/rows.h \
	loops/fold.c loops/fold.h \
	loops/columns.c loops/columns.h \
	loops/packing.c loops/packing.h
libtrace_la_CPPFLAGS = $(AM_CPPFLAGS) $(LZMA_CFLAGS)
libtrace_la_LIBADD += $(LZMA_LIBS) -lm

dist_doc_DATA += doc/reduction.md
dist_man_MANS += doc/silas-reduce.1
