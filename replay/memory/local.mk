# Memory bandwidth that ranks share: what computation needs of it, and how long it takes beside others.
noinst_LIBRARIES += libmemory.a
libmemory_a_SOURCES = replay/memory/memory.h replay/memory/memory_private.h replay/memory/memory.c replay/memory/config.c \
	replay/memory/estimate.c
memory_libs = libmemory.a $(replay_libs) $(transform_libs) $(trace_libs) $(base_libs)
