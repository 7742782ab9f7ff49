# With more ranks than most test machines have cores: the programs in which four ranks do what two cannot.
# Runs alone.
folder=tests/chapters
. "$top_srcdir/tests/coverage/coverage.bash"
left_out_of distribution sanitizers
only_in_full "two ranks are replayed by chapters-np2.sh"
for program in errors operations topologies windows; do
    traced_and_replayed 4 $program
done
done_testing
