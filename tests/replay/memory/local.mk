# Bandwidth of memory that ranks share.
TESTS += tests/memory/memory.sh
EXTRA_DIST += tests/memory/memory.sh
