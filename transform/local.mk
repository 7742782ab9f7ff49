# Hypotheses: one kind of change to a trace a file.
noinst_LTLIBRARIES += libtransform.la
libtransform_la_SOURCES = \
	transform/hypothesis.h transform/hypotheses.c transform/hypotheses_apply.c \
	transform/hypothesis_list.c transform/hypothesis_template.c transform/kinds.h \
	transform/scale.c transform/balance.c transform/cpu.c \
	transform/network.c transform/mapping.c transform/remap.c transform/collectives.c \
	transform/replace.c transform/resize.c transform/split.c transform/nonblocking.c \
	transform/choose_collectives.c transform/choose_collectives.h \
	transform/chosen_calls.c transform/chosen_calls.h \
	transform/row_writer.c transform/row_writer.h \
	transform/cut_conditions.c transform/cut_messages.c transform/cut_choose.c transform/cut_rows.c transform/cut.h \
	transform/compensate.c transform/compensate.h \
	transform/callpath_marks.c transform/callpath_marks.h \
	transform/names.c transform/names.h transform/ranges.c transform/ranges.h \
	transform/rewrite_times.c transform/rewrite_times.h transform/section.c transform/section.h
libtransform_la_LIBADD = libtrace.la
dist_doc_DATA += doc/config.md
