# Advice.
TESTS += tests/advise/flaws.sh tests/advise/init.sh
EXTRA_DIST += tests/advise/flaws.sh tests/advise/init.sh
