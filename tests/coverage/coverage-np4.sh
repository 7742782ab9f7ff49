# With more ranks than most test machines have cores: the ranks sleep while they wait.
. "$top_srcdir/tests/coverage/coverage.bash"
not_when_quick
for program in onesided neighbours probes communicators requests; do
    traced_and_replayed 4 $program
done
done_testing
