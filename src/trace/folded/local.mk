# Folded loops: a trace as one small file. Part of the trace's library, because every tool reads it.
libtrace_a_SOURCES += src/trace/folded/loops.h src/trace/folded/container_private.h src/trace/folded/write.c src/trace/folded/read.c \
	src/trace/folded/definitions_code.c src/trace/folded/definitions_code.h src/trace/folded/known_definitions.c \
	src/trace/folded/streams.c src/trace/folded/streams.h \
	src/trace/folded/symbols.c src/trace/folded/symbols.h \
	src/trace/folded/rows.c src/trace/folded/rows.h \
	src/trace/folded/fold.c src/trace/folded/fold.h \
	src/trace/folded/columns.c src/trace/folded/columns.h \
	src/trace/folded/packing.c src/trace/folded/packing.h
libtrace_a_CPPFLAGS = $(AM_CPPFLAGS) $(LZMA_CFLAGS)
trace_libs += $(LZMA_LIBS) -lm

dist_doc_DATA += doc/reduction.md
dist_man_MANS += doc/silas-reduce.1
