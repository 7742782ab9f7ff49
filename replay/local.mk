# What calls cost: also for hypotheses.
noinst_LIBRARIES += libcosts.a
libcosts_a_SOURCES = \
	replay/costs/operation.c replay/costs/operation.h \
	replay/costs/machine.c replay/costs/machine.h \
	replay/costs/transfer.c replay/costs/transfer.h \
	replay/costs/call_groups.c replay/costs/call_groups.h \
	replay/costs/pieces.c replay/costs/pieces.h \
	replay/costs/layout.c replay/costs/layout.h \
	replay/costs/fit.c \
	replay/costs/recorded.c replay/costs/recorded.h \
	replay/costs/message_ends.c replay/costs/message_ends.h \
	replay/costs/meetings.c replay/costs/meetings.h \
	replay/costs/rewrite.c replay/costs/rewrite.h \
	replay/costs/call_costs.c replay/costs/call_costs.h \
	replay/costs/disturbances.h replay/costs/limits.c replay/costs/limits.h
# The engines that predict when the events of a trace would happen, and the statistics over their runs.
noinst_LIBRARIES += libreplay.a
libreplay_a_SOURCES = replay/engine.h replay/engine_list.c replay/engine_template.c \
	replay/repeat.h replay/repeat.c \
	replay/series.h replay/series.c \
	replay/accuracy.h replay/accuracy.c \
	replay/untraced.h replay/untraced.c \
	replay/correction/correction.c replay/correction/correction.h \
	replay/correction/network.c replay/correction/network.h \
	replay/model/model.c replay/model/model.h \
	replay/model/thread_messages.c replay/model/thread_messages.h \
	replay/model/collective_cost.c replay/model/collective_cost.h \
	replay/model/call_term.c replay/model/call_term.h \
	replay/model/compile.c replay/model/compile.h \
	replay/model/evaluate.c replay/model/evaluate.h \
	replay/model/join.c \
	replay/model/fluid.c replay/model/fluid.h \
	replay/model/flows.c replay/model/flows.h \
	replay/model/link_network.c replay/model/link_network.h \
	replay/model/link_queue.c replay/model/link_queue.h \
	replay/model/share.c replay/model/share.h \
	replay/model/critical.c replay/model/critical.h \
	replay/model/domino.c replay/model/domino.h \
	replay/model/parametric.c replay/model/parametric.h \
	replay/calibrate/calibrate.h \
	replay/calibrate/parameters.c replay/calibrate/parameters.h \
	replay/calibrate/doubts.c replay/calibrate/doubts.h \
	replay/calibrate/operations.h \
	replay/calibrate/kernels.c replay/calibrate/kernels.h \
	replay/calibrate/chase.c replay/calibrate/chase.h \
	replay/calibrate/file_costs.c replay/calibrate/file_costs.h \
	replay/calibrate/sharing.h
libmpipart_a_SOURCES += \
	replay/correction/network_private.h \
	replay/correction/solve.c \
	replay/calibrate/calibrate.c \
	replay/calibrate/experiments.c replay/calibrate/experiments.h \
	replay/calibrate/operations.c \
	replay/calibrate/sharing.c \
	replay/realtime/realtime.c replay/realtime/realtime_errors.c replay/realtime/realtime_errors.h replay/realtime/realtime.h \
	replay/realtime/realtime_private.h replay/realtime/run.c replay/realtime/threads.c \
	replay/realtime/options.h replay/realtime/tuned.h \
	replay/realtime/tuning.c replay/realtime/tuning.h \
	replay/realtime/shortfall.c replay/realtime/shortfall.h \
	replay/realtime/trial_part.c replay/realtime/trial_part.h \
	replay/realtime/program.h \
	replay/realtime/moved.c replay/realtime/moved.h \
	replay/realtime/compile.c replay/realtime/compiler.h replay/realtime/compiler.c \
	replay/realtime/compile_messages.c \
	replay/realtime/compile_communicators.c \
	replay/realtime/compile_windows.c \
	replay/realtime/windows.c replay/realtime/windows.h replay/realtime/operate_collectives.c \
	replay/realtime/communicators.c replay/realtime/communicators.h \
	replay/realtime/agreement.c replay/realtime/agreement.h \
	replay/realtime/collectives.c replay/realtime/collective_calls.h replay/realtime/collective_counts.c \
	replay/realtime/rebuilt_types.c replay/realtime/rebuilt_types.h \
	replay/realtime/operators.c replay/realtime/operators.h \
	replay/realtime/buffers.c replay/realtime/buffers.h \
	replay/realtime/approximations.h \
	replay/realtime/placement.c replay/realtime/placement.h \
	replay/realtime/executor.c replay/realtime/executor.h \
	replay/realtime/execute.c \
	replay/realtime/operate.h replay/realtime/operations.c replay/realtime/operate_requests.c \
	replay/realtime/fill.c replay/realtime/fill.h \
	replay/realtime/wildcards.c replay/realtime/wildcards.h \
	replay/realtime/watchdog.c replay/realtime/watchdog.h
replay_libs = libreplay.a libmpipart.a libreplay.a $(transform_libs) $(trace_libs) $(base_libs)
