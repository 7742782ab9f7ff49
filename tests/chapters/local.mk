# Programs that check what MPI gives them, by chapters of the standard: traced, searched and replayed, they get the same.
check_PROGRAMS += tests/chapters/errors tests/chapters/attributes tests/chapters/operations \
	tests/chapters/datatypes tests/chapters/files tests/chapters/mixed_requests \
	tests/chapters/topologies tests/chapters/windows
tests_chapters_errors_SOURCES = tests/chapters/errors.c tests/chapters/chapter.h
tests_chapters_attributes_SOURCES = tests/chapters/attributes.c tests/chapters/chapter.h
tests_chapters_operations_SOURCES = tests/chapters/operations.c tests/chapters/chapter.h
tests_chapters_datatypes_SOURCES = tests/chapters/datatypes.c tests/chapters/chapter.h
tests_chapters_files_SOURCES = tests/chapters/files.c tests/chapters/chapter.h
tests_chapters_mixed_requests_SOURCES = tests/chapters/mixed_requests.c tests/chapters/chapter.h
tests_chapters_topologies_SOURCES = tests/chapters/topologies.c tests/chapters/chapter.h
tests_chapters_windows_SOURCES = tests/chapters/windows.c tests/chapters/chapter.h

TESTS += tests/chapters/chapters-np2.sh tests/chapters/chapters-np4.sh
EXTRA_DIST += tests/chapters/chapters-np2.sh tests/chapters/chapters-np4.sh
