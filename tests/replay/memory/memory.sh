# Bandwidth of memory that ranks share: shares found from a recording, predictions beside closed forms, lengths that nothing
# changes kept to the tick, and rejected configurations.
. "$top_srcdir/tests/tap.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
PATH=$top_builddir:$PATH
cd "$work" || exit 1

# Two ranks sweep over blocks and meet in a barrier of 1 us. A sweep takes 100 us alone and LENGTH while the
# other rank sweeps. Rank 0 has 4 sweeps, rank 1 has 12: 4 at the same time as rank 0, then 8 alone.
recording() { # NAME ITERATIONS LENGTH-BESIDE LENGTH-ALONE
    awk -v iterations="$2" -v beside="$3" -v alone="$4" 'BEGIN {
        print "ranks 2"
        for (rank = 0; rank < 2; rank++) {
            print "rank " rank
            print "0 enter main"
            at = 0
            for (i = 0; i < iterations; i++) {
                print at " enter solve"
                begin = at
                for (s = 0; s < (rank ? 12 : 4); s++) {
                    print at " enter sweep"
                    at += s < 4 ? beside : alone
                    print at " leave sweep"
                }
                print at " leave solve"
                print at " enter MPI_Barrier\n" at " begin"
                at = begin + 4 * beside + 8 * alone + 1000
                print at " end 0 world -1 0 0\n" at " leave MPI_Barrier"
            }
            print at " leave main"
        }
    }' | "$top_builddir/tests/trace/make_trace" /dev/stdin "$work/$1"
}
config() { # TRACE SECTIONS...
    printf '[trace]\npath = %s/traces.otf2\n[replay]\nengine = model\n[output]\ndirectory = out\noverwrite = yes\ntrace = yes\nformats = text, json\n' "$1"
    shift
    printf '%b' "$@"
}
model() { # NAME; the configuration from standard input
    cat > "$1.ini"
    timeout -k 5 120 silas-model "$1.ini" > "$1.out" 2> "$1.err"
}
value() { "$top_srcdir/tools/json-value" out/report.json "$1"; }
refused() { # NAME PATTERN SECTIONS...
    name=$1 pattern=$2
    shift 2
    config shared "$@" | model refused
    is "$?" 1 "$name: exit code 1"
    like "$(cat refused.err)" "$pattern" "$name: the message"
}
balance='[balance solve]\nregion = solve\n'
auto='[memory sweeps]\nregion = sweep\n'

# --- shares found, and predictions by them
# 0.8 each: 1.6 times as long at the same time
recording shared 30 160000 100000
config shared "$auto" "$balance" | model auto
is "$?" 0 "a prediction with a share that is found"
is "$(value bandwidth.facts.0 | sed 's/ of the bandwidth.*//')" "memory sweeps: share 0.800" "the share is found"
# per iteration 8 simultaneous sweeps: 8 x 160 us; without sharing the mean of 4 x 160 and 4 x 160 + 8 x 100: 1040 us
is "$(value bandwidth.shared_time_s | awk '{ printf "%.6f", $1 }')" 0.038430 "T with shared bandwidth"
is "$(value bandwidth.unshared_time_s | awk '{ printf "%.6f", $1 }')" 0.031230 "T if all kept its pace"
is "$(value predicted.time_s.median | awk '{ printf "%.6f", $1 }')" 0.038430 "the prediction shares"
config shared '[memory sweeps]\nregion = sweep\nshare = 0.8\n' "$balance" | model given
is "$(value predicted.time_s.median | awk '{ printf "%.6f", $1 }')" 0.038430 "the same with a share that is given"
timeout -k 5 120 "${MPIEXEC:-mpiexec.hydra}" -np 2 silas-model auto.ini > two.out 2>&1 < /dev/null
is "$(value predicted.time_s.median | awk '{ printf "%.6f", $1 }')" 0.038430 "the same on two processes"

# half the work of one rank: 4 sweeps beside 2 of half the length each ... rank 1 has 12 sweeps of 50 us alone
config shared "$auto" '[scale all]\nregion = sweep\nfactor = 0.5\n' | model half
is "$(value predicted.time_s.median | awk '{ printf "%.6f", $1 }')" 0.021630 "half of all work takes half as long"

# ranks in separate domains share nothing
config shared '[memory sweeps]\nregion = sweep\nshare = 0.8\ndomain_ranks = 1\n' "$balance" | model alone
is "$(value predicted.time_s.median | awk '{ printf "%.6f", $1 }')" 0.031230 "a domain for each rank: nothing is shared"

# nothing is shared: visits take equally long, whichever ranks compute at the same time
recording unshared 30 100000 100000
config unshared "$auto" "$balance" | model unshared
is "$(value bandwidth.facts.0 | sed 's/ of the bandwidth.*//')" "memory sweeps: share 0.000" "a region that needs no bandwidth"
is "$(value predicted.time_s.median | awk '{ printf "%.6f", $1 }')" 0.024030 "its prediction is as without the section"

# --- what nothing changes
event_times() { otf2-print "$1" 2> /dev/null | awk '/ENTER|LEAVE/ { print $1, $2, $3 }'; }
recording odd 30 160003 99991
if command -v otf2-print > times.which 2> /dev/null; then
    config odd '[memory sweeps]\nregion = sweep\nshare = 0.79993\n' '[scale nothing]\nregion = sweep\nfactor = 1\n' | model same
    event_times out/predicted/traces.otf2 > same.after
    event_times odd/traces.otf2 > same.before
    like "$(wc -l < same.before)" '^ *[1-9][0-9][0-9]' "the recording has events"
    is "$(cmp same.before same.after 2>&1; wc -l < same.after)" "$(wc -l < same.before)" \
        "a hypothesis that changes nothing keeps every time to the tick"
else
    skip "no otf2-print: times to the tick"
fi
config odd '[memory sweeps]\nregion = sweep\nshare = 0.79993\n' '[scale nothing]\nregion = sweep\nfactor = 1\n' | model same
is "$(value predicted.time_s.median)" "$(value trace.time_s)" "... nor T"

# --- file calls: recorded one after the other, 100 us each; without the work they coincide
for rank in 0 1; do
    printf 'rank %s\n0 enter main\n0 enter work\n' "$rank"
    printf '%s leave work\n%s enter MPI_File_write\n%s leave MPI_File_write\n' \
        $((1000 + 300000 * rank)) $((1000 + 300000 * rank)) $((101000 + 300000 * rank))
    printf '%s enter MPI_Barrier\n%s begin\n402000 end 0 world -1 0 0\n402000 leave MPI_Barrier\n402000 leave main\n' \
        $((101000 + 300000 * rank)) $((101000 + 300000 * rank))
done | sed '1i ranks 2' | "$top_builddir/tests/trace/make_trace" /dev/stdin "$work/files"
together='[scale work]\nregion = work\nfactor = 0\n'
stored() { # SECONDS NAME SECTIONS...
    seconds=$1 name=$2
    shift 2
    config files "$together" "$@" | model stored
    is "$(value predicted.time_s.median | awk '{ printf "%.6f", $1 }')" "$seconds" "$name"
}
stored 0.000101 "file calls keep their lengths without a section"
stored 0.000201 "[storage]: two calls take twice as long" '[storage]\n'
stored 0.000121 "... less if one rank does not need all of the bandwidth" '[storage]\nshare = 0.6\n'
stored 0.000101 "... and twice the bandwidth makes up for it" '[storage]\n' '[scale]\nregion = MPI_File_write\nfactor = 0.5\n'
stored 0.000201 "the calls within a region" '[storage]\nregion = main\n'

# a collective file call: the last member arrives after 200 us, and the call takes 201 us from then on
for rank in 0 1; do
    printf 'rank %s\n0 enter main\n%s enter MPI_File_write_all\n%s begin\n401000 end 0 world -1 0 0\n401000 leave MPI_File_write_all\n401000 leave main\n' \
        "$rank" $((100000 + 100000 * rank)) $((100000 + 100000 * rank))
done | sed '1i ranks 2' | "$top_builddir/tests/trace/make_trace" /dev/stdin "$work/together"
config together '[scale]\nregion = MPI_File_write_all\nfactor = 0.5\n' | model scaled
is "$(value predicted.time_s.median | awk '{ printf "%.7f", $1 }')" 0.0003005 "a collective file call is scaled without its wait"

# Rejected configurations.
refused "a share above 1" 'refused.ini:12: .memory a.: share = 1.5: expected "auto" or' '[memory a]\nregion = sweep\nshare = 1.5\n'
refused "a word as share" 'share = most: expected "auto" or' '[memory a]\nregion = sweep\nshare = most\n'
refused "no region" '"region" or "callpath" is missing' '[memory a]\nshare = 0.5\n'
refused "an unknown key" 'unknown key "shares"; did you mean "share"' '[memory a]\nregion = sweep\nshares = 0.5\n'
refused "an unknown region" 'sweeep' '[memory a]\nregion = sweeep\nshare = 0.5\n' "$balance"
refused "a call twice" 'the section before it chooses the same calls: main/solve/sweep' \
    '[memory a]\nregion = sweep\nshare = 0.5\n[memory b]\nregion = sw*\nshare = 0.5\n' "$balance"
refused "other domains" 'another section has domain_ranks = 2' \
    '[memory a]\nregion = sweep\nshare = 0.5\ndomain_ranks = 2\n[memory b]\nregion = solve\nshare = 0.5\ndomain_ranks = 3\n'
refused "a recording and a share" 'the share is given' \
    '[memory a]\nregion = sweep\nshare = 0.5\nrecording = shared/traces.otf2\n'
refused "MPI" 'MPI communication' '[memory a]\nregion = MPI_Barrier\nshare = 0.5\n' "$balance"
refused "a recording that does not show it" 'the recording does not show how much bandwidth' "[memory a]\nregion = solve\n$balance"
refused "both kinds" 'a section before it is .memory.: ' '[memory a]\nregion = sweep\nshare = 0.5\n[storage]\n'
refused "no file call" 'no chosen call reads or writes a file' '[storage]\n'
refused "domains of storage" 'unknown key "domain_ranks"' '[storage]\ndomain_ranks = 2\n'
recording few 1 160000 100000
config few "$auto" "$balance" | model few
is "$?" 1 "too few visits"
like "$(cat few.err)" "only .* visits can be compared .* State the share" "... the message"
config few "${auto}recording = shared/traces.otf2\n" "$balance" | model elsewhere
is "$?" 0 "... unless another recording shows the share"
is "$(value bandwidth.facts.0 | sed 's/ of the bandwidth.*//')" "memory sweeps: share 0.800" "... which is found there"
done_testing
