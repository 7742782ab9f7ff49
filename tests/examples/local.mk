# tests/examples
dist_check_SCRIPTS += tests/examples/examples.sh
TESTS += tests/examples/examples.sh
