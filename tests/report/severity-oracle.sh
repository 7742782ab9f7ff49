# Reports of Scalasca and Score-P: silas-report reads their values, silas-diff
# compares them with our own, and our copies of them have the same values.
. "$top_srcdir/tests/tap.sh"
left_out_of distribution
oracle=${SILAS_SHARED:-$top_srcdir/../shared}/oracle
[ -d "$oracle" ] || skip_all "the oracle is not here"
work=$(mktemp -d "${TMPDIR:-/tmp}/silas-reference.XXXXXX")
trap 'rm -rf "$work"' EXIT
report=$top_builddir/silas-report
difference=$top_builddir/silas-diff

# Paradigm and role of each region of MPI; versions of Score-P differ in those of MPI_Start and MPI_Startall.
roles() { # CUBE-FILE
    tar xOf "$1" anchor.xml | awk -F '[<>]' '
        /<region / { name = "" }
        /<name>MPI_/ { name = $3 }
        /<paradigm>/ { paradigm = $3 }
        /<role>/ && name != "" && name !~ /^MPI_Start/ { print name, paradigm, $3 }' | sort -u
}
# File and lines of each region, by which Cube's tools tell regions of one name apart.
places() { # CUBE-FILE
    tar xOf "$1" anchor.xml | awk -F '[<>]' '
        /<region / { place = $2; sub(/region id="[0-9]*" /, "", place) }
        /<name>/ && place != "" { print $3, place; place = "" }' | sort -u
}
cases=0
for file in $(some_of 2 "$oracle"/*/reference.cubex); do
    case=${file%/*}
    name=${case##*/}
    cases=$((cases + 1))
    last=$(timeout -k 5 150 "$difference" "$case/expected.tsv" "$file" | tail -1)
    like "$last" '^0 of [1-9][0-9]* values differ' "$name: cubex against its values as TSV"
    is "${last#* of }" "$(wc -l <"$case/expected.tsv") ${last#* of * }" "$name: no value is missing"
    timeout -k 5 150 "$report" "$file" -f cubex -o "$work/copy.cubex"
    timeout -k 5 150 "$report" "$file" -f tsv -o "$work/a.tsv"
    timeout -k 5 150 "$report" "$work/copy.cubex" -f tsv -o "$work/b.tsv"
    cmp -s "$work/a.tsv" "$work/b.tsv"
    ok $? "$name: a copy has the same values"
    roles "$file" >"$work/a.roles"
    roles "$work/copy.cubex" >"$work/b.roles"
    is "$(comm -13 "$work/a.roles" "$work/b.roles")" "" "$name: ... and regions of MPI the same roles"
    [ -s "$work/b.roles" ]
    ok $? "$name: ... of which there are some"
    timeout -k 5 150 "$top_builddir/silas-analyze" "$case" -f cubex -o "$work/own.cubex" 2>/dev/null
    places "$file" >"$work/a.places"
    places "$work/own.cubex" >"$work/b.places"
    is "$(comm -13 "$work/a.places" "$work/b.places")" "" "$name: silas-analyze writes the files and lines of regions as Scalasca does"
done
is "$(places "$oracle/casita_4_mpi_ls_barr/reference.cubex" | grep -c 'gen_mpi.c" begin="[0-9]')" 4 "a report has files and lines"
ok "$([ "$cases" -ge "$(some_of 2 1 2 3 4 5 | tail -1)" ]; echo $?)" "there are reports"

# Score-P's own profile of the run, whose rows of time are inclusive.
profile=$oracle/casita_4_mpi_ls_barr/profile.cubex
out=$(timeout -k 5 150 "$difference" "$profile" "$oracle/casita_4_mpi_ls_barr/reference.cubex")
like "$out" '^visits +48 +48 += +occ' "profile and trace analysis have the same visits"
like "$out" '^time +80\.185937 +80\.185936 += +sec' "profile and trace analysis have the same time"
like "$(timeout -k 5 150 "$report" "$profile")" '^min_time' "metrics that are not ours survive"

# Our own analysis of the trace, through a Cube file of ours.
timeout -k 5 150 "$top_builddir/silas-analyze" "$oracle/scorep-comd_4" -f cubex -o "$work/ours.cubex"
ok $? "silas-analyze writes Cube files"
out=$(timeout -k 5 150 "$difference" "$work/ours.cubex" "$oracle/scorep-comd_4/reference.cubex")
for metric in time mpi_latesender mpi_wait_nxn visits bytes_sent; do
    like "$out" "^$metric .* = " "silas-diff: $metric is the same"
done
like "$(timeout -k 5 150 "$report" "$work/ours.cubex")" 's from the first to the last event' "T is kept"
done_testing
