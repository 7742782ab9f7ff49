# Advice.
TESTS += tests/advice/flaws.sh
EXTRA_DIST += tests/advice/flaws.sh
