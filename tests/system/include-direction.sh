# Which folder may include which (ARCHITECTURE.md), and which may use which library. Reads sources only.
. "$top_srcdir/tests/tap.sh"
left_out_of sanitizers
cd "$top_srcdir" || exit 99

# Each folder with sources, lowest first, and the folders above it in this list that its files may include,
# or single headers of folders below it: contracts that the parts of a folder implement. src/ is left out.
order='base:
base/mpi: base
equations:
reduce/rules: base
measure/recorder: base base/mpi
measure/python: base measure/recorder
measure/wrappers: base measure/recorder measure/python
measure/archive: base measure/recorder
measure/reduce: base equations reduce/rules measure/recorder measure/archive
measure/launch: base measure/recorder measure/archive measure/reduce
measure/silas:
trace: base base/mpi
trace/calls: base trace
threads: base trace
trace/folded: base base/mpi trace
trace/load: base base/mpi trace trace/calls trace/folded threads
trace/build: base trace trace/calls
trace/save: base base/mpi trace trace/calls
trace/match: base base/mpi trace trace/calls
trace/deadlock: base base/mpi trace trace/calls
trace/clocks: base trace trace/calls
severity: base base/mpi
replay/costs: base base/mpi trace trace/calls
transform: base base/mpi trace trace/calls threads trace/match trace/deadlock replay/costs
structure: base base/mpi trace trace/calls trace/folded trace/load trace/match trace/save transform
replay/realtime: base base/mpi trace trace/calls replay/costs replay/engine.h
replay/model: base base/mpi equations trace trace/calls replay/costs replay/engine.h
replay/calibrate: base base/mpi replay/costs
replay/correction: base base/mpi equations trace replay/costs
replay: base base/mpi trace transform replay/costs replay/realtime replay/model replay/correction
replay/memory: base base/mpi trace trace/load transform replay replay/costs replay/model
patterns: base base/mpi trace trace/calls threads severity
reduce: base base/mpi equations reduce/rules trace trace/calls trace/match severity threads transform replay replay/costs replay/model
predict: base base/mpi trace trace/calls trace/build trace/load trace/match trace/deadlock transform replay/costs replay/model
predict/language: base predict
predict/from: base base/mpi trace trace/calls trace/folded trace/load trace/match transform replay replay/costs replay/model predict
exchange/schedules: base trace trace/calls trace/build replay predict
report: base base/mpi severity structure
report/json: base report
report/text: base report
report/page: base
report/html: base report report/page
report/tsv: base severity report
report/cubex: base severity report
report/timeline: base base/mpi trace threads severity report report/page
exchange/exports: base base/mpi trace trace/calls patterns report exchange/schedules
plugins/include/silas: base trace trace/calls transform structure patterns report
plugins: base
results: base base/mpi trace trace/load trace/match severity replay patterns report report/page
results/efficiency: base trace trace/calls threads structure replay replay/model patterns reduce report report/json report/page report/text
results/traffic: base base/mpi trace trace/calls report report/page report/text
results/verify: base severity results
results/verify/output: base report report/page results/verify
live: base base/mpi equations trace threads transform replay replay/costs replay/model reduce report report/page results/efficiency
job: base base/mpi trace trace/calls threads trace/load trace/match trace/deadlock trace/clocks trace/save transform structure replay replay/model replay/memory patterns reduce report report/timeline results/efficiency live
sweep/queue: base trace trace/load report sweep/folder.h sweep/part_file.h sweep/split.h sweep/sweep.h sweep/work_command.h
sweep: base base/mpi trace trace/load transform replay patterns report results/efficiency job sweep/queue
sweep/output: base report report/page sweep
sweep/predicted: base base/mpi predict report report/page report/text sweep
advise: base trace severity replay/model patterns reduce report report/page job sweep
advise/candidates: base trace trace/calls threads transform patterns job advise
programs: base base/mpi trace threads trace/load trace/match trace/deadlock trace/folded trace/save structure transform replay replay/costs replay/model replay/calibrate patterns measure/archive measure/launch reduce predict predict/from exchange/schedules exchange/exports plugins report report/page results results/efficiency results/traffic results/verify job sweep sweep/predicted sweep/queue advise
python: base base/mpi trace trace/calls trace/load trace/match trace/deadlock severity structure replay replay/model patterns reduce report report/json results results/efficiency job'

folders=$(find src transform replay patterns -name '*.[ch]' | sed 's!^src/!!; s!/[^/]*$!!' | sort -u)
listed=$(printf '%s\n' "$order" | sed 's/:.*//')
is "$(printf '%s\n' "$listed" | sort | comm -3 - <(printf '%s\n' "$folders"))" "" "the order lists every folder with sources, and no other"

path_of() { # FOLDER
    [ -d "src/$1" ] && echo "src/$1" || echo "$1"
}

offenders() { # FOLDER ALLOWED...: its includes of other folders that are not allowed
    own=$1
    shift
    find "$(path_of "$own")" -maxdepth 1 -name '*.[ch]' -exec grep -Ho '^ *# *include *"[^"]*/[^"]*"' {} + |
        sed 's/: *# *include *"\(.*\)"$/ \1/' | while read -r file header; do
        for allowed in "$own" "$@"; do
            case $header in "$allowed" | "$allowed"/*) [ "$allowed" = "$header" ] || [ "$allowed" = "${header%/*}" ] && continue 2 ;; esac
        done
        echo "$file includes $header"
    done
}

above=' '
while IFS=: read -r folder allowed; do
    # shellcheck disable=SC2086 # words
    is "$(offenders "$folder" $allowed)" "" "$folder includes only${allowed:- its own headers}"
    # So no two folders include each other.
    later=
    for other in $allowed; do
        case $other in *.h) [ -e "$(path_of "${other%/*}")/${other##*/}" ] && continue ;; esac
        case $above in *" $other "*) ;; *) later="$later $other" ;; esac
    done
    is "$later" "" "... all of them above it in the order"
    above="$above$folder "
done <<END
$order
END

users() { # HEADER-PATTERN ALLOWED-PATTERN: files that include a library outside its place
    grep -rlE --include='*.[ch]' "^ *# *include *<$1" src transform replay patterns | grep -vE "^($2)" | sort
}
is "$(users 'otf2/' 'src/trace/|src/threads/|src/measure/')" "" \
    "OTF2 is seen by the folders of traces and threads, and the tracer, only"
is "$(users 'hwloc' 'src/base/topology')" "" "hwloc is wrapped once"
is "$(users 'ini\.h' 'src/base/ini')" "" "inih is wrapped once"
is "$(users 'jansson\.h' 'src/base/json')" "" "jansson is wrapped once"
is "$(users 'lzma\.h' 'src/trace/folded/packing')" "" "liblzma is wrapped once"
is "$(users '(expat|zlib)\.h' 'src/report/')" "" "expat and zlib are seen by the report folder only"

# The tracer shares these files: a call of MPI_* from them would be recorded as the program's. It has no part in base/mpi/start.c.
# Comments and strings may speak of MPI.
callers=$(find src/base -name '*.[ch]' ! -path src/base/mpi/start.c | sort | while read -r file; do
    sed -E 's!/\*.*\*/!!; s!"([^"\\]|\\.)*"!!g; /^ *\/?\*/d' "$file" |
        grep -E '(^|[^A-Za-z0-9_])MPI_[A-Z][a-z][A-Za-z_]* *\(' | sed "s!^!$file: !"
done)
is "$callers" "" "src/base calls MPI by its PMPI names only"
done_testing
