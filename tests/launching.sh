# Sourced: what launchers need in a test or benchmark, where root may start more processes than there are cores.
# Open MPI 4 reads OMPI_MCA_*; the launcher of Open MPI 5 reads PRTE_MCA_*. Processes are not bound, as with
# MPICH: jobs that run side by side would all be bound to the first cores.
# mpiexec may be Open MPI's, also where the tests are for MPICH.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
if [ "${MPI_KIND-}" = openmpi ]; then
    export PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
    # The launcher does not explain that a process has failed: tests count the messages.
    export OMPI_MCA_orte_execute_quiet=1
    export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
    # Waiting ranks yield their core to others: there may be fewer cores than ranks, and other tests run at the same time.
    export OMPI_MCA_mpi_yield_when_idle=1
    # Its treematch component may hang in MPI_Dist_graph_create (open-mpi/ompi issues 8991 and 13918).
    export OMPI_MCA_topo=^treematch
    # Its component rdma ends one-sided programs by SIGSEGV or MPI_ERR_WIN within a host (issue 11349).
    # Debian excludes ucx as well; pt2pt, which it excludes too, does all.
    export OMPI_MCA_osc=^rdma,ucx
    export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe PRTE_MCA_hwloc_default_binding_policy=none
fi
