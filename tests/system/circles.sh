# Files that need each other form circles. Small circles within a folder are tolerated, others are not.
. "$top_srcdir/tests/tap.sh"
left_out_of sanitizers
# The wrappers for Open MPI define the PMPI names, too, so all files that call MPI seem to need them.
[ "${MPI_KIND-}" != openmpi ] || skip_all "the objects are searched in a build for MPICH"
cd "$top_srcdir" || exit 99
circles=$(tests/system/print-circles "$top_builddir")
ok $? "circles can be found"
is "$(printf '%s\n' "$circles" | grep -v ', 1 folders:')" "" "no circle of files of several folders"
is "$(printf '%s\n' "$circles" | awk '$1 > 3')" "" "no circle of more than three files"
done_testing
