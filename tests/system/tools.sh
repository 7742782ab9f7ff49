# The scripts for people: what tools/build does about packages, and reading JSON. Builds nothing.
. "$top_srcdir/tests/tap.sh"
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"

# A machine that lacks two packages and cannot install them.
cat >"$work/bin/dpkg-query" <<'END'
#!/bin/sh
for package; do :; done
case $package in
libexpat1-dev) exit 1 ;;
valgrind) echo config-files ;;
*) echo installed ;;
esac
END
cat >"$work/bin/apt-get" <<END
#!/bin/sh
echo "\$*" >>"$work/calls"
echo "\$DEBIAN_FRONTEND" >>"$work/frontend"
case "\$*" in *install*) exit 100 ;; esac
END
cat >"$work/bin/sudo" <<'END'
#!/bin/sh
[ "$1" = -n ] && shift
exec "$@"
END
chmod +x "$work/bin/"*
message=$(PATH=$work/bin:$PATH "$top_srcdir/tools/build" --tests 2>&1)
is "$?" 3 "packages that cannot be installed are the environment's fault"
is "$(sed 's/^.*\(update\|install \)/\1/' "$work/calls")" "update
install libexpat1-dev valgrind" "only what is missing is installed, after one update"
is "$(sort -u "$work/frontend")" noninteractive "nothing is asked"
like "$message" '^ +apt-get .*install .*libexpat1-dev valgrind' "the message says what to run"

rm "$work/calls"
PATH=$work/bin:$PATH "$top_srcdir/tools/build" >/dev/null 2>&1
is "$(sed -n 's/^.*install \([a-z]\)/\1/p' "$work/calls")" "libexpat1-dev" \
    "what only tests need is left out without --tests"
"$top_srcdir/tools/build" --nonsense >/dev/null 2>&1
is "$?" 2 "an unknown option is a usage error"
"$top_srcdir/tools/test" --nonsense >/dev/null 2>&1
is "$?" 2 "also for tools/test"
like "$("$top_srcdir/tools/test" --with files,nonsense 2>&1)" "the steps are files,distribution," "an unknown step is told which there are"

cat >"$work/a.json" <<'END'
{"text": "say \"x\": {[", "numbers": [1, -2.5e-3, {"deep": true}],
 "empty": {}, "none": [], "saving": {"fraction": 0.25, "low": null}}
END
value() { "$top_srcdir/tools/json-value" "$work/a.json" "$1"; }
is "$(value text)" 'say \"x\": {[' "a string with brackets and quotes"
is "$(value numbers.1)" "-2.5e-3" "a number in a list"
is "$(value numbers.2.deep)" "true" "deep inside"
is "$(value saving.fraction)" "0.25" "behind empty objects and lists"
is "$(value saving.low)" "null" "null"
is "$(value saving.high; echo "$?")" "1" "no such value"

for command in tools/demo tools/test; do
    like "$(head -n 5 "$top_srcdir/README.md")" "^    $command " "README begins with $command"
done
# Benchmarks: each finds the tree that it is in, and bench/all runs none that does not exist.
tree=$(cd "$top_srcdir" && pwd)
lost=
for benchmark in $(cd "$tree" && grep -l 'common\.sh' bench/*/*); do
    [ "$(sh -c '. "$1" && echo "$top"' "$tree/$benchmark" "$tree/bench/common.sh" 2>&1)" = "$tree" ] || lost="$lost $benchmark"
done
is "$lost" "" "benchmarks find their tree"
names=$(sed -n '/^for benchmark/,/do$/p' "$tree/bench/all" | tr ' \\;' '\n\n\n' | grep /)
is "$(for name in $names; do [ -x "$tree/bench/$name" ] || echo "$name"; done)" "" "bench/all names benchmarks that exist"
[ "$(echo "$names" | wc -w)" -gt 30 ]
ok $? "... many of them"
done_testing
