# Memory bandwidth that ranks share: what computation needs of it, and how long it takes beside others.
noinst_LTLIBRARIES += libmemory.la
libmemory_la_SOURCES = replay/memory/memory.h replay/memory/memory_private.h replay/memory/memory.c replay/memory/config.c \
	replay/memory/estimate.c
libmemory_la_LIBADD = libreplay.la libtransform.la libtrace.la libbase.la
