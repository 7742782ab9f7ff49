# When an allocation of ours fails, on any rank, a program reports that once and ends with exit code
# 3. It neither hangs nor crashes, and leaves no half-written output. The tracer reports it once, and the
# traced program continues. Of each program about 2 places are tried, at equal distances, or
# SILAS_ALLOCATIONS; tools/test --full tries 30.
# Runs alone.
. "$top_srcdir/tests/tap.sh"
left_out_of distribution sanitizers
library=$top_builddir/tests/system/.libs/failing_allocations.so
[ -e "$library" ] || skip_all "failing_allocations.so was not built"
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99

cat "$top_srcdir/tests/replay/cases/communicators.txt" >communicators.txt
"$top_builddir/tests/trace/make_trace" communicators.txt communicators >/dev/null &&
    "$top_builddir/tests/trace/make_trace" "$top_srcdir/tests/trace/corpus/good-windows.txt" windows >/dev/null &&
    timeout -k 5 150 "$MPIEXEC" -np 2 "$top_builddir/silas-trace" -o neighbours \
        "$top_builddir/tests/coverage/neighbours" >log 2>&1 </dev/null || { cat log && echo "Bail out! no traces" && exit 99; }
"$top_builddir/silas-analyze" -o windows.cubex windows >/dev/null 2>&1
"$top_builddir/silas-analyze" -o windows.json windows >/dev/null 2>&1
"$top_builddir/silas-export" -f simgrid -o neighbours.txt neighbours >/dev/null 2>&1
mkdir plugins && for kind in hypothesis pattern format; do
    # shellcheck disable=SC2086 # words
    "$MPICC" -shared -fPIC $HEADER_CPPFLAGS "$top_srcdir/src/plugins/${kind}_template.c" -o plugins/$kind.so >/dev/null 2>&1
done

config() { # NAME TRACE, more sections on standard input
    printf '[trace]\npath = %s\n[output]\ndirectory = out\nformats = text, json, tsv, cubex, html\ntrace = yes\n' \
        "$work/$2/traces.otf2" >"$1.ini"
    cat >>"$1.ini"
}
config model communicators <<END
timeline = yes
[scale longer]
region = main
factor = 2
[network slower]
latency = 2
END
config changes communicators <<END
[balance main]
region = main
END
printf '[trace]\npath = %s\n[scale a]\nregion = main\nfactor = {0.5, 2}\n' "$work/communicators/traces.otf2" >sweep.ini
printf '[trace]\npath = %s\n[sweep]\nengine = realtime\nrepeat = 1\n[replay]\ntune = no\ntimeout = 20\n[scale a]\nregion = neighbours\nfactor = {0.5, 2}\n' \
    "$work/neighbours/traces.otf2" >rounds.ini
config replay neighbours <<END
[replay]
repeat = 1
tune = no
timeout = 20
END
config tuned communicators <<END
[replay]
repeat = 1
timeout = 20
END

cat >hardware.ini <<END
[distance node]
latency = 1 us
send_overhead = 100 ns
per_byte = 1
END
cat >model.silas <<END
param n = 10;
table weights = [1, 2];
communicator row = split(world, rank // 2, rank);
grid g = cart(world, [size], [true]);
procedure work(i) { loop (i) compute weights[rank % 2] * 1 us; }
part exchange(bytes) { isend bytes to shift(g, 0, 1) as r; irecv bytes from shift(g, 0, -1) as r; waitall; }
part main {
    create row;
    loop i = 1 to n { exchange(8 * i); cpu work(i); allreduce 8 on row; alltoallv 8 * (peer + 1) receive 8 * (rank + 1); neighbor_alltoall 8 on g; }
}
END

# One run in a separate folder; prints a line if it is wrong. Allocations that OTF2 makes in
# code that its header puts into our programs are not ours.
run() { # NAME RANK NP N COMMAND...
    name=$1 rank=$2 np=$3 n=$4
    shift 4
    mkdir "$name.$n" && cd "$name.$n" || return
    cp "$work"/*.ini .
    [ ! -d "$work/$name.needs" ] || cp -r "$work/$name.needs/." .
    launch=("env" "LD_PRELOAD=$library")
    [ "$np" -eq 0 ] || launch=("$MPIEXEC" -np "$np" "${launch[@]}")
    SILAS_TEST_FAIL_AT=$n SILAS_TEST_FAIL_RANK=$rank SILAS_TEST_FAIL_WHERE=$PWD/where \
        timeout -k 5 100 "${launch[@]}" "$@" >stdout 2>stderr </dev/null
    code=$?
    echo "$code" >code
    said=$(grep -cE '^silas[a-z-]*: .*(not enough memory|memory|cannot)' stderr)
    complaint=
    case $code in
    3) [ "$said" -eq 1 ] || complaint="said $said times why" ;;
    0) [ "$n" -eq 0 ] || measures "$1" || cmp -s stdout ../"$name.0"/stdout || complaint="exit code 0 with another output" ;;
    *) complaint="exit code $code" ;;
    esac
    ! grep -q damaged stderr || complaint="${complaint:+$complaint, }damaged its output"
    [ "$code" -eq 0 ] || [ ! -e out ] || complaint="${complaint:+$complaint, }leaves half an output"
    if [ -n "$complaint" ] && [ -s where ] && ! is_expected "$1"; then
        echo "# $name: allocation $n on rank $rank: $complaint: $(chain "$1")"
        head -3 stderr | sed 's/^/#   /'
    fi
    [ ! -s where ] || echo tried >>"$work/$name.tried"
    cd ..
    [ "$n" -eq 0 ] || rm -rf "$name.$n"
}
chain() { # PROGRAM: the functions that led to the failing allocation
    sed -n "s!.*${1##*/}(+\(0x[0-9a-f]*\)).*!\1!p" where | xargs -r addr2line -f -s -e "$1" 2>/dev/null |
        sed -n 'n;p' | head -6 | tr '\n' ' '
}
measures() { # PROGRAM: each run prints other times
    case $1 in *silas-replay | *silas-sweep) ;; *) false ;; esac
}
# What OTF2's header puts into our programs; a warning that has been printed, but not kept for the report.
is_expected() { # PROGRAM; what plug-ins may call stands there by its name
    case $(chain "$1") in OTF2_* | log.c:*) return ;; esac
    grep -m 1 "${1##*/}(" where | grep -q '(log_warning+'
}
export -f run chain measures is_expected
export work library

# Places of one program.
sweep() { # NAME RANK NP DEPTH COMMAND...
    name=$1 rank=$2 np=$3
    export SILAS_TEST_FAIL_DEPTH=$4
    shift 4
    SILAS_TEST_FAIL_COUNT=$work/$name.count run "$name" "$rank" "$np" 0 "$@"
    is "$(cat "$name.0/code")" 0 "$name: with all its memory it runs"
    places=$(sed -n "s/^$rank //p" "$name.count" | sort -n | tail -1)
    step=$((places / ${SILAS_ALLOCATIONS:-2} + 1))
    found=$(seq $(((step + 1) / 2)) $step "${places:-0}" |
        xargs -P "$(nproc)" -I{} bash -c 'n=$1 name=$2 rank=$3 np=$4; shift 4; run "$name" "$rank" "$np" "$n" "$@"' \
            _ {} "$name" "$rank" "$np" "$@")
    is "$found" "" "$name: one message and an exit code, whatever allocation of $places fails"
    tried=$(cat "$name.tried" | wc -l)
    # The tracer has about 20 places; on a busy machine it reaches some of them or not.
    ok $((places < 10 || tried < places / step / 2)) "$name: $tried of them failed"
}

bin=$top_builddir
sweep analyze 0 0 3 "$bin/silas-analyze" -f tsv "$work/windows"
sweep plugins 0 0 3 "$bin/silas-analyze" --plugin "$work/plugins" -f template "$work/windows"
sweep explain 0 0 2 "$bin/silas-analyze" --explain --correct-clocks "$work/communicators"
sweep pop 0 0 3 "$bin/silas-pop" --iterations -f json "$work/windows" "$work/communicators"
sweep pop-report 0 0 2 "$bin/silas-pop" "$work/windows.json" "$work/communicators"
sweep pop-np2 1 2 1 "$bin/silas-pop" "$work/communicators"
sweep traffic 0 0 2 "$bin/silas-traffic" -f json "$work/windows"
sweep model 0 0 2 "$bin/silas-model" model.ini
sweep changes 0 0 2 "$bin/silas-model" changes.ini
sweep questions 0 0 2 "$bin/silas-model" --domino --bounds --latency model.ini
sweep sweep 0 0 2 "$bin/silas-sweep" --jobs 1 -o folder sweep.ini
sweep advise 0 0 2 "$bin/silas-advise" --engine model "$work/windows"
sweep export-simgrid 0 0 3 "$bin/silas-export" -f simgrid -o out "$work/neighbours"
sweep report 0 0 3 "$bin/silas-report" -f json "$work/windows.cubex"
sweep diff 0 0 3 "$bin/silas-diff" -f tsv "$work/windows.cubex" "$work/windows.json"
sweep gate 0 0 3 "$bin/silas-diff" --fail-on "time>+500%" "$work/windows.cubex" "$work/windows.json"
sweep verify 0 0 3 "$bin/silas-verify" -f json "$work/windows" "$work/windows.cubex"
sweep verify-report 0 0 3 "$bin/silas-verify" "$work/model.0/out" "$work/communicators"
sweep predict 0 0 3 "$bin/silas-predict" "$work/model.silas" --ranks 4 --hardware "$work/hardware.ini" -o out
sweep predict-np2 1 2 1 "$bin/silas-predict" "$work/model.silas" --ranks 4 --hardware "$work/hardware.ini" -o out
sweep from 0 0 2 "$bin/silas-predict" --from "$work/neighbours" -o out
for format in perfetto csv folded; do
    sweep "export-$format" 0 0 3 "$bin/silas-export" -f $format -o out "$work/neighbours"
done
sweep export-np2 1 2 1 "$bin/silas-export" -f perfetto -o out "$work/windows" "$work/communicators"
sweep init 0 0 2 "$bin/silas-init" -o out "$work/communicators"
sweep export 0 0 3 "$bin/silas-export" --format goal "$work/communicators" -o out
cp export.0/out schedule.goal
sweep schedule 0 0 3 "$bin/silas-predict" "$work/schedule.goal" --hardware "$work/hardware.ini" -o out
sweep analyze-np2 1 2 1 "$bin/silas-analyze" -f tsv "$work/windows"
sweep model-np2 1 2 1 "$bin/silas-model" model.ini
sweep read-ti-np2 1 2 1 "$bin/silas-predict" --check --hardware "$work/hardware.ini" "$work/neighbours.txt"
sweep replay 1 2 1 "$bin/silas-replay" replay.ini
sweep rounds 1 2 1 "$bin/silas-sweep" -o folder rounds.ini
sweep tuned 1 2 1 "$bin/silas-replay" tuned.ini

# The tracer, in a program that makes communicators of all kinds: its partners wait for a rank that
# leaves out an agreement. Only the program gets the library, not its launcher.
mkdir tracer.needs && cat >tracer.needs/program <<END
#!/bin/sh
LD_PRELOAD="$library:\$LD_PRELOAD" exec "$bin/tests/measure/calls-communicators" file
END
chmod +x tracer.needs/program
SILAS_ALLOCATIONS=100000 sweep tracer 1 2 2 env -u LD_PRELOAD "$bin/silas-trace" -o traced ./program

# The writer of its archives.
mkdir -p recover.needs/recorded
timeout -k 5 150 "$MPIEXEC" -np 2 env SILAS_TRACE_DIRECTORY="$work/recover.needs/recorded" \
    LD_PRELOAD="$bin/.libs/libsilas-trace.so" "$bin/tests/coverage/neighbours" >log 2>&1 </dev/null ||
    { cat log && echo "Bail out! no records" && exit 99; }
sweep recover 0 0 2 "$bin/silas-trace" --recover recorded

# The watchdog's thread, on one of two ranks: those of the others are stopped.
mkdir threads && cp tuned.ini threads && cd threads || exit 99
SILAS_TEST_FAIL_THREAD=1 SILAS_TEST_FAIL_RANK=1 timeout -k 5 100 "$MPIEXEC" -np 2 env LD_PRELOAD="$library" \
    "$bin/silas-replay" tuned.ini >stdout 2>stderr </dev/null
is "$? $(grep -c '^silas-replay: the system allows no further thread' stderr)" "3 1" "a thread that cannot be started: one message and an exit code"
done_testing
