bin_PROGRAMS += silas-trace
silas_trace_SOURCES = src/programs/silas-trace.c src/measure/launch/launch.h \
	src/measure/launch/options.c src/measure/launch/check.c src/measure/launch/end_job.c \
	src/measure/launch/prepare.c src/measure/launch/openmp_runtime.c src/measure/launch/openmp_runtime.h src/measure/launch/keeper.c src/measure/launch/spawned.c
silas_trace_CPPFLAGS = $(AM_CPPFLAGS) $(LIBDW_CFLAGS)
silas_trace_LDADD = $(reduce_libs) $(archive_libs) $(base_libs)
