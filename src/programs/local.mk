# One thin main a program.
bin_PROGRAMS += silas
silas_SOURCES = src/programs/silas.c
silas_LDADD = libbase.la

# The configuration of silas-replay; whoever links it brings an engine list (replay/engine.h).
noinst_LTLIBRARIES += libreplayconfig.la
libreplayconfig_la_SOURCES = src/programs/replay_config.c src/programs/replay_config.h \
	replay/engine.h
libreplayconfig_la_LIBADD = libtransform.la
include src/programs/silas-analyze.mk
include replay/repeat.mk
