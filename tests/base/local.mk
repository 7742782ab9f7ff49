# tests/base
check_PROGRAMS += tests/base/ini_dump
tests_base_ini_dump_SOURCES = tests/base/ini_dump.c
tests_base_ini_dump_LDADD = libbase.la

TESTS += tests/base/ini.sh
EXTRA_DIST += tests/base/ini.sh tests/base/ini
