# With more ranks than most test machines have cores: the ranks sleep while they wait.
# Runs alone.
. "$top_srcdir/tests/coverage/coverage.bash"
left_out_of distribution sanitizers
for program in onesided neighbours probes communicators groups requests inplace; do
    traced_and_replayed 4 $program
done
done_testing
