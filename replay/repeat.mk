# The statistics of repeated replays.
noinst_LTLIBRARIES += librepeat.la
librepeat_la_SOURCES = replay/repeat.c replay/repeat.h
