# What reads files, on any contents: the corpus in make check, libFuzzer by tools/fuzz.
fuzz_sources = tests/fuzz/targets.c tests/fuzz/targets.h tests/trace/text_trace.c tests/trace/text_trace.h tests/trace/omp_roles.h
fuzz_libraries = $(sweep_libs) $(schedules_libs) $(prediction_libs) $(results_libs) $(job_libs) $(patterns_libs) $(trace_libs) $(base_libs) \
	$(OTF2_LIBS)
check_PROGRAMS += tests/fuzz/read_corpus
tests_fuzz_read_corpus_SOURCES = tests/fuzz/read_corpus.c $(fuzz_sources)
tests_fuzz_read_corpus_LDADD = $(fuzz_libraries)
TESTS += tests/fuzz/readers.sh
EXTRA_DIST += tests/fuzz/readers.sh tests/fuzz/corpus

EXTRA_PROGRAMS += tests/fuzz/fuzz
tests_fuzz_fuzz_SOURCES = tests/fuzz/fuzz.c tests/fuzz/otf2_buffers.c tests/fuzz/otf2_buffers.h tests/fuzz/folded_file.c tests/fuzz/folded_file.h $(fuzz_sources)
tests_fuzz_fuzz_LDADD = $(fuzz_libraries)
tests_fuzz_fuzz_LDFLAGS = -fsanitize=fuzzer
