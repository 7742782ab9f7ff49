# The file of a sweep: exact runs in all modes, complete configurations, and errors with their lines.
. "$top_srcdir/tests/tap.sh"
work=$(cd "$(mktemp -d "${TMPDIR:-/tmp}/silas-sweep.XXXXXX")" && pwd -P)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
dump() { "$top_builddir/tests/sweep/sweep_dump" "$@"; }
file() { # what stands behind [trace], on standard input
    { printf '[trace]\npath = t\n'; cat; } >s.ini
}
runs() { dump s.ini "$@" | sed -n 's/ base 0: /:/; s/ base 0:$/:/; s/ base / base /; 2,$p'; }
refused() { # PATTERN DESCRIPTION
    out=$(dump s.ini) && code=0 || code=$?
    is $code 1 "$2: exit code"
    like "$out" "$1" "$2"
}

# An ordinary configuration is a sweep of one run.
file <<'END'
[scale k]
region = foo
factor = 0.5
END
is "$(dump s.ini)" "mode 0, engine 0, objective T, keep 5, limit 10000, budget 0 s, seed 0, reports 20, repeat 0
001 base 0:" "no [sweep]: one run"

# All keys, and [replay] where [sweep] says nothing.
file <<'END'
[replay]
engine = realtime
repeat = 9
[sweep]
mode = pairs
objective = mpi_latesender
keep = 3
limit = 20
budget = 10m
seed = 12
reports = 0
END
is "$(dump s.ini | head -1)" \
    "mode 3, engine 1, objective mpi_latesender, keep 3, limit 20, budget 600 s, seed 12, reports 0, repeat 9" "all keys"
is "$(dump s.ini sweep.engine=model-then-realtime sweep.repeat=4 sweep.budget=1.5h | head -1)" \
    "mode 3, engine 2, objective mpi_latesender, keep 3, limit 20, budget 5400 s, seed 12, reports 0, repeat 4" "[sweep] before [replay]"

# Alternatives.
file <<'END'
[cut m]
size = {0..4096 step 1024, >64k, <16, {1, 2}, 3..5}
END
is "$(runs | cut -d= -f2 | tr '\n' ';')" " 0; 1024; 2048; 3072; 4096; >64k; <16; 1, 2; 3..5;" "steps, relations, lists, ranges"
is "$(runs 'cut m.size={4k..12k step 4k}' | cut -d= -f2 | tr '\n' ';')" " 4k; 8k; 12k;" "steps with a unit"
file <<'END'
[scale k]
region = {f(int, int), std::map<int, long>::at, {f(int, int), g}, {g}::h()}
factor = 0.5
END
is "$(runs | sed 's/.*region = //' | tr '\n' ';')" \
    "f(int, int);std::map<int, long>::at;f(int, int), g;{g}::h();" "names in brackets"
is "$(runs 'scale.region={lambda()#1}::operator()' 'scale.factor={0.1 .. 0.5 step 0.1}' | sed 's/.*= //' | tr '\n' ' ')" \
    "0.1 0.2 0.3 0.4 0.5 " "braces that do not enclose the value; decimal steps"
is "$(runs 'scale.factor=1' 'replay.poll_gap={0..40us step 20 us}' 'scale.region=x' | sed 's/.*= //' | tr '\n' ' ')" \
    "0us 20us 40us " "zero needs no unit"

# Modes.
modes() {
    file <<'END'
[scale a]
region = a
factor = {1, 0.5, 0.25}
[scale b]
region = b
factor = {1, 0.1, 0}
END
}
modes
is "$(runs sweep.mode=grid)" "001:scale a.factor = 1; scale b.factor = 1
002:scale a.factor = 1; scale b.factor = 0.1
003:scale a.factor = 1; scale b.factor = 0
004:scale a.factor = 0.5; scale b.factor = 1
005:scale a.factor = 0.5; scale b.factor = 0.1
006:scale a.factor = 0.5; scale b.factor = 0
007:scale a.factor = 0.25; scale b.factor = 1
008:scale a.factor = 0.25; scale b.factor = 0.1
009:scale a.factor = 0.25; scale b.factor = 0" "grid"
is "$(runs)" "$(runs sweep.mode=grid)" "grid is the default"
is "$(runs sweep.mode=zip)" "001:scale a.factor = 1; scale b.factor = 1
002:scale a.factor = 0.5; scale b.factor = 0.1
003:scale a.factor = 0.25; scale b.factor = 0" "zip"
is "$(runs sweep.mode=one-at-a-time)" "001:scale a.factor = 1; scale b.factor = 1
002:scale a.factor = 0.5; scale b.factor = 1
003:scale a.factor = 0.25; scale b.factor = 1
004:scale a.factor = 1; scale b.factor = 0.1
005:scale a.factor = 1; scale b.factor = 0" "one at a time"
is "$(runs sweep.mode=pairs)" "$(runs sweep.mode=one-at-a-time)
006:scale a.factor = 0.5; scale b.factor = 0.1 combines 002, 004 over 001
007:scale a.factor = 0.5; scale b.factor = 0 combines 002, 005 over 001
008:scale a.factor = 0.25; scale b.factor = 0.1 combines 003, 004 over 001
009:scale a.factor = 0.25; scale b.factor = 0 combines 003, 005 over 001" "pairs"

# Bases: traces and options of engines are crossed with everything, except in mode zip.
for mode in one-at-a-time pairs; do
    modes
    is "$(dump s.ini sweep.mode=$mode 'trace.path={t,u}' "scale b.factor=1" | sed 1d)" "001 base 0: trace.path = $work/t; scale a.factor = 1
002 base 0: trace.path = $work/t; scale a.factor = 0.5
003 base 0: trace.path = $work/t; scale a.factor = 0.25
004 base 1: trace.path = $work/u; scale a.factor = 1
005 base 1: trace.path = $work/u; scale a.factor = 0.5
006 base 1: trace.path = $work/u; scale a.factor = 0.25" "$mode: two traces"
done
is "$(dump s.ini sweep.mode=zip 'trace.path={t, {u, v}, w}' | sed 1d)" "001 base 0: trace.path = $work/t; scale a.factor = 1; scale b.factor = 1
002 base 1: trace.path = $work/u, $work/v; scale a.factor = 0.5; scale b.factor = 0.1
003 base 2: trace.path = $work/w; scale a.factor = 0.25; scale b.factor = 0" "zip: three traces"

# Alternatives of several sections; names may occur again in another one.
groups() {
    file <<'END'
[alternative A]
[balance x]
region = x
[alternative B]
[balance x]
region = x
mode = {instance, global}
[cut m]
size = 0
[alternative C]
[sweep]
engine = model
END
}
groups
is "$(runs)" "001:alternative = A
002:alternative = B; balance x.mode = instance
003:alternative = B; balance x.mode = global
004:alternative = C" "groups in a grid"
is "$(runs sweep.mode=one-at-a-time)" "$(runs)" "groups one at a time"
out=$(dump s.ini sweep.mode=pairs) && code=0 || code=$?
is "$code:$out" "1:s.ini:7: section [balance x] is already at line 4, and a run would contain both sections: give them different labels" \
    "pairs of groups with the same section"
sed -i '7s/x/y/' s.ini
is "$(runs sweep.mode=pairs)" "001:alternative = A
002:alternative = B; balance y.mode = instance
003:alternative = B; balance y.mode = global
004:alternative = C
005:alternative = A + B; balance y.mode = instance combines 001, 002
006:alternative = A + B; balance y.mode = global combines 001, 003
007:alternative = A + C combines 001, 004
008:alternative = B + C; balance y.mode = instance combines 002, 004
009:alternative = B + C; balance y.mode = global combines 003, 004" "groups in pairs"
is "$(runs sweep.mode=one-at-a-time 'scale k.region=k' 'scale k.factor={1, 2}')" "001:scale k.factor = 1
002:scale k.factor = 2
003:scale k.factor = 1; alternative = A
004:scale k.factor = 1; alternative = B; balance y.mode = instance
005:scale k.factor = 1; alternative = B; balance y.mode = global
006:scale k.factor = 1; alternative = C" "a set in front of groups, one at a time"
is "$(runs sweep.mode=zip 'scale k.region=k' 'scale k.factor={1, 2, 3, 4}' | tail -1)" \
    "004:scale k.factor = 4; alternative = C" "zip with groups"

# Lists whose items are runs of their own.
file <<'END'
[balance x]
region = {foo, bar, {foo, bar}, {foo, other}}
END
is "$(runs | tail -2)" "003:balance x.region = foo, bar combines 001, 002
004:balance x.region = foo, other" "a list combines its items"
is "$(runs 'scale k.region=k' 'scale k.factor=0' | grep -c combines)" 0 "but not beside another hypothesis"

# Configurations of runs are complete, ordinary, and independent of where they are.
file <<'END'
[sweep]
engine = model-then-realtime
repeat = 5
[output]
directory = out
overwrite = yes
formats = json
[model]
machine = {m.ini, sub/n.ini}
[slurm]
partition = p
[launcher]
submit = {x}
[cut m]
size = 0
[alternative A]
[scale k]
region = k
factor = {0.5, 0.25}
END
is "$(dump -t s.ini | sed -n '/--- 003/,/--- 004/p')" "--- 003
[trace]
path = $work/t

[output]
formats = json

[model]
machine = $work/sub/n.ini

[cut m]
size = 0

[scale k]
region = k
factor = 0.5

[replay]
engine = realtime
repeat = 5
--- 004" "a run's configuration"
is "$(dump -t s.ini sweep.engine=model sweep.repeat=2 | tail -2 | head -1)" "[replay]" "[replay] is added"
is "$(dump -t s.ini sweep.engine=model | tail -1)" "engine = model" "by the model: no repeat"

# The text of the file makes the same runs elsewhere; standard input, too.
mkdir -p sub
same() {
    dump -t s.ini "$@" >first
    dump -w sub/again.ini s.ini "$@" >other
    is "$(dump -t sub/again.ini | cmp - first)" "" "$test: the same from its text"
    is "$(dump -t - "$@" <s.ini | cmp - first)" "" "$test: the same from standard input"
}
test="paths" && same sweep.keep=2
test="groups" && groups && same "scale new.region=a ;b" "scale new.factor={0, 1}"
test="lists"
file <<'END'
[balance x]
region = {foo, {foo, f(int, int)}}
END
same 'trace.path={a, {b, ../c}}' output.directory=../o
is "$(grep path sub/again.ini)" "path = {$work/a, {$work/b, $work/../c}}" "paths in braces are absolute"

# Errors.
file <<'END'
[scale k]
region = foo
factor = {1, 2, x}
END
refused '^s.ini:5: factor = "x": expected a number from 0 to 1e\+06$' "a wrong value"
modes
sed -i 's/0.25}/0.25, 3}/' s.ini
printf '[sweep]\nmode = zip\n' >>s.ini
refused '^s.ini:8: mode = zip: scale b.factor has 3 alternatives, but scale a.factor at line 5 has 4$' "zip of different lengths"
file <<'END'
[sweep]
mode = zip
[scale k]
region = foo
factor = {1, 2, 3}
[alternative A]
[alternative B]
END
refused '^s.ini:8: mode = zip: there are 2 of \[alternative\], but scale k.factor at line 7 has 3 alternatives$' "zip with groups"
for case in 'limit = 8:grid:9' 'limit = 4:one-at-a-time:5' 'limit = 8:pairs:9'; do
    modes
    IFS=: read -r limit mode count <<END
$case
END
    printf '[sweep]\n%s\nmode = %s\n' "$limit" "$mode" >>s.ini
    refused "^s.ini: the sweep would have $count runs, more than its limit of ${limit##* }: " "too many runs, $mode"
    is "$(dump s.ini sweep.limit="$count" | sed 1d | wc -l)" "$count" "just as many as allowed, $mode"
done
file <<'END'
[cut m]
size = {0..1000000000 step 1}
END
refused '^s.ini:4: \[cut m\]: size: "0..1000000000 step 1" has 1000000001 alternatives' "a long range"
for value in '{1, 2' '{}' '{1, , 2}' '{1, 2, 1}' '{3..1 step 1}' '{0..4 step 0}' '{0..4k step 2}' '{0..4 step }' '{0..x step 1}'; do
    file <<END
[cut m]
size = $value
END
    refused '^s.ini:4: \[cut m\]: size' "size = $value"
done
while IFS=: read -r set message; do
    file </dev/null
    out=$(dump s.ini "$set") && code=0 || code=$?
    is $((code == 1 || code == 2)) 1 "$set: exit code"
    like "$out" "$message" "$set: refused"
done <<'END'
replay.engine={model, realtime}:engine cannot be a set
replay.repeat={1, 2}:repeat cannot be a set
output.formats={json, text}:formats cannot be a set
sweep.mode=grdi:did you mean "grid"
sweep.kep=3:unknown key "kep"; did you mean "keep"
sweep.objective=mpi_latesendr:mpi_latesender
sweep.limit=0:expected a whole number from 1
sweep.budget=10 days:units: ns, us, ms, s, m, h
alternative.x=1:an alternative needs a name
alternative A.x=1:this section has no keys
swep.mode=grid:unknown section
sweep:"=" is missing
END
printf '[sweep]\n' >s.ini
refused 'section \[trace\] with the path of the trace is missing' "no [trace]"
printf '[sweep x]\n' >s.ini
refused '^s.ini:1: section \[sweep\] takes no label, but has x' "a label"
file <<'END'
[network]
latency = {0, 1}
END
is "$(runs | wc -l)" 2 "a hypothesis for the model"
out=$(dump s.ini sweep.engine=realtime) && code=0 || code=$?
like "$code:$out" '^1:s.ini:3: \[network\] can be computed, but not replayed' "is not replayed"
is "$(dump missing.ini)" "missing.ini: cannot be opened: No such file or directory" "a missing file"
like "$(dump traces.otf2)" '^traces.otf2 is a trace: ' "a trace"
done_testing
