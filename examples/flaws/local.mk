# Programs with one planted flaw each, which --fixed removes, and three without any; the same as model
# scripts, for any number of ranks.
noinst_PROGRAMS += examples/flaws/imbalance-total examples/flaws/imbalance-rotating \
	examples/flaws/late-sender examples/flaws/needless-barrier examples/flaws/empty-messages \
	examples/flaws/serial-ring examples/flaws/missing-overlap examples/flaws/balanced-stencil \
	examples/flaws/balanced-sum examples/flaws/independent-samples
examples_flaws_imbalance_total_SOURCES = examples/flaws/imbalance-total.c
examples_flaws_imbalance_total_CPPFLAGS = $(example_cppflags)
examples_flaws_imbalance_total_LDADD = $(example_libs)
examples_flaws_imbalance_rotating_SOURCES = examples/flaws/imbalance-rotating.c
examples_flaws_imbalance_rotating_CPPFLAGS = $(example_cppflags)
examples_flaws_imbalance_rotating_LDADD = $(example_libs)
examples_flaws_late_sender_SOURCES = examples/flaws/late-sender.c
examples_flaws_late_sender_CPPFLAGS = $(example_cppflags)
examples_flaws_late_sender_LDADD = $(example_libs)
examples_flaws_needless_barrier_SOURCES = examples/flaws/needless-barrier.c
examples_flaws_needless_barrier_CPPFLAGS = $(example_cppflags)
examples_flaws_needless_barrier_LDADD = $(example_libs)
examples_flaws_empty_messages_SOURCES = examples/flaws/empty-messages.c
examples_flaws_empty_messages_CPPFLAGS = $(example_cppflags)
examples_flaws_empty_messages_LDADD = $(example_libs)
examples_flaws_serial_ring_SOURCES = examples/flaws/serial-ring.c
examples_flaws_serial_ring_CPPFLAGS = $(example_cppflags)
examples_flaws_serial_ring_LDADD = $(example_libs)
examples_flaws_missing_overlap_SOURCES = examples/flaws/missing-overlap.c
examples_flaws_missing_overlap_CPPFLAGS = $(example_cppflags)
examples_flaws_missing_overlap_LDADD = $(example_libs)
examples_flaws_balanced_stencil_SOURCES = examples/flaws/balanced-stencil.c
examples_flaws_balanced_stencil_CPPFLAGS = $(example_cppflags)
examples_flaws_balanced_stencil_LDADD = $(example_libs)
examples_flaws_balanced_sum_SOURCES = examples/flaws/balanced-sum.c
examples_flaws_balanced_sum_CPPFLAGS = $(example_cppflags)
examples_flaws_balanced_sum_LDADD = $(example_libs)
examples_flaws_independent_samples_SOURCES = examples/flaws/independent-samples.c
examples_flaws_independent_samples_CPPFLAGS = $(example_cppflags)
examples_flaws_independent_samples_LDADD = $(example_libs)
EXTRA_DIST += examples/flaws/imbalance-total.ini examples/flaws/imbalance-rotating.ini \
	examples/flaws/late-sender.ini examples/flaws/needless-barrier.ini examples/flaws/empty-messages.ini \
	examples/flaws/serial-ring.ini examples/flaws/missing-overlap.ini
EXTRA_DIST += examples/flaws/imbalance-total.silas examples/flaws/imbalance-rotating.silas \
	examples/flaws/late-sender.silas examples/flaws/needless-barrier.silas examples/flaws/empty-messages.silas \
	examples/flaws/serial-ring.silas examples/flaws/missing-overlap.silas examples/flaws/balanced-stencil.silas \
	examples/flaws/balanced-sum.silas examples/flaws/independent-samples.silas
