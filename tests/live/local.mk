# Pages that compute what-ifs.
TESTS += tests/live/live.sh
EXTRA_DIST += tests/live/live.sh tests/live/compare.py tests/live/evaluate.js tests/live/panel.py
