# "import silas": tables against silas-export and silas-analyze, buffers and Arrow's structures, what-ifs against
# silas-model, errors, interrupts, threads, memory; in each Python of this machine.
. "$top_srcdir/tests/tap.sh"
left_out_of sanitizers
module=$top_builddir/src/python/silas/_silas.abi3.so
[ -e "$module" ] || skip_all "built without Python's headers"
work=$(mktemp -d "${TMPDIR:-/tmp}/silas-python.XXXXXX") || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
mkdir silas && cp "$top_srcdir"/src/python/silas/*.py "$module" silas || exit 99
export PYTHONPATH=$work:$top_srcdir/tests/python PYTHONDONTWRITEBYTECODE=1 PATH=$top_builddir:$PATH

"$top_builddir/tests/trace/make_trace" "$top_srcdir/tests/exchange/schedules/everything.txt" everything ||
    { echo "Bail out! no trace"; exit 99; }
"$top_builddir/bench/trace/generate_trace" -o generated -r 4 -e 3000 -s 7 >/dev/null 2>&1 ||
    { echo "Bail out! no generated trace"; exit 99; }
"$top_builddir/bench/trace/generate_trace" -o larger -r 8 -e 60000 -s 8 >/dev/null 2>&1 ||
    { echo "Bail out! no larger trace"; exit 99; }

for text in threads clocks one-sided; do
    "$top_builddir/tests/trace/make_trace" "$top_srcdir/tests/python/$text.txt" "$text" ||
        { echo "Bail out! no trace of $text"; exit 99; }
done

run() { # PYTHON SCRIPT ARGUMENT...: its lines of TAP count as ours
    local seen=no
    while IFS= read -r line; do
        case $line in
        'ok - '*'# SKIP '*) reason=${line##*# SKIP } line=${line% # SKIP *}; skip "$label: ${line#ok - }" "$reason" ;;
        'ok - '*) ok 0 "$label: ${line#ok - }" ;;
        'not ok - '*) ok 1 "$label: ${line#not ok - }" ;;
        done) seen=yes ;;
        *) printf '# %s\n' "${line#\# }" ;;
        esac
    done < <(timeout -k 5 240 "$@" 2>&1 </dev/null)
    [ $seen = yes ]
    ok $? "$label: ${2##*/} runs to its end"
}
python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' || skip_all "python3 is older than 3.9"
label=python3
for trace in everything generated one-sided; do run python3 "$top_srcdir/tests/python/tables.py" $trace; done
run python3 "$top_srcdir/tests/python/threads.py" threads
run python3 "$top_srcdir/tests/python/clocks.py" clocks
run python3 "$top_srcdir/tests/python/one_sided.py" one-sided
run python3 "$top_srcdir/tests/python/arrow.py" generated
run python3 "$top_srcdir/tests/python/what_ifs.py" generated
run python3 "$top_srcdir/tests/python/work.py" larger

# The stable interface: the same file in other versions.
for python in $(compgen -G "$HOME/.pyenv/versions/3.*/bin/python3") /usr/bin/python3; do
    "$python" -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null || continue
    label=$("$python" -c 'import sys; print("Python %d.%d" % sys.version_info[:2])')
    run "$python" "$top_srcdir/tests/python/arrow.py" generated
done
done_testing
