# Bandwidth of memory that ranks share.
TESTS += tests/replay/memory/memory.sh
EXTRA_DIST += tests/replay/memory/memory.sh

check_PROGRAMS += tests/replay/memory/shares
tests_replay_memory_shares_SOURCES = tests/replay/memory/shares.c
tests_replay_memory_shares_LDADD = $(memory_libs) $(CHECK_LIBS)
TESTS += tests/replay/memory/shares
