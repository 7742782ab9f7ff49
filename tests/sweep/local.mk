# Sweeps.
check_PROGRAMS += tests/sweep/result
tests_sweep_result_SOURCES = tests/sweep/result.c
tests_sweep_result_LDADD = $(sweep_libs) $(CHECK_LIBS)
TESTS += tests/sweep/result

check_PROGRAMS += tests/sweep/objective-np1.mpi tests/sweep/objective-np2.mpi
tests_sweep_objective_np1_mpi_SOURCES = tests/sweep/objective.c \
	tests/transform/built_trace.c tests/transform/built_trace.h
tests_sweep_objective_np1_mpi_LDADD = $(sweep_libs)
tests_sweep_objective_np2_mpi_SOURCES = $(tests_sweep_objective_np1_mpi_SOURCES)
tests_sweep_objective_np2_mpi_LDADD = $(sweep_libs)
TESTS += tests/sweep/objective-np1.mpi tests/sweep/objective-np2.mpi

# Processes that compute runs side by side.
check_PROGRAMS += tests/sweep/workers
tests_sweep_workers_SOURCES = tests/sweep/workers.c
tests_sweep_workers_LDADD = $(sweep_libs) $(CHECK_LIBS)
TESTS += tests/sweep/workers

# Runs by the model.
check_PROGRAMS += tests/sweep/compute_runs
tests_sweep_compute_runs_SOURCES = tests/sweep/compute_runs.c
tests_sweep_compute_runs_LDADD = $(sweep_libs)
TESTS += tests/sweep/predictions.sh
EXTRA_DIST += tests/sweep/predictions.sh
TESTS += tests/sweep/compute.sh
EXTRA_DIST += tests/sweep/compute.sh

# Rounds of replays, interrupted and resumed.
check_PROGRAMS += tests/sweep/check_rounds
tests_sweep_check_rounds_SOURCES = tests/sweep/check_rounds.c
tests_sweep_check_rounds_LDADD = $(sweep_libs)
TESTS += tests/sweep/rounds.sh tests/sweep/sweep.sh
EXTRA_DIST += tests/sweep/rounds.sh tests/sweep/sweep.sh

# The table and its formats.
check_PROGRAMS += tests/sweep/table
tests_sweep_table_SOURCES = tests/sweep/table.c
tests_sweep_table_LDADD = $(sweep_libs) $(CHECK_LIBS)
TESTS += tests/sweep/table

# The files of a sweep.
check_PROGRAMS += tests/sweep/sweep_dump
tests_sweep_sweep_dump_SOURCES = tests/sweep/sweep_dump.c
tests_sweep_sweep_dump_LDADD = $(sweep_libs)
TESTS += tests/sweep/file.sh tests/sweep/set.sh
EXTRA_DIST += tests/sweep/file.sh tests/sweep/set.sh

check_PROGRAMS += tests/sweep/html
tests_sweep_html_SOURCES = tests/sweep/html.c
tests_sweep_html_LDADD = $(sweep_libs) $(CHECK_LIBS)
TESTS += tests/sweep/html tests/sweep/page.sh
EXTRA_DIST += tests/sweep/page.sh
# Sweeps on batch systems: a real Slurm, and fake commands.
TESTS += tests/sweep/slurm.sh tests/sweep/queue.sh
EXTRA_DIST += tests/sweep/queue.sh tests/sweep/slurm.sh tests/sweep/slurm.bash
