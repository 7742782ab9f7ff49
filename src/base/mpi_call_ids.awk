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
    class = toupper($2)
    sub(/\/.*/, "", class) # without the kind
    if (output == "ids")
        print "    MPI_CALL_" id ","
    else
        print "[MPI_CALL_" id "] = {\"" $1 "\", MPI_CLASS_" class "},"
}
END {
    if (output == "ids")
        print "    MPI_CALL_COUNT\n};"
}
