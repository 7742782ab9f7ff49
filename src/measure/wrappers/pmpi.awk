# Generates PMPI_* functions from base/mpi_calls.list, for Open MPI only: its Fortran libraries (mpif.h, use mpi,
# use mpi_f08) call PMPI_* and not MPI_*. Calls from there go to the wrappers, with the handles that Open MPI has
# already converted; all other calls go to Open MPI's own functions.

BEGIN {
    print "/* Generated from src/base/mpi_calls.list by src/measure/wrappers/pmpi.awk. */"
    print "#include \"measure/wrappers/pmpi.h\""
    print "#include \"measure/wrappers/call.h\""
}
/^#/ || NF < 3 { next }
# MPI passes a datatype of Fortran to operators that Fortran programs have made; the C wrapper cannot read it.
$2 == "local/operator" { next }
{
    text = $0
    sub(/^[^ ]+ +[^ ]+ +/, "", text)
    arguments = ""
    count = text == "void" ? 0 : split(text, parameters, /, */)
    for (i = 1; i <= count; i++) {
        name = parameters[i]
        if (name == "...")
            continue
        gsub(/\[[0-9]*\]/, "", name)
        sub(/^.*[ *]/, "", name)
        arguments = arguments (i > 1 ? ", " : "") name
    }
    print "\nCALL_EXPORTED int P" $1 "(" text ")\n{"
    print "    static __typeof__(&P" $1 ") next;"
    if ($2 == "init")
        print "    pmpi_find_fortran();"
    print "    if (pmpi_from_fortran(__builtin_return_address(0))) {"
    print "        pmpi_in_wrapper = true;"
    print "        const int result = " $1 "(" arguments ");"
    print "        pmpi_in_wrapper = false;"
    print "        return result;\n    }"
    print "    if (!next)"
    print "        next = (__typeof__(next))pmpi_next(\"P" $1 "\");"
    print "    return next(" arguments ");\n}"
}
