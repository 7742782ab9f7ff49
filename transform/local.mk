# Hypotheses: one kind of change to a trace a file.
noinst_LTLIBRARIES += libtransform.la
libtransform_la_SOURCES = transform/hypothesis.h transform/hypotheses.c transform/hypothesis_list.c
libtransform_la_LIBADD = libtrace.la
