# With more ranks than most test machines have cores: the ranks sleep while they wait. The programs in which
# four ranks do what two cannot; the others are in coverage-np2.sh.
# Runs alone.
folder=tests/coverage
replay="repeat = 1" # with tuning, too
. "$top_srcdir/tests/coverage/coverage.bash"
left_out_of distribution sanitizers
for program in onesided neighbours groups; do
    traced_and_replayed 4 $program
done
done_testing
