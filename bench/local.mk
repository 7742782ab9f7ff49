# One command for each figure of doc/validation.md, and the programs they use.
noinst_PROGRAMS += bench/generate_trace
bench_generate_trace_SOURCES = bench/generate_trace.c bench/generate_archive.c bench/generate_archive.h
bench_generate_trace_LDADD = $(OTF2_LIBS)
