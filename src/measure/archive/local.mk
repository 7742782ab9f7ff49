noinst_LIBRARIES += libarchive.a
libarchive_a_SOURCES = \
	src/measure/archive/archive.h src/measure/archive/archive_private.h \
	src/measure/archive/otf2.c src/measure/recorder/worlds.c \
	src/measure/archive/events.c \
	src/measure/archive/part.c \
	src/measure/archive/unify.c src/measure/archive/unify.h \
	src/measure/archive/global.c \
	src/measure/archive/folded.c src/measure/archive/folded.h src/measure/archive/run_machine.h \
	src/measure/archive/clock_line.c src/measure/archive/clock_line.h \
	src/measure/archive/complete.c src/measure/archive/estimate.c \
	src/measure/archive/rank_definitions.c src/measure/archive/rank_definitions.h \
	src/measure/archive/rank_teams.c src/measure/archive/rank_teams.h \
	src/measure/archive/record_reader.c src/measure/archive/record_reader.h \
	src/measure/archive/symbols.c src/measure/archive/symbols.h
libarchive_a_CPPFLAGS = $(AM_CPPFLAGS) $(LIBDW_CFLAGS)
archive_libs = libarchive.a $(base_libs) $(OTF2_LIBS) $(LIBDW_LIBS)
