# Programs that check what MPI gives them get it under the tracer, too, and what they did is searched and replayed.
# Runs alone.
folder=tests/chapters
. "$top_srcdir/tests/coverage/coverage.bash"
left_out_of distribution
for program in errors attributes operations datatypes files mixed_requests topologies windows; do
    traced_and_replayed 2 $program
done
done_testing
