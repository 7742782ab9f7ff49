# tests/: one folder an area, each with its own local.mk. Tests speak TAP.
# NAME-npN.mpi is run by the launcher with N processes (tests/run-mpi reads N from the name).
TEST_EXTENSIONS = .sh .mpi
SH_LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
MPI_LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
SH_LOG_COMPILER = $(top_srcdir)/tests/run-sh
MPI_LOG_COMPILER = $(top_srcdir)/tests/run-mpi
# The settings of hwloc and UCX start MPI in half the time, like those of src/base/mpi/start.c: hwloc reads no PCI
# devices, and UCX opens no network and allocates its buffers when it needs them. UCX's hooks for memory disturb sanitizers.
AM_TESTS_ENVIRONMENT = \
	HWLOC_COMPONENTS="$${HWLOC_COMPONENTS--pci,-linux:pci}"; export HWLOC_COMPONENTS; \
	UCX_TLS="$${UCX_TLS-shm,self}"; export UCX_TLS; \
	UCX_POSIX_RX_BUFS_GROW=64 UCX_SYSV_RX_BUFS_GROW=64; export UCX_POSIX_RX_BUFS_GROW UCX_SYSV_RX_BUFS_GROW; \
	UCX_MEM_EVENTS=no; export UCX_MEM_EVENTS; \
	MPIEXEC='$(MPIEXEC)'; export MPIEXEC; \
	MPICC='$(MPICC_DIRECT)'; export MPICC; \
	MPIFC='$(MPIFC)'; export MPIFC; \
	MPI_KIND='$(MPI_KIND)'; export MPI_KIND; \
	top_srcdir='$(abs_top_srcdir)'; export top_srcdir; \
	top_builddir='$(abs_top_builddir)'; export top_builddir;

EXTRA_DIST += tests/launching.sh tests/run-mpi tests/run-sh tests/run-timed tests/tap.sh tests/tracer.bash
noinst_HEADERS += tests/check_abort.h tests/check_tap.h tests/mpi_check.h

# Folders beside a script or source of the same name: make would build files in their place from it, by
# its built-in rules, whenever that is newer; and the distribution would lack the folder.
.PHONY: tests/base/ini tests/base/config tests/trace/corpus tests/patterns/cases tests/transform/cases \
	tests/predict/hardware

CLEANFILES += tests/durations

include tests/base/local.mk
include tests/trace/local.mk
include tests/threads/local.mk
include tests/fuzz/local.mk
include tests/measure/local.mk
include tests/python/local.mk
include tests/patterns/local.mk
include tests/replay/local.mk
include tests/replay/memory/local.mk
include tests/coverage/local.mk
include tests/chapters/local.mk
include tests/transform/local.mk
include tests/job/local.mk
include tests/results/efficiency/local.mk
include tests/results/traffic/local.mk
include tests/structure/local.mk
include tests/reduce/local.mk
include tests/trace/folded/local.mk
include tests/predict/local.mk
include tests/exchange/schedules/local.mk
include tests/exchange/exports/local.mk
include tests/plugins/local.mk
include tests/report/local.mk
include tests/live/local.mk
include tests/sweep/local.mk
include tests/results/verify/local.mk
include tests/advise/local.mk
include tests/examples/local.mk
include tests/system/local.mk
