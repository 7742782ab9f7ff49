# silas-traffic.
TESTS += tests/results/traffic/traffic.sh
EXTRA_DIST += tests/results/traffic/traffic.sh
