# Prints the lines of base/mpi_calls.list (second file) whose calls mpi.h declares (first file: mpi.h as the
# preprocessor leaves it). MPI 4.1 has made the partitions of MPI_Pready_list constant.
NR == FNR {
    if (/MPI_Pready_list *\(.*const int/)
        constant = 1
    while (match($0, /MPI_[A-Z][A-Za-z_0-9]* *\(/)) {
        name = substr($0, RSTART, RLENGTH)
        sub(/ *\($/, "", name)
        declared[name] = 1
        $0 = substr($0, RSTART + RLENGTH)
    }
    next
}
constant && $1 == "MPI_Pready_list" {
    sub(/int array_of_partitions/, "const int array_of_partitions")
}
$1 in declared
