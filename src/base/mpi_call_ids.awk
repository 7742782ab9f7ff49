# Generates base/mpi_call_ids.h (-v output=ids) and the table in base/mpi_call_infos.inc
# (-v output=infos) from base/mpi_calls.list.
BEGIN {
    print "/* Generated from src/base/mpi_calls.list by src/base/mpi_call_ids.awk. */"
    if (output == "ids")
        print "enum mpi_call {\n    MPI_CALL_NONE,"
}
/^#/ || NF == 0 { next }
/^MPI_/ {
    id = toupper(substr($1, 5))
    split(toupper($2), of, "/") # class and kind
    operation = "OP_COUNT"
    if (of[1] ~ /^I?(COLLECTIVE|NEIGHBOUR)(_INIT)?$/)
        operation = of[2]
    if (of[1] ~ /^COMM_I?CREATE$/)
        operation = "CREATE_HANDLE"
    if (of[1] == "COMM_FREE")
        operation = "DESTROY_HANDLE"
    if (output == "ids")
        print "    MPI_CALL_" id ","
    else
        print "[MPI_CALL_" id "] = {\"" $1 "\", MPI_CLASS_" of[1] ", COLLECTIVE_" operation "},"
}
END {
    if (output == "ids")
        print "    MPI_CALL_COUNT\n};"
}
