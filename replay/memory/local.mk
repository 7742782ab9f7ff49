# Memory bandwidth that ranks share: what computation needs of it, and how long it takes beside others.
noinst_LTLIBRARIES += libmemory.la
libmemory_la_SOURCES = memory/memory.h memory/memory_private.h memory/memory.c memory/config.c \
	memory/estimate.c
libmemory_la_LIBADD = libreplay.la libtransform.la libtrace.la libbase.la
