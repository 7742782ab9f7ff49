# One what-if: its configuration, its session from loading to the last run, its report.
noinst_LIBRARIES += libjob.a
libjob_a_SOURCES = \
	src/job/duration.c src/job/duration.h \
	src/job/outcomes.c src/job/outcomes.h \
	src/job/kept_imbalance.c src/job/kept_imbalance.h \
	src/job/pace_check.c src/job/pace_check.h \
	src/job/question.c src/job/question.h \
	src/job/replay_config.c src/job/replay_config_load.c src/job/replay_config.h \
	src/job/replay_session.c src/job/replay_session.h \
	src/job/replay_summary.c src/job/replay_summary.h \
	src/job/run_spread.c src/job/run_spread.h \
	src/job/replay_elsewhere.c \
	src/job/replay_files.c src/job/replay_files.h \
	src/job/replay_output.c src/job/replay_output.h \
	src/job/replay_projection.c src/job/replay_projection.h \
	src/job/predict.c src/job/predict.h \
	src/job/timeline_output.c src/job/timeline_output.h \
	src/job/timeline_runs.c src/job/timeline_runs.h \
	src/job/report_details.c src/job/report_details.h \
	src/job/slow_ranks.c src/job/slow_ranks.h \
	src/job/traced_cost.c src/job/traced_cost.h \
	src/job/variation_costs.c src/job/variation_costs.h \
	src/job/report_variation.c src/job/report_variation.h \
	src/job/clocks.c src/job/clocks.h
job_libs = libjob.a $(live_libs) $(efficiency_libs) $(reduction_libs) $(memory_libs) $(replay_libs) $(patterns_libs) $(structure_libs) $(transform_libs) $(timeline_libs) $(report_libs)
