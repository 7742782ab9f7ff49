# Below the wrappers: recorder, clocks, the archive's writer, launcher, compiler wrappers.
silasincludedir = $(includedir)/silas
dist_silasinclude_HEADERS = src/measure/silas/region.h

noinst_LTLIBRARIES += librecord.la
librecord_la_SOURCES = \
	src/measure/record.c src/measure/record.h src/measure/record_format.h src/measure/record_private.h \
	src/measure/record_clock.c src/measure/record_define.c \
	src/measure/clock_offset.c src/measure/clock_offset.h \
	src/measure/machine.c src/measure/machine.h \
	src/measure/measurement.c src/measure/keeper.h
librecord_la_LIBADD = libbase.la
