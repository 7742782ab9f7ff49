# tests/base
check_PROGRAMS += tests/base/ini_dump tests/base/config_dump tests/base/sort
tests_base_ini_dump_SOURCES = tests/base/ini_dump.c
tests_base_ini_dump_LDADD = libbase.la
tests_base_config_dump_SOURCES = tests/base/config_dump.c
tests_base_config_dump_LDADD = libreplayconfig.la libreplay.la

tests_base_sort_SOURCES = tests/base/sort.c
tests_base_sort_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_base_sort_LDADD = libbase.la $(CHECK_LIBS)

TESTS += tests/base/sort tests/base/ini.sh tests/base/config.sh
EXTRA_DIST += tests/base/golden.sh tests/base/ini.sh tests/base/ini tests/base/config.sh \
	tests/base/config

check_PROGRAMS += tests/base/clock-offset-np2.mpi tests/base/clock-offset-np3.mpi
tests_base_clock_offset_np2_mpi_SOURCES = tests/base/clock-offset.c
tests_base_clock_offset_np2_mpi_LDADD = libbase.la
tests_base_clock_offset_np3_mpi_SOURCES = tests/base/clock-offset.c
tests_base_clock_offset_np3_mpi_LDADD = libbase.la
TESTS += tests/base/clock-offset-np2.mpi tests/base/clock-offset-np3.mpi
