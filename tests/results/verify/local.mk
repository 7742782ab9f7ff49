# Predictions against what was really measured.
TESTS += tests/results/verify/verify.sh
EXTRA_DIST += tests/results/verify/verify.sh
