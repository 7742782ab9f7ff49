# The pattern search: one family of wait states a file.
noinst_LIBRARIES += libpatterns.a
libpatterns_a_SOURCES = patterns/pattern.h patterns/pattern_list.c patterns/search.h patterns/search.c \
	patterns/findings.h patterns/findings.c patterns/pool.h patterns/pool.c patterns/sweep.c \
	patterns/volume.c

# Messages and collective operations.
libpatterns_a_SOURCES += patterns/message_waits.h patterns/message_waits.c patterns/wrong_order.c patterns/probe_waits.c \
	patterns/collective_waits.h patterns/instances.c patterns/n_to_n.c patterns/needs.c

# Threads of parallel regions.
libpatterns_a_SOURCES += patterns/thread_waits.c

# One-sided communication.
libpatterns_a_SOURCES += patterns/epochs.h patterns/epochs.c patterns/epoch_partners.c \
	patterns/active_targets.c patterns/lock_competition.c patterns/wait_for_progress.c

# Causes of waits, and what follows from them.
libpatterns_a_SOURCES += patterns/sync_points.h patterns/sync_points.c patterns/sync_pairs.c \
	patterns/sync_exchange.h patterns/sync_exchange.c patterns/last_points.h patterns/last_points.c \
	patterns/intervals.h patterns/intervals.c patterns/path_times.h patterns/path_times.c patterns/delays.h patterns/delays.c \
	patterns/causes.h patterns/causes.c patterns/pass_back.h patterns/pass_back.c patterns/delay_costs.c patterns/propagation.c \
	patterns/posix_waits.c patterns/critical_path.c patterns/thread_path.h patterns/thread_path.c patterns/imbalance.h patterns/imbalance.c \
	patterns/explain.h patterns/explain.c patterns/explain_text.c \
	patterns/balance_choice.c

# What a reduced archive keeps beside its events.
libpatterns_a_SOURCES += patterns/folded.c patterns/folded.h
patterns_libs = libpatterns.a $(severity_libs) $(trace_libs)
