# doc/mpi-coverage.md lists every call: how it is recorded, how it is replayed, which test covers it.
. "$top_srcdir/tests/tap.sh"
doc=$top_builddir/doc/mpi-coverage.md
list=$top_srcdir/src/base/mpi_calls.list
rows() { grep '^| MPI_' "$doc"; }

missing=$(awk '!/^#/ && NF > 2 && $2 !~ /^local/ && $1 !~ /_c$/ { print $1 }' "$list" |
    while read -r call; do rows | grep -q "^| $call |" || echo "$call"; done)
is "$missing" "" "every recorded call has its row"

# Computation needs a reason, unless the class is local; so does an approximation.
unexplained=$(rows | awk -F ' *[|] *' '$4 !~ /^really/ && $4 !~ /^(approximated|computation): ./ { print $2 }')
is "$unexplained" "MPI_Abort
MPI_Pcontrol" "what is not replayed as it is has its reason"
is "$(rows | awk -F ' *[|] *' '$3 == "" || $5 == "" { print $2 }')" "" "all rows are complete"

# Calls of these kinds are made by some test; the others of the same wrapper and class stand for them.
untested=$(rows | awk -F ' *[|] *' '$6 == "" { print $2 }' |
    grep -Ev '^MPI_(File_|Comm_(accept|connect|join|spawn)|Pcontrol|Abort)')
is "$untested" "" "every call but files and foreign programs is made by a test"

# A call that is traced, but whose replay is not described.
printf 'MPI_Fake  fake  int argument\n' | awk -f "$top_srcdir/src/base/mpi_coverage.awk" - >/dev/null 2>&1
is $? 1 "a class of calls without its text is refused"
row=$(printf 'MPI_Fake  send  int argument\n' | awk -f "$top_srcdir/src/base/mpi_coverage.awk" - | grep '^| MPI_Fake')
is "${row##*| really | }" "a message |  |" "a call that no test makes has none in its row"

# MPI's own declarations: whatever communicates is in the list.
header=$(echo '#include <mpi.h>' | "$MPICC" -E - 2>/dev/null)
unknown=$(printf '%s\n' "$header" | grep -oE '\bMPI_[A-Z][a-z_0-9]+ ?\(' | tr -d ' (' | sort -u |
    grep -Ev '_x$|^MPI_(T|Info|Type|Errhandler|Group|Op|Status|Grequest|Add|Keyval|Attr|Address|Errhandler|Error|Get|Open|Close|Publish|Unpublish|Lookup|Register|Request_[cf]2|Message|Aint|Comm_(set_info|get_info)|Win_[cf]2|File_([cf]2|call|create|get|set_(errhandler|info))|Comm_[cf]2|Remove|Buffer|Delete|Wtime|Pack|Unpack|Sizeof|Status|Comm_(call|get|set|delete|free_key|create_(key|err|from))|Win_(call|get|set|delete|free_key|create_(key|err))|DUP|Alloc|Free|Is_|Query|Final|Initialized|Topo|Session_[cf]2)' |
    while read -r call; do grep -q "^$call " "$list" || echo "$call"; done)
is "$unknown" "" "no communication call of mpi.h is unknown"
done_testing
