# One command for each figure of doc/validation.md, and the programs they use.
noinst_PROGRAMS += bench/trace/generate_trace bench/replay/registration bench/trace/load_trace bench/measure/tracing_cost
bench_trace_generate_trace_SOURCES = bench/trace/generate_trace.c bench/trace/generate_archive.c bench/trace/generate_archive.h
bench_trace_generate_trace_LDADD = $(OTF2_LIBS)
bench_replay_registration_SOURCES = bench/replay/registration.c bench/trace/generate_archive.c bench/trace/generate_archive.h
bench_replay_registration_LDADD = $(example_libs) $(OTF2_LIBS)
bench_trace_load_trace_SOURCES = bench/trace/load_trace.c bench/trace/empty_reader.c bench/trace/empty_reader.h bench/trace/heap.h
bench_trace_load_trace_LDADD = $(trace_libs) $(base_libs) $(OTF2_LIBS)
bench_measure_tracing_cost_SOURCES = bench/measure/tracing_cost.c bench/measure/median_cost.h

EXTRA_DIST += bench/replay/identity bench/system/newcomer bench/replay/noise bench/common.sh bench/all bench/replay/lb bench/replay/halo-zero bench/replay/examples-identity bench/trace/load bench/measure/tracing-cost bench/measure/python-cost
# Identity replays of any trace; bench/replay/identity runs it over the real programs.
noinst_PROGRAMS += bench/replay/identity-replay
bench_replay_identity_replay_SOURCES = bench/replay/identity.c
bench_replay_identity_replay_LDADD = $(replay_libs) $(trace_libs) $(base_libs)

# Micro-programs of each kind of communication, replayed unfitted and fitted.
noinst_PROGRAMS += bench/replay/kinds_program
bench_replay_kinds_program_SOURCES = bench/replay/kinds_program.c
bench_replay_kinds_program_LDADD = -lm
EXTRA_DIST += bench/replay/kinds bench/replay/types bench/replay/wait

# The model engine's speed and exactness.
noinst_PROGRAMS += bench/model/model_ring
bench_model_model_ring_SOURCES = bench/model/model_ring.c
bench_model_model_ring_LDADD = $(replay_libs) $(trace_libs) $(base_libs)
noinst_PROGRAMS += bench/model/shared_links
bench_model_shared_links_SOURCES = bench/model/shared_links.c
bench_model_shared_links_LDADD = $(replay_libs) $(transform_libs) $(trace_libs) $(base_libs)
EXTRA_DIST += bench/model/shared-links bench/model/links-simgrid bench/model/links-throttled bench/model/pairs.c bench/model/model-ring bench/model/model-identity bench/replay/predictions bench/predict/predict-from bench/predict/from-itself bench/predict/from-random bench/model/domino bench/model/what-if

# Whether the cores share the bandwidth of memory at the moment.
noinst_PROGRAMS += bench/replay/near_cores
bench_replay_near_cores_SOURCES = bench/replay/near_cores.c

# The real-time engine's own cost, and short intervals.
noinst_PROGRAMS += bench/replay/replay_cost bench/replay/short_intervals
bench_replay_replay_cost_SOURCES = bench/replay/replay_cost.c
bench_replay_replay_cost_LDADD = $(replay_libs) $(trace_libs) $(base_libs)
bench_replay_short_intervals_SOURCES = bench/replay/short_intervals.c
EXTRA_DIST += bench/replay/replay-cost bench/replay/short-intervals bench/replay/compensate bench/measure/small_functions.c

# The pattern search with all metrics.
noinst_PROGRAMS += bench/patterns/analyze_trace
bench_patterns_analyze_trace_SOURCES = bench/patterns/analyze_trace.c
bench_patterns_analyze_trace_LDADD = $(patterns_libs) $(report_libs)
EXTRA_DIST += bench/patterns/analyze bench/structure/structure bench/structure/structure-counts \
	bench/structure/structure-worst bench/structure/worst_cases.py bench/structure/random-nests bench/report/exports

# Memory and time of each phase with the number of ranks.
noinst_PROGRAMS += bench/patterns/scaling_phases
bench_patterns_scaling_phases_SOURCES = bench/patterns/scaling.c bench/trace/heap.h
bench_patterns_scaling_phases_LDADD = $(patterns_libs) $(replay_libs) $(severity_libs) $(trace_libs) $(base_libs)
EXTRA_DIST += bench/patterns/scaling bench/patterns/ranks

# More ranks than cores, and programs that others have packaged.
noinst_PROGRAMS += bench/replay/napping_program
bench_replay_napping_program_SOURCES = bench/replay/napping.c
EXTRA_DIST += bench/replay/napping bench/measure/debian-programs bench/replay/prepare bench/structure/cut bench/reduce/reduction

# Predictions against programs that are really changed.
noinst_PROGRAMS += bench/truth/truth_program
bench_truth_truth_program_SOURCES = bench/truth/truth_program.c
bench_truth_truth_program_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/src/measure
EXTRA_DIST += bench/truth/make-cases bench/truth/truth

# Resource vectors against loops.
noinst_PROGRAMS += bench/predict/elimination
bench_predict_elimination_SOURCES = bench/predict/elimination.c
EXTRA_DIST += bench/predict/counted bench/predict/elimination.silas

noinst_PROGRAMS += bench/predict/operation_kernels
bench_predict_operation_kernels_SOURCES = bench/predict/operation_kernels.c
bench_predict_operation_kernels_CFLAGS = $(AM_CFLAGS) -fno-tree-vectorize
bench_predict_operation_kernels_LDADD = $(prediction_libs)
EXTRA_DIST += bench/predict/operations

# Scripts beside a source of the same name: make would compile the source in their place, by its built-in
# rules, whenever that is newer.
.PHONY: bench/replay/identity bench/replay/napping bench/patterns/scaling bench/measure/piggyback

# Reduction while the program runs.
noinst_PROGRAMS += bench/measure/piggyback_ways
bench_measure_piggyback_ways_SOURCES = bench/measure/piggyback.c
EXTRA_DIST += bench/measure/piggyback bench/measure/reduce-tracing

# Polling loops, with all their tests and with the first and the last.
noinst_PROGRAMS += bench/measure/polling
bench_measure_polling_SOURCES = bench/measure/polling.c
EXTRA_DIST += bench/measure/polls

# The size of folded loops.
EXTRA_DIST += bench/trace/loops

# Against SimGrid.
EXTRA_DIST += bench/model/simgrid bench/model/simgrid-platform

# Laws of computation times, found again under noise.
noinst_PROGRAMS += bench/predict/fit_laws
bench_predict_fit_laws_SOURCES = bench/predict/fit_laws.c \
	tests/predict/text_value.c tests/predict/text_value.h
bench_predict_fit_laws_LDADD = $(prediction_libs)
EXTRA_DIST += bench/predict/fit

# Plug-ins as users build them.
EXTRA_DIST += bench/system/plugins

# Predictions of programs that do not exist: accuracy and speed.
EXTRA_DIST += bench/predict/predict bench/predict/predict-speed

# Advice against programs that are really changed; paired replays against separate jobs.
noinst_PROGRAMS += bench/trace/slow_load bench/replay/paired_widths
bench_trace_slow_load_SOURCES = bench/trace/slow_load.c
bench_trace_slow_load_LDADD = -lm
bench_replay_paired_widths_SOURCES = bench/replay/paired_widths.c
bench_replay_paired_widths_LDADD = $(base_libs) -lm
EXTRA_DIST += bench/sweep/advise bench/sweep/sweep-paired bench/sweep/sweep-jobs

# Sweeps by the model.
EXTRA_DIST += bench/sweep/sweep-model bench/python/columns

# Conditions that fail, under noise.
EXTRA_DIST += bench/report/regression-gate

# Reports as pages.
noinst_PROGRAMS += bench/report/write_page
bench_report_write_page_SOURCES = bench/report/write_page.c
bench_report_write_page_LDADD = $(report_libs) -lm
EXTRA_DIST += bench/report/html bench/report/html_clicks.py bench/report/timeline bench/report/timeline_frames.py bench/report/live bench/report/live_frames.py

# POP's efficiencies.
noinst_PROGRAMS += bench/report/pop_trace
bench_report_pop_trace_SOURCES = bench/report/pop_trace.c
bench_report_pop_trace_LDADD = $(efficiency_libs)
EXTRA_DIST += bench/report/pop

# Programs with threads that are really changed.
noinst_PROGRAMS += bench/threads/threads_program
bench_threads_threads_program_SOURCES = bench/threads/threads_program.c
bench_threads_threads_program_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/src/measure
bench_threads_threads_program_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS)
EXTRA_DIST += bench/threads/make-cases bench/threads/threads bench/threads/large-trace bench/threads/host-share bench/threads/tracing-cost bench/threads/construct_cost.c
