# POP's efficiencies in closed form, with one, two and three processes.
check_PROGRAMS += tests/results/efficiency/measure-np1.mpi tests/results/efficiency/measure-np2.mpi \
	tests/results/efficiency/measure-np3.mpi
efficiency_measure_sources = tests/results/efficiency/measure.c \
	tests/transform/built_trace.c tests/transform/built_trace.h
tests_results_efficiency_measure_np1_mpi_SOURCES = $(efficiency_measure_sources)
tests_results_efficiency_measure_np1_mpi_LDADD = $(efficiency_libs)
tests_results_efficiency_measure_np2_mpi_SOURCES = $(efficiency_measure_sources)
tests_results_efficiency_measure_np2_mpi_LDADD = $(efficiency_libs)
tests_results_efficiency_measure_np3_mpi_SOURCES = $(efficiency_measure_sources)
tests_results_efficiency_measure_np3_mpi_LDADD = $(efficiency_libs)
TESTS += tests/results/efficiency/measure-np1.mpi tests/results/efficiency/measure-np2.mpi \
	tests/results/efficiency/measure-np3.mpi

# The program.
TESTS += tests/results/efficiency/pop.sh
EXTRA_DIST += tests/results/efficiency/pop.sh
