# tests/base
check_PROGRAMS += tests/base/ini_dump tests/base/config_dump
tests_base_ini_dump_SOURCES = tests/base/ini_dump.c
tests_base_ini_dump_LDADD = $(base_libs)
tests_base_config_dump_SOURCES = tests/base/config_dump.c
tests_base_config_dump_LDADD = $(job_libs)

# A program of unit tests for each subject.
base_units = tests/base/arena tests/base/containers tests/base/estimate tests/base/ini_change \
	tests/base/memory tests/base/options tests/base/output tests/base/paired tests/base/sort
check_PROGRAMS += $(base_units)
tests_base_arena_LDADD = $(base_libs) $(CHECK_LIBS)
tests_base_containers_LDADD = $(base_libs) $(CHECK_LIBS)
tests_base_estimate_LDADD = $(base_libs) $(CHECK_LIBS)
tests_base_ini_change_LDADD = $(base_libs) $(CHECK_LIBS)
tests_base_memory_LDADD = $(base_libs) $(CHECK_LIBS)
tests_base_options_LDADD = $(base_libs) $(CHECK_LIBS)
tests_base_output_LDADD = $(base_libs) $(CHECK_LIBS)
tests_base_paired_LDADD = $(base_libs) $(CHECK_LIBS)
tests_base_sort_LDADD = $(base_libs) $(CHECK_LIBS)

TESTS += $(base_units) tests/base/ini.sh tests/base/config.sh tests/base/prefetch.sh
EXTRA_DIST += tests/base/golden.sh tests/base/ini.sh tests/base/prefetch.sh tests/base/ini tests/base/config.sh tests/base/blocks.h \
	tests/base/config

check_PROGRAMS += tests/base/clock-offset-np2.mpi tests/base/clock-offset-np3.mpi
tests_base_clock_offset_np2_mpi_SOURCES = tests/base/clock-offset.c
tests_base_clock_offset_np2_mpi_LDADD = $(base_libs)
tests_base_clock_offset_np3_mpi_SOURCES = tests/base/clock-offset.c
tests_base_clock_offset_np3_mpi_LDADD = $(base_libs)
TESTS += tests/base/clock-offset-np2.mpi tests/base/clock-offset-np3.mpi

check_PROGRAMS += tests/base/cpus
tests_base_cpus_SOURCES = tests/base/cpus.c
tests_base_cpus_LDADD = $(base_libs) $(CHECK_LIBS)
TESTS += tests/base/cpus

check_PROGRAMS += tests/base/forked
tests_base_forked_SOURCES = tests/base/forked.c
tests_base_forked_LDADD = $(base_libs) $(CHECK_LIBS)
TESTS += tests/base/forked

