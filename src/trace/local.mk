# The trace in memory. Everything that reads or writes OTF2 is here (and in the tracer's archive writer).
noinst_LTLIBRARIES += libtrace.la
libtrace_la_SOURCES = src/trace/trace.c src/trace/trace.h \
	src/trace/grow.c src/trace/grow.h \
	src/trace/environment.c src/trace/environment.h \
	src/trace/definitions.c src/trace/definitions.h \
	src/trace/calltree.c src/trace/calltree.h \
	src/trace/otf2_error.c src/trace/otf2_error.h \
	src/trace/id_map.c src/trace/load_definitions.c src/trace/load_definitions.h \
	src/trace/load_definitions_private.h src/trace/resolve_definitions.c src/trace/assign_ranks.c \
	src/trace/open_requests.c src/trace/open_requests.h src/trace/other_events.h \
	src/trace/load_events.c src/trace/load_events.h src/trace/load_builder.c src/trace/load_builder.h \
	src/trace/load_regions.c src/trace/load_messages.c src/trace/load_collectives.c src/trace/load_windows.c \
	src/trace/load_others.c src/trace/merge_threads.c src/trace/merge_threads.h src/trace/thread_ends.h \
	src/trace/merge_ends.c src/trace/merge_threads_private.h \
	src/trace/collective_order.c src/trace/collective_order.h src/trace/clock_private.h \
	src/trace/clock_limits.c src/trace/correct_clocks.c src/trace/correct_clocks.h \
	src/trace/anchor.c src/trace/anchor.h src/trace/load.c src/trace/load.h \
	src/trace/save.c src/trace/save.h src/trace/warp.c src/trace/warp.h \
	src/trace/save_definitions.c src/trace/save_definitions.h \
	src/trace/save_events.c src/trace/save_events.h \
	src/trace/save_windows.c src/trace/save_events_private.h \
	src/trace/preflight.c src/trace/preflight.h src/trace/preflight_private.h \
	src/trace/preflight_compile.c src/trace/preflight_run.c \
	src/trace/match.c src/trace/match.h src/trace/match_private.h \
	src/trace/match_messages.c src/trace/match_collectives.c src/trace/match_windows.c src/trace/mismatches.c
libtrace_la_LIBADD = libbase.la $(OTF2_LIBS)
