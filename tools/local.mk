# Scripts for people: build, demo, test; and checks that tools/test --full runs.
EXTRA_DIST += tools/build tools/demo tools/test tools/packages tools/package tools/compilers tools/debian-root tools/newest tools/soak tools/suite tools/fuzz tools/json-value tools/link.awk \
	tools/compare-outputs \
	tools/cppcheck-suppressions

# The serial tests once more, with valgrind, which does not let a program step through itself (record-signals, record-polls).
.PHONY: check-valgrind check-threads check-cppcheck fuzzers print-tests
print-tests:
	@echo $(TESTS)

check-valgrind:
	CK_FORK=no $(MAKE) $(AM_MAKEFLAGS) check \
		TESTS='$(filter-out %.sh %.mpi tests/measure/record-signals tests/measure/record-polls,$(TESTS))' \
		LOG_COMPILER='valgrind -q --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite --error-exitcode=1'

# In a build with -fsanitize=thread; nothing else is of use there.
check-threads: $(BUILT_SOURCES)
	$(MAKE) $(AM_MAKEFLAGS) silas-trace libsilas-trace.la tests/measure/threads_at_once tests/replay/evaluation_threads
	$(MAKE) $(AM_MAKEFLAGS) check-TESTS TESTS="tests/measure/threads-at-once.sh tests/replay/evaluation_threads"

# In a build by clang with libFuzzer (tools/fuzz).
fuzzers: $(BUILT_SOURCES)
	$(MAKE) $(AM_MAKEFLAGS) tests/fuzz/fuzz tests/fuzz/read_corpus

check-cppcheck:
	cd $(top_srcdir) && cppcheck --quiet -j $$(nproc) --std=c11 --error-exitcode=1 --inline-suppr '-DElfW(type)=Elf64_\#\#type' \
		--enable=warning,performance,portability --suppress=missingIncludeSystem \
		--suppressions-list=tools/cppcheck-suppressions \
		-I src -I . -I src/plugins/include src transform replay patterns examples bench
