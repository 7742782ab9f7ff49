# The pattern search: one family of wait states a file.
noinst_LTLIBRARIES += libpatterns.la
libpatterns_la_SOURCES = patterns/pattern.h patterns/pattern_list.c patterns/search.h patterns/search.c \
	patterns/findings.h patterns/findings.c patterns/sweep.h patterns/sweep.c \
	patterns/instances.h patterns/instances.c \
	patterns/volume.c patterns/late_sender.h patterns/late_sender.c patterns/wrong_order.c \
	patterns/late_receiver.c patterns/n_to_n.h patterns/barrier.c patterns/all_to_all.c \
	patterns/late_broadcast.c patterns/early_reduce.c patterns/early_scan.c \
	patterns/begin_and_end.c patterns/needs.c patterns/needs.h patterns/clock_violations.c \
	patterns/causes.h patterns/causes.c patterns/sync_points.h patterns/sync_points.c patterns/sync_pairs.c \
	patterns/last_points.h patterns/last_points.c \
	patterns/intervals.h patterns/intervals.c patterns/path_times.h patterns/path_times.c \
	patterns/delay_list.h patterns/delay_list.c patterns/delays.h patterns/delays.c \
	patterns/long_term.h patterns/long_term.c patterns/delay_costs.c patterns/propagation.c \
	patterns/critical_path.c patterns/imbalance.h patterns/imbalance.c
libpatterns_la_SOURCES += patterns/explain.h patterns/explain.c patterns/explain_text.c \
	patterns/balance_choice.h patterns/balance_choice.c
libpatterns_la_SOURCES += patterns/epochs.h patterns/epochs.c patterns/epoch_partners.h patterns/epoch_partners.c \
	patterns/lock_waits.h patterns/lock_waits.c patterns/progress_waits.h patterns/progress_waits.c \
	patterns/one_sided_volume.c patterns/create_and_free.c patterns/fence.c patterns/late_post.c \
	patterns/early_wait.c patterns/lock_competition.c patterns/wait_for_progress.c
libpatterns_la_LIBADD = libseverity.la libtrace.la
