# Predictions against what was really measured.
TESTS += tests/verify/verify.sh
EXTRA_DIST += tests/verify/verify.sh
