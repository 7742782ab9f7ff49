# The trace in memory. All reading and writing of OTF2 is here, except the tracer's archive writer. Each folder does
# one thing with a trace; all of them use the store, the definitions and the call tree.
noinst_LIBRARIES += libtrace.a
libtrace_a_SOURCES = src/trace/trace.c src/trace/trace.h src/trace/prefetch.h \
	src/trace/check.c src/trace/check.h \
	src/trace/exchange.c src/trace/exchange.h \
	src/trace/definitions.c src/trace/definitions.h \
	src/trace/channel.h src/trace/threads.c src/trace/threads.h src/trace/forks.c src/trace/forks.h \
	src/trace/spawned.c src/trace/spawned.h \
	src/trace/calltree.c src/trace/calltree.h \
	src/trace/comm_uses.c src/trace/comm_uses.h \
	src/trace/environment.c src/trace/environment.h \
	src/trace/grow.c src/trace/grow.h \
	src/trace/otf2_records.h \
	src/trace/otf2_error.c src/trace/otf2_error.h

# What a recorded call does.
libtrace_a_SOURCES += src/trace/calls/walk.c src/trace/calls/walk.h \
	src/trace/calls/records.h \
	src/trace/calls/semantics.c src/trace/calls/semantics.h \
	src/trace/calls/message_pairs.c src/trace/calls/message_pairs.h \
	src/trace/calls/regions.c src/trace/calls/regions.h \
	src/trace/calls/collective_operations.c src/trace/calls/collective_operations.h

# An archive becomes a trace.
libtrace_a_SOURCES += src/trace/load/load.c src/trace/load/load.h \
	src/trace/load/load_private.h src/trace/load/anchor.c \
	src/trace/load/definition_ids.h \
	src/trace/load/load_definitions.c \
	src/trace/load/raw_definitions.c src/trace/load/raw_definitions.h \
	src/trace/load/assign_ranks.c \
	src/trace/load/load_events.c \
	src/trace/load/event_files.c src/trace/load/event_files.h src/trace/load/event_files_private.h \
	src/trace/load/event_records.c src/trace/load/event_bytes.h \
	src/trace/load/load_builder.c src/trace/load/load_builder.h \
	src/trace/load/load_regions.c \
	src/trace/load/load_messages.c \
	src/trace/load/load_collectives.c \
	src/trace/load/load_windows.c \
	src/trace/load/load_others.c \
	src/trace/load/slices.c src/trace/load/slices.h \
	src/trace/load/counters.c src/trace/load/counters.h \
	src/trace/load/merge_threads.c \
	src/trace/load/merge_threads_private.h \
	src/trace/load/merge_ends.c \
	src/trace/load/split_threads.c \
	src/trace/load/thread_epochs.c \
	src/trace/load/split_threads_private.h \
	src/trace/load/thread_members.c \
	src/trace/load/thread_requests.c \
	src/trace/load/thread_partners.c

# Actions of ranks become a trace.
libtrace_a_SOURCES += src/trace/build/trace_builder.h src/trace/build/trace_builder_private.h \
	src/trace/build/build_definitions.c src/trace/build/build_events.c

# A trace becomes an archive.
libtrace_a_SOURCES += src/trace/save/save.c src/trace/save/save.h \
	src/trace/save/save_private.h \
	src/trace/save/save_definitions.c \
	src/trace/save/save_processes.c \
	src/trace/save/save_events.c

# What belongs together: ends of messages, members of collective operations and of epochs.
libtrace_a_SOURCES += src/trace/match/match.c src/trace/match/match.h \
	src/trace/match/match_private.h \
	src/trace/match/match_messages.c \
	src/trace/match/match_collectives.c \
	src/trace/match/match_files.c \
	src/trace/match/match_windows.c \
	src/trace/match/mismatches.c

# Would the operations run to their end?
libtrace_a_SOURCES += src/trace/deadlock/preflight.c src/trace/deadlock/preflight.h \
	src/trace/deadlock/untimed.c src/trace/deadlock/untimed.h

# Time stamps of clocks that disagree, corrected.
libtrace_a_SOURCES += src/trace/clocks/correct_clocks.c src/trace/clocks/correct_clocks.h \
	src/trace/clocks/clock_private.h \
	src/trace/clocks/clock_limits.c

trace_libs = libtrace.a $(base_libs) $(OTF2_LIBS)
