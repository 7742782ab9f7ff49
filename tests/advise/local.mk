# Advice.
TESTS += tests/advice/flaws.sh tests/advice/init.sh
EXTRA_DIST += tests/advice/flaws.sh tests/advice/init.sh
