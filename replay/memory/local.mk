# Memory bandwidth that ranks share: how much of it computation needs, and how long it takes with the computation of other ranks.
noinst_LIBRARIES += libmemory.a
libmemory_a_SOURCES = replay/memory/memory.h replay/memory/memory.c replay/memory/config.h replay/memory/config.c \
	replay/memory/estimate.h replay/memory/estimate.c replay/memory/share_study.h replay/memory/share_study.c
memory_libs = libmemory.a $(replay_libs) $(transform_libs) $(trace_libs) $(base_libs)
