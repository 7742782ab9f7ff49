# Tuning: calls that were slow in the recording take as long
# in the replay. A program of eager sends of 200 us each, for whose arrival no rank waits.
# Runs alone.
. "$top_srcdir/tests/system/replay.bash"
left_out_of distribution sanitizers
sends=30 # no more than MPI buffers on their way
{
    echo "ranks 2"
    echo "rank 0"
    echo "1000 enter main"
    time=100000
    for i in $(seq $sends); do
        echo "$time enter MPI_Send"
        echo "$time send 1 world 7 64"
        time=$((time + 200000))
        echo "$time leave MPI_Send"
        time=$((time + 50000))
    done
    echo "$time leave main"
    echo "rank 1"
    echo "1000 enter main"
    time=100000
    for i in $(seq $sends); do
        echo "$time enter MPI_Recv"
        echo "$((time + 1000)) recv 0 world 7 64"
        echo "$((time + 1000)) leave MPI_Recv"
        time=$((time + 250000))
    done
    echo "$time leave main"
} | make_trace slow_sends

config() { # NAME LINE...
    name=$1
    shift
    printf '%s\n' "[trace]" "path = slow_sends" "[output]" "overwrite = yes" "formats = json, tsv" \
        "[replay]" "repeat = 3" "$@" > "$name.ini"
}
sends() { # NAME: seconds in MPI_Send before and after, of all ranks
    awk -F '\t' '$1 == "time" && $2 == "main/MPI_Send" { before += $4; after += $5 }
        END { printf "%.6f %.6f\n", before, after }' "$1-replay/difference.tsv"
}
# Replays NAME.ini until the sends took between LOW and HIGH times as long as before. The machine
# may be busy: then losses of the core hide a part of the added time, so LOW is far below 1 and there are several attempts.
replay_takes() { # NAME LOW HIGH DESCRIPTION
    for _ in $(seq 10); do
        run 2 "$1.ini"
        [ "$code" -eq 0 ] || break
        read -r before after <<< "$(sends "$1")"
        true_that "$after >= $2 * $before && $after < $3 * $before" && break
    done
    is "$code" 0 "$1: exit code"
    true_that "$after >= $2 * $before && $after < $3 * $before"
    ok $? "$4 ($before s, replayed $after s)"
}
config tuned
replay_takes tuned 0.2 3 "slow sends are replayed as slow as they were"
config untuned "tune = no"
replay_takes untuned 0 0.2 "with tune = no they take what MPI takes"
# The changed trace uses the corrections found for the unchanged one.
config changed "[scale]" "region = main" "factor = 1.2"
replay_takes changed 0.2 1000 "... in a changed trace, too"

# --- noise
like "$(cat tuned-replay/report.json | tr -d ' \n')" '"measured":\{"time_s":\{"median":0\.' \
    "report.json has the measured times before noise was removed"
config noisy "correct_noise = no"
run 2 noisy.ini
is "$code" 0 "noisy: exit code"
like "$(cat noisy-replay/report.json | tr -d ' \n')" '"measured":null' \
    "correct_noise = no leaves it in"
done_testing
