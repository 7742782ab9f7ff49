# Prints the lines of base/mpi_calls.list (second file) whose calls mpi.h declares (first file: mpi.h as the
# preprocessor leaves it).
NR == FNR {
    while (match($0, /MPI_[A-Z][A-Za-z_0-9]* *\(/)) {
        name = substr($0, RSTART, RLENGTH)
        sub(/ *\($/, "", name)
        declared[name] = 1
        $0 = substr($0, RSTART + RLENGTH)
    }
    next
}
$1 in declared
