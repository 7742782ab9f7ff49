# Hypotheses: one kind of change to a trace a file.
noinst_LIBRARIES += libtransform.a
libtransform_a_SOURCES = \
	transform/hypothesis.h transform/hypotheses.c \
	transform/kinds.h \
	transform/scale.c transform/balance.c transform/cpu.c \
	transform/network.c transform/mapping.c transform/remap.c transform/collectives.c \
	transform/cut.c transform/cut_rows.c transform/cut_rows.h transform/resize.c transform/replace.c transform/split.c transform/nonblocking.c transform/earlier.c transform/wait.c transform/insert.c transform/redistribute.c transform/threads.c transform/critical.c transform/variation.c \
	transform/compensate.c transform/compensate.h \
	transform/callpath_marks.c transform/callpath_marks.h \
	transform/choose.c transform/choose.h \
	transform/choose_messages.c transform/choose_collectives.c \
	transform/repeated_messages.c transform/repeated_messages.h \
	transform/even.h transform/pace.h transform/rewrite.c transform/rewrite.h transform/retime.c
transform_libs = libtransform.a libcosts.a $(trace_libs)
dist_doc_DATA += doc/config.md
