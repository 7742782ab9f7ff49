# Random traffic under the tracer: the program's data stay right, and the records of the two ranks agree.
. "$top_srcdir/tests/measure/calls.bash"
left_out_of distribution

for seed in 1 2 3; do
    recorded "$top_builddir/tests/measure/calls-stress" $seed >"$work/got"
    ok $? "seed $seed runs under the tracer"
    is "$(awk -f "$top_srcdir/tests/measure/calls-consistent.awk" "$work/got" | head -20)" "" "seed $seed: records agree"
done

recorded "$top_builddir/tests/measure/calls-collectives" >"$work/got"
is "$(awk -f "$top_srcdir/tests/measure/calls-consistent.awk" "$work/got" | head -20)" "" "records of collective operations agree"

# The checks themselves: a receive that is missing. (Tags 30 to 34 are cut short on purpose.)
is "$(awk '/ tag 3[0-4] / || /^  recv/ && !n++ { next } { print }' "$top_srcdir/tests/measure/calls-messages.expected" |
    awk -f "$top_srcdir/tests/measure/calls-consistent.awk" | grep -c 'more sent')" 1 "a missing receive is noticed"
done_testing
