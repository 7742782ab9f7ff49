# The pattern search: one family of wait states a file.
noinst_LTLIBRARIES += libpatterns.la
libpatterns_la_SOURCES = patterns/pattern.h patterns/pattern_list.c patterns/search.h patterns/search.c \
	patterns/findings.h patterns/findings.c patterns/sweep.h patterns/sweep.c \
	patterns/ends.h patterns/ends.c patterns/instances.h patterns/instances.c \
	patterns/volume.c patterns/late_sender.h patterns/late_sender.c patterns/wrong_order.c \
	patterns/late_receiver.c patterns/n_to_n.h patterns/barrier.c patterns/all_to_all.c \
	patterns/late_broadcast.c patterns/early_reduce.c patterns/early_scan.c \
	patterns/begin_and_end.c patterns/needs.c patterns/needs.h patterns/clock_violations.c
libpatterns_la_LIBADD = libseverity.la libtrace.la
