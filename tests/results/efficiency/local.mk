# POP's efficiencies in closed form, with one, two and three processes.
check_PROGRAMS += tests/efficiency/measure-np1.mpi tests/efficiency/measure-np2.mpi \
	tests/efficiency/measure-np3.mpi
efficiency_measure_sources = tests/efficiency/measure.c \
	tests/transform/built_trace.c tests/transform/built_trace.h
tests_efficiency_measure_np1_mpi_SOURCES = $(efficiency_measure_sources)
tests_efficiency_measure_np1_mpi_LDADD = libefficiency.la
tests_efficiency_measure_np2_mpi_SOURCES = $(efficiency_measure_sources)
tests_efficiency_measure_np2_mpi_LDADD = libefficiency.la
tests_efficiency_measure_np3_mpi_SOURCES = $(efficiency_measure_sources)
tests_efficiency_measure_np3_mpi_LDADD = libefficiency.la
TESTS += tests/efficiency/measure-np1.mpi tests/efficiency/measure-np2.mpi \
	tests/efficiency/measure-np3.mpi

# The program.
TESTS += tests/efficiency/pop.sh
EXTRA_DIST += tests/efficiency/pop.sh
