# Python programs (silas-trace --python).
EXTRA_DIST += tests/measure/python/mpi.py tests/measure/python/solver.py tests/measure/python/solver.expected \
	tests/measure/python/unequal.py tests/measure/python/objects.py
dist_check_SCRIPTS += tests/measure/python.sh tests/measure/python-questions.sh
TESTS += tests/measure/python.sh tests/measure/python-questions.sh
