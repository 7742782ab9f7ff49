# The files of src/base that the tracer needs. All of src/base would load its libraries into users' processes.
noinst_LTLIBRARIES += libtracerbase.la
libtracerbase_la_SOURCES = \
	src/base/status.c src/base/log.c src/base/array.c src/base/map.c src/base/collective_op.c \
	src/base/call_role.c src/base/mpi_call.c src/base/mpi_kind.c src/base/clock.c src/base/cpus.c src/base/host.c src/base/mpi/own_kind.c src/base/mpi/clock_offset.c src/base/mpi/processes.c src/base/mpi/local.c src/base/interrupt.c src/base/files.c
nodist_libtracerbase_la_SOURCES = src/base/mpi_call_ids.h src/base/mpi_call_infos.inc
libtracerbase_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden

noinst_LTLIBRARIES += librecord.la
librecord_la_SOURCES = \
	src/measure/recorder/record_format.h src/measure/recorder/record_path.h src/measure/recorder/records.h \
	src/measure/recorder/recorder.c src/measure/recorder/recorder.h \
	src/measure/recorder/buffer.c src/measure/recorder/buffer.h \
	src/measure/recorder/worlds.c src/measure/recorder/worlds.h \
	src/measure/recorder/definitions.c src/measure/recorder/definitions.h \
	src/measure/recorder/measurement_state.c src/measure/recorder/measurement_state.h \
	src/measure/recorder/machine.c \
	src/measure/recorder/imported_functions.c src/measure/recorder/imported_functions.h \
	src/measure/recorder/polls.c src/measure/recorder/polls.h \
	src/measure/recorder/measurement.c src/measure/recorder/measurement.h src/measure/recorder/next_function.h \
	src/measure/recorder/keeper.h \
	src/measure/recorder/openmp.c src/measure/recorder/openmp.h \
	src/measure/recorder/gcc_constructs.c src/measure/recorder/gcc_constructs.h \
	src/measure/recorder/posix_threads.c src/measure/recorder/posix_threads.h \
	src/measure/recorder/user_regions.c src/measure/recorder/user_regions.h \
	src/measure/recorder/address_regions.c src/measure/recorder/address_regions.h \
	src/measure/recorder/code_library.c src/measure/recorder/code_library.h \
	src/measure/recorder/call_sites.c src/measure/recorder/call_sites.h \
	src/measure/recorder/user_functions.c src/measure/recorder/user_filter.c src/measure/recorder/function_name.h \
	src/measure/recorder/filter_rule.h
librecord_la_CPPFLAGS = $(AM_CPPFLAGS) $(LIBDW_CFLAGS)
librecord_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden
librecord_la_LIBADD = libtracerbase.la
