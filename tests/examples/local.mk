# tests/examples
dist_check_SCRIPTS += tests/examples/examples.sh tests/examples/predict.sh
TESTS += tests/examples/examples.sh tests/examples/predict.sh
