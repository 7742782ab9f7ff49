# "import silas".
TESTS += tests/python/module.sh tests/python/notebook.sh
EXTRA_DIST += tests/python/module.sh tests/python/notebook.sh tests/python/tables.py tests/python/what_ifs.py tests/python/work.py \
	tests/python/arrow.py tests/python/tap.py tests/python/threads.py tests/python/threads.txt \
	tests/python/clocks.py tests/python/clocks.txt tests/python/one_sided.py tests/python/one-sided.txt
