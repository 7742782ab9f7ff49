# Generates base/mpi_functions.h: pointers to the functions that mpi.h declares, and to MPI's constants that are variables, and
# their names in the same order. Input: mpi.h as the preprocessor leaves it.
function add(name) {
    if (!(name in known))
        names[++count] = name
    known[name] = 1
}
match($0, /extern int \* *const MPI_(UNWEIGHTED|WEIGHTS_EMPTY)/) {
    name = substr($0, RSTART, RLENGTH)
    sub(/.* /, "", name)
    add(name)
}
!/^typedef/ {
    while (match($0, /(^|[ *])P?MPI_[A-Z][A-Za-z_0-9]* *\(/)) {
        name = substr($0, RSTART, RLENGTH)
        gsub(/[ *(]/, "", name)
        add(name)
        $0 = substr($0, RSTART + RLENGTH)
    }
}
END {
    print "/* Generated from mpi.h by src/base/mpi/functions.awk. */"
    print "struct mpi_functions {"
    for (i = 1; i <= count; i++)
        print "    __typeof__(" names[i] ") *" names[i] ";"
    print "};\nextern struct mpi_functions mpi_functions;"
    print "#define MPI_FUNCTION_NAMES \\"
    for (i = 1; i <= count; i++)
        print "    \"" names[i] "\\0\"" (i < count ? " \\" : "")
    for (i = 1; i <= count; i++) # some MPIs have macros of the same names
        print "#undef " names[i] "\n#define " names[i] " (*mpi_functions." names[i] ")"
}
