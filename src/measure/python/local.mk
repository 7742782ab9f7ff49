noinst_LTLIBRARIES += libpython.la
libpython_la_SOURCES = \
	src/measure/python/attach.c src/measure/python/attach.h \
	src/measure/python/hooks.h src/measure/python/monitoring.c src/measure/python/profile.c \
	src/measure/python/functions.c src/measure/python/functions.h \
	src/measure/python/interpreter.c src/measure/python/interpreter.h
libpython_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden
