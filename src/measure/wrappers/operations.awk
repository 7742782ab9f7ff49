# Generates operations.inc from base/mpi_calls.list: the OTF2 collective operation of each MPI call.
BEGIN { print "/* Generated from src/base/mpi_calls.list by src/measure/wrappers/operations.awk. */" }
$2 ~ /^i?(collective|neighbour)(_init)?\// {
    sub(/.*\//, "", $2)
    print "[MPI_CALL_" toupper(substr($1, 5)) "] = OTF2_COLLECTIVE_OP_" toupper($2) ","
}
