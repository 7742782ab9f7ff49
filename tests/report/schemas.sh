# The JSON that programs write is as doc/*.schema.json says, member by member; and a document with a missing, misspelt
# or mistyped member is not.
. "$top_srcdir/tests/tap.sh"
left_out_of sanitizers
python=
for candidate in python3 /usr/bin/python3; do # packages are for the system's
    [ -n "$python" ] || ! $candidate -c 'from jsonschema import Draft202012Validator' 2>/dev/null || python=$candidate
done
[ -n "$python" ] || skip_all "no jsonschema for Python"
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
bin=$top_builddir
trace() { "$bin/tests/trace/make_trace" "$1" "$2" || { echo "Bail out! no trace"; exit 99; }; }
run() { timeout -k 5 150 "$@" </dev/null 2>err; }
trace "$top_srcdir/tests/trace/corpus/good-windows.txt" windows
# Names that are not UTF-8, and a rank that keeps the other waiting in all of ten iterations.
awk -v name="$(printf 'caf\351"\\/')" 'BEGIN { print "ranks 2"
    for (r = 0; r < 2; r++) {
        printf "rank %d\n0 enter main\n", r
        for (i = 0; i < 10; i++) {
            t = i * 10000; busy = r ? 1000 : 8000
            printf "%d enter %s\n%d leave %s\n", t, name, t + busy, name
            printf "%d enter MPI_Barrier\n%d begin\n%d end 0 world -1 0 0\n%d leave MPI_Barrier\n", t + busy, t + busy, t + 8100, t + 8100
        }
        print "100000 leave main"
    } }' >uneven.txt
trace uneven.txt uneven

cat >validate.py <<'PYTHON'
"""SCHEMA DOCUMENT: prints what is wrong. Then breaks the document at every member, one at a time, and prints where
the schema does not notice."""
import copy, json, sys
from jsonschema import Draft202012Validator

with open(sys.argv[1], encoding="utf-8") as file:
    schema = json.load(file)
with open(sys.argv[2], encoding="utf-8") as file:
    document = json.load(file)
Draft202012Validator.check_schema(schema)
validator = Draft202012Validator(schema)
errors = list(validator.iter_errors(document))
for error in errors[:5]:
    print(f"{error.json_path}: {error.message[:200]}")
free = set(sys.argv[3:])  # objects whose members may be any


def objects(value, path):
    """The first object at each place, with its path."""
    if isinstance(value, dict):
        yield path
        for key, member in value.items():
            yield from objects(member, path + [key])
    elif isinstance(value, list) and value:
        yield from objects(value[0], path + [0])


def at(value, path):
    for step in path:
        value = value[step]
    return value


def shortened(value):
    """The same with at most two elements of each list, which takes much less time to check again and again."""
    if isinstance(value, dict):
        return {key: shortened(member) for key, member in value.items()}
    return [shortened(member) for member in value[:2]] if isinstance(value, list) else value


short = shortened(document)
if validator.is_valid(short):
    document = short
for path in [] if errors else list(objects(document, [])):
    if path and path[-1] in free:
        continue
    for key in list(at(document, path)):
        for how in "lacks", "misspells", "has an object for":
            broken = copy.deepcopy(document)
            place = at(broken, path)
            if how == "lacks":
                del place[key]
            elif how == "misspells":
                place[key + "x"] = place.pop(key)
            else:
                place[key] = {"no": "such"}
            if validator.is_valid(broken) and not (how == "has an object for" and key in free):
                print(f"not noticed: {'.'.join(map(str, path))} {how} {key}")
PYTHON
valid() { # SCHEMA DOCUMENT DESCRIPTION [FREE...]
    is "$(timeout 100 "$python" validate.py "$top_srcdir/doc/$1.schema.json" "$2" "${@:4}" 2>&1)" "" "$3"
}

run "$bin/silas-analyze" -f json windows >windows.json
valid severity windows.json "silas-analyze: one-sided communication"
run "$bin/silas-analyze" -f json uneven >uneven.json
valid severity uneven.json "silas-analyze: hostile names"
run "$bin/silas-pop" -i -f json windows uneven >pop.json
valid pop pop.json "silas-pop"
run "$bin/silas-traffic" -f json windows >traffic.json
valid traffic traffic.json "silas-traffic"
run "$bin/silas-diff" -f json windows.json uneven.json >difference.json
valid severity difference.json "silas-diff"
run "$bin/silas-diff" -f json --fail-on "T>+5%,late_sender@main<10ms,visits>0" uneven uneven.json >gate.json
valid gate gate.json "silas-diff --fail-on"

config() { # NAME, then lines of sections on standard input
    { printf '[trace]\npath = %s\n[output]\nformats = json\n' uneven; cat; } >"$1.ini"
}
config identity </dev/null
config scaled <<<$'[balance all]\nregion = caf*'
run "$bin/silas-model" identity.ini >log && run "$bin/silas-model" scaled.ini >log
valid report identity-replay/report.json "silas-model: without a hypothesis"
valid report scaled-replay/report.json "silas-model: with one"
config replayed <<<$'[scale all]\nregion = caf*\nfactor = 0.5\n[replay]\nrepeat = 5\noversubscribe = yes\ntune = no'
if [ "${SILAS_CHECK-}" != sanitizers ] && run "$MPIEXEC" -np 2 "$bin/silas-replay" replayed.ini >log; then
    valid report replayed-replay/report.json "silas-replay"
else
    skip "silas-replay" "it cannot be run here: $(tail -1 err)"
fi

run "$bin/silas-advise" --engine model -f json uneven >advice.json
valid advice advice.json "silas-advise"
is "$("$python" -c 'import json; print(len(json.load(open("advice.json"))["advice"]) > 0)')" True "... with a piece of advice"
printf '[trace]\npath = uneven\n[sweep]\nengine = model\nmode = pairs\n[scale a]\nregion = caf*\nfactor = {0.5, 2}\n[balance b]\nregion = {caf*}\n' >sweep.ini
run "$bin/silas-sweep" --jobs 1 -f json -o folder sweep.ini >sweep.json || run "$bin/silas-sweep" collect -f json folder >sweep.json
valid sweep sweep.json "silas-sweep" settings
printf 'param n = 3;\npart main { cpu n * size * 1 ms; }\n' >script.silas
printf '[distance node]\nlatency = 1 us\n' >hardware.ini
printf '[predict]\nscript = script.silas\nhardware = hardware.ini\nranks = {1, 2}\n[parameters]\nn = {1, 2}\n[sizing]\nwithin = 3 ms\nlargest = n\n' >predictions.ini
run "$bin/silas-sweep" -f json predictions.ini >predictions.json
valid predictions predictions.json "silas-sweep: predictions"
run "$bin/silas-verify" -f json scaled-replay uneven >verify.json
valid verify verify.json "silas-verify"
run "$bin/silas-verify" -f json --original uneven --region 'main' scaled-replay uneven >region.json
valid verify region.json "silas-verify --region"
done_testing
