# tests/examples
dist_check_SCRIPTS += tests/examples/examples.sh tests/examples/predict.sh tests/examples/changes.sh \
	tests/examples/registration.sh tests/examples/flaws.sh
TESTS += tests/examples/examples.sh tests/examples/predict.sh tests/examples/changes.sh \
	tests/examples/registration.sh tests/examples/flaws.sh
