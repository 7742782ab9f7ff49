# Generates MPICH's mpi_*_f08_ functions from base/mpi_calls.list. Programs that use mpif.h or `use mpi`,
# and calls of mpi_f08 with a choice buffer, call the C wrappers already. MPICH's other functions of
# mpi_f08 call PMPI_* directly. The generated functions replace them and call the C wrappers, so that each
# call is recorded once.
#
# Handles are integers in C and in Fortran, and statuses have the same layout. Calls with arrays of strings
# (MPI_Comm_spawn) are left out; mpi_f08 programs use them unrecorded.

# Sets declaration and argument, and extends prepare and finish, for one parameter of the C function.
function convert(parameter,    name, type) {
    name = parameter
    gsub(/\[[0-9]*\]/, "", name)
    sub(/^.*[ *]/, "", name)
    type = parameter
    sub(/ *\**[a-z_0-9]+(\[[0-9]*\])*$/, "", type)
    sub(/^const /, "", type)
    declaration = parameter
    argument = name
    if (parameter ~ /^const char \*/) {
        declaration = "const char *" name
        lengths = lengths ", size_t " name "_length"
        prepare = prepare "    char *c_" name " = fortran_string(" name ", " name "_length);\n"
        finish = finish "    free(c_" name ");\n"
        argument = "c_" name
    } else if (parameter ~ /^MPI_File \*/) {
        declaration = "MPI_Fint *" name
        prepare = prepare "    MPI_File c_" name " = " (opens ? "MPI_FILE_NULL" : "PMPI_File_f2c(*" name ")") ";\n"
        finish = finish "    *" name " = PMPI_File_c2f(c_" name ");\n"
        argument = "&c_" name
    } else if (type == "MPI_File") {
        declaration = "const MPI_Fint *" name
        argument = "PMPI_File_f2c(*" name ")"
    } else if (name == "status" && type == "MPI_Status")
        argument = "fortran_status(status)"
    else if (name == "array_of_statuses")
        argument = "fortran_statuses(array_of_statuses)"
    else if (name ~ /weights$/ && parameter ~ /^const/)
        argument = "fortran_weights(" name ")"
    else if (parameter !~ /[*\[]/) {
        declaration = "const " type " *" name
        argument = "*" name
    }
    # Fortran's .true. is 1; its indices begin at 1.
    if (name == "flag" && parameter ~ /\*/)
        finish = finish "    *flag = *flag != 0;\n"
    if (name == "indx" && type == "int" && parameter ~ /^int \*/)
        finish = finish "    if (result == MPI_SUCCESS && *indx != MPI_UNDEFINED)\n        ++*indx;\n"
    if (name == "array_of_indices")
        finish = finish "    for (int i = 0; result == MPI_SUCCESS && i < *outcount; i++)\n        array_of_indices[i]++;\n"
}

function has_choice_buffer(text) {
    gsub(/void \*(baseptr|buffer_addr)/, "", text)
    return text ~ /void \*/
}

BEGIN {
    print "/* Generated from src/base/mpi_calls.list by src/measure/wrappers/fortran.awk. */"
    print "#include \"measure/wrappers/call.h\""
    print "#include \"measure/wrappers/fortran.h\""
    print "#include <stdlib.h>"
}
/^#/ || NF < 3 { next }
{
    call = $1
    opens = $2 ~ /\/open$/
    text = $0
    sub(/^[^ ]+ +[^ ]+ +/, "", text)
    if (has_choice_buffer(text) || text ~ /char \*+[a-z_]*\[/)
        next
    lower = tolower(call)
    lengths = prepare = finish = declarations = arguments = ""
    if (call == "MPI_Init")
        arguments = "NULL, NULL"
    else if (call == "MPI_Init_thread") {
        arguments = "NULL, NULL, *required, provided"
        declarations = "const int *required, int *provided"
    } else if (call == "MPI_Pcontrol") {
        print "\nvoid mpi_pcontrol_f08_(const int *level);"
        print "CALL_EXPORTED void mpi_pcontrol_f08_(const int *level)\n{\n    MPI_Pcontrol(*level);\n}"
        next
    } else if (text != "void") {
        count = split(text, parameters, /, */)
        for (i = 1; i <= count; i++) {
            convert(parameters[i])
            declarations = declarations (i > 1 ? ", " : "") declaration
            arguments = arguments (i > 1 ? ", " : "") argument
        }
    }
    suffix = sub(/_c$/, "", lower) ? "_f08_large_(" : "_f08_("
    head = "void " lower suffix declarations (declarations == "" ? "" : ", ") "int *ierror" lengths ")"
    print "\n" head ";\nCALL_EXPORTED " head "\n{"
    printf "%s", prepare
    print "    const int result = " call "(" arguments ");"
    printf "%s", finish
    print "    if (ierror)\n        *ierror = result;\n}"
}
