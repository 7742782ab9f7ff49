# Every trace of the corpus with one process, and every third one with two: see corpus/README.
. "$top_srcdir/tests/tap.sh"
left_out_of distribution
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
make_trace=$top_builddir/tests/trace/make_trace
check_trace=$top_builddir/tests/trace/check_trace

with_two=" $(third_of "$top_srcdir"/tests/trace/corpus/*.txt | xargs) "
for spec in "$top_srcdir"/tests/trace/corpus/*.txt; do
    name=$(basename "$spec" .txt)
    "$make_trace" "$spec" "$work/$name" || { ok 1 "$name: make_trace"; continue; }
    for np in 1 2; do
        launcher=
        if [ $np -eq 2 ]; then
            case $with_two in *" $spec "*) launcher="$MPIEXEC -np 2" ;; *) continue ;; esac
        fi
        # shellcheck disable=SC2086 # words
        out=$(timeout -k 5 150 $launcher "$check_trace" "$work/$name/traces.otf2" 2> "$work/err")
        code=$?
        err=$(cat "$work/err")
        case $name in
        good-*) is "$code" 0 "$name np$np: exit code 0" ;;
        bad-*) is "$code" 1 "$name np$np: exit code 1" ;;
        esac
        while IFS= read -r line; do
            case $line in
            "# facts: "*)
                facts=${line#"# facts: "}
                case $out in
                *"$facts"*) ok 0 "$name np$np: $facts" ;;
                *) is "$out" "$facts" "$name np$np: facts" ;;
                esac
                ;;
            "# message: "*) like "$err" "${line#"# message: "}" "$name np$np: ${line#"# "}" ;;
            "# no-message: "*)
                case $err in
                *"${line#"# no-message: "}"*) ok 1 "$name np$np: ${line#"# "}" ;;
                *) ok 0 "$name np$np: ${line#"# "}" ;;
                esac
                ;;
            esac
        done < "$spec"
    done
done
done_testing
