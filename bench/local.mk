# One command for each figure of doc/validation.md, and the programs they use.
noinst_PROGRAMS += bench/generate_trace bench/registration bench/load_trace bench/tracing_cost
bench_generate_trace_SOURCES = bench/generate_trace.c bench/generate_archive.c bench/generate_archive.h
bench_generate_trace_LDADD = $(OTF2_LIBS)
bench_registration_SOURCES = bench/registration.c bench/generate_archive.c bench/generate_archive.h
bench_registration_LDADD = libexample.la $(OTF2_LIBS)
bench_load_trace_SOURCES = bench/load_trace.c bench/empty_reader.c bench/empty_reader.h bench/heap.h
bench_load_trace_LDADD = libtrace.la libbase.la $(OTF2_LIBS)
bench_tracing_cost_SOURCES = bench/tracing_cost.c

EXTRA_DIST += bench/identity bench/newcomer bench/noise bench/common.sh bench/all bench/lb bench/halo-zero bench/examples-identity bench/load bench/tracing-cost bench/python-cost
# Identity replays of any trace; bench/identity runs it over the real programs.
noinst_PROGRAMS += bench/identity-replay
bench_identity_replay_SOURCES = bench/identity.c
bench_identity_replay_LDADD = libreplay.la libtrace.la libbase.la

# Micro-programs of each kind of communication, replayed unfitted and fitted.
noinst_PROGRAMS += bench/kinds_program
bench_kinds_program_SOURCES = bench/kinds_program.c
EXTRA_DIST += bench/kinds

# The model engine's speed and exactness.
noinst_PROGRAMS += bench/model_ring
bench_model_ring_SOURCES = bench/model_ring.c
bench_model_ring_LDADD = libreplay.la libtrace.la libbase.la
EXTRA_DIST += bench/model-ring bench/model-identity bench/predictions bench/predict-from bench/domino

# Whether the cores share the bandwidth of memory at the moment.
noinst_PROGRAMS += bench/near_cores
bench_near_cores_SOURCES = bench/near_cores.c

# The real-time engine's own cost, and short intervals.
noinst_PROGRAMS += bench/replay_cost bench/short_intervals
bench_replay_cost_SOURCES = bench/replay_cost.c
bench_replay_cost_LDADD = libreplay.la libtrace.la libbase.la
bench_short_intervals_SOURCES = bench/short_intervals.c
EXTRA_DIST += bench/replay-cost bench/short-intervals bench/compensate bench/small_functions.c

# The pattern search with all metrics.
noinst_PROGRAMS += bench/analyze_trace
bench_analyze_trace_SOURCES = bench/analyze_trace.c
bench_analyze_trace_LDADD = libpatterns.la libreport.la
EXTRA_DIST += bench/analyze bench/structure bench/structure-counts bench/exports

# Memory and time of each phase with the number of ranks.
noinst_PROGRAMS += bench/scaling_phases
bench_scaling_phases_SOURCES = bench/scaling.c bench/heap.h
bench_scaling_phases_LDADD = libpatterns.la libreplay.la libseverity.la libtrace.la libbase.la
EXTRA_DIST += bench/scaling bench/ranks

# More ranks than cores, and programs that others have packaged.
noinst_PROGRAMS += bench/napping_program
bench_napping_program_SOURCES = bench/napping.c
EXTRA_DIST += bench/napping bench/debian-programs bench/prepare bench/cut bench/reduction

# Resource vectors against loops.
noinst_PROGRAMS += bench/operation_kernels
bench_operation_kernels_SOURCES = bench/operation_kernels.c
bench_operation_kernels_CFLAGS = $(AM_CFLAGS) -fno-tree-vectorize
bench_operation_kernels_LDADD = libprediction.la
EXTRA_DIST += bench/operations

# Scripts beside a source of the same name: make would compile the source in their place, by its built-in
# rules, whenever that is newer.
.PHONY: bench/identity bench/napping bench/scaling

# Reduction while the program runs.
noinst_PROGRAMS += bench/piggyback_ways
bench_piggyback_ways_SOURCES = bench/piggyback.c
EXTRA_DIST += bench/piggyback bench/reduce-tracing

# Polling loops, with all their tests and with the first and the last.
noinst_PROGRAMS += bench/polling
bench_polling_SOURCES = bench/polling.c
EXTRA_DIST += bench/polls

# The size of folded loops.
EXTRA_DIST += bench/loops

# Against SimGrid.
EXTRA_DIST += bench/simgrid bench/simgrid-platform

# Laws of computation times, found again under noise.
noinst_PROGRAMS += bench/fit_laws
bench_fit_laws_SOURCES = bench/fit_laws.c \
	tests/prediction/text_value.c tests/prediction/text_value.h
bench_fit_laws_LDADD = libprediction.la
EXTRA_DIST += bench/fit

# Plug-ins as users build them.
EXTRA_DIST += bench/plugins

# Predictions of programs that do not exist: accuracy and speed.
EXTRA_DIST += bench/predict bench/predict-speed

# Advice against programs that are really changed; paired replays against separate jobs.
noinst_PROGRAMS += bench/slow_load bench/paired_widths
bench_slow_load_SOURCES = bench/slow_load.c
bench_slow_load_LDADD = -lm
bench_paired_widths_SOURCES = bench/paired_widths.c
bench_paired_widths_LDADD = libbase.la -lm
EXTRA_DIST += bench/advise bench/sweep-paired bench/sweep-jobs

# Sweeps by the model.
EXTRA_DIST += bench/sweep-model

# Conditions that fail, under noise.
EXTRA_DIST += bench/regression-gate

# Reports as pages.
noinst_PROGRAMS += bench/write_page
bench_write_page_SOURCES = bench/write_page.c
bench_write_page_LDADD = libreport.la -lm
EXTRA_DIST += bench/html bench/html_clicks.py bench/timeline bench/timeline_frames.py

# POP's efficiencies.
noinst_PROGRAMS += bench/pop_trace
bench_pop_trace_SOURCES = bench/pop_trace.c
bench_pop_trace_LDADD = libefficiency.la
EXTRA_DIST += bench/pop
