# Bandwidth of memory that ranks share.
TESTS += tests/replay/memory/memory.sh
EXTRA_DIST += tests/replay/memory/memory.sh
