# Who may include whom (ARCHITECTURE.md), and who may see which library. Reads sources only.
. "$top_srcdir/tests/tap.sh"
left_out_of sanitizers
cd "$top_srcdir" || exit 99

# Folder, and the folders or headers that its files may include beside their own.
direction='src/base
src/trace: base loops
loops: base trace
src/severity: base trace
src/measure/recorder: base
src/measure/python: base measure/recorder
src/measure/wrappers: base measure/recorder measure/python
src/measure/archive: base measure/recorder
running: base measure/recorder measure/archive
src/measure/launch: base measure/recorder measure/archive running
src/measure/silas:
transform: base trace
structure: base trace transform
replay/costs: base trace
replay/realtime: base trace replay/costs replay/engine.h
replay/model: base trace replay/costs replay/engine.h
replay/calibrate: base trace replay/costs
replay/correction: base trace replay/costs replay/engine.h
replay: base trace
memory: base trace transform replay
patterns: base trace severity
reduction: base trace severity transform replay
prediction: base trace transform structure loops replay
schedules: base trace replay prediction
src/report: base trace severity structure
src/results: base trace severity patterns report
exports: base trace severity patterns report schedules
plugins: base trace severity transform patterns report
efficiency: base trace structure replay reduction report
src/job: base trace severity transform replay memory patterns structure reduction report efficiency
sweep: base trace severity transform replay patterns reduction report efficiency job
advice: base trace severity transform replay patterns reduction report job sweep
verify: base trace severity patterns report results
src/programs: base trace loops severity structure reduction prediction schedules exports plugins transform replay patterns report results efficiency job sweep advice verify measure'

includes() { # FOLDER: "file:included path" of every include in double quotes
    find "$1" -name '*.[ch]' -exec grep -Ho '^ *# *include *"[^"]*"' {} + |
        sed 's/: *# *include *"\(.*\)"$/:\1/'
}

offenders() { # FOLDER ALLOWED: includes of other folders that are not allowed
    own=${1#src/}
    includes "$1" | while IFS=: read -r file path; do
        case $path in
        */*) ;;
        *) continue ;; # in the same folder, or config.h
        esac
        for allowed in $own $2; do
            case $path in "$allowed"/* | "$allowed") continue 2 ;; esac
        done
        echo "$file includes $path"
    done
}

while IFS=: read -r folder allowed; do
    [ -d "$folder" ] || continue
    is "$(offenders "$folder" "$allowed")" "" "$folder includes only ${allowed:-nothing but itself}"
done <<END
$direction
END

# Within src/trace: each room stands on the files beside it and on the rooms named here.
rooms=': none
calls: none
load: calls
build: calls
save: calls
match: calls
clocks: calls
deadlock: calls'

while IFS=: read -r room allowed; do
    [ -d "src/trace/$room" ] || continue
    found=$(find "src/trace/$room" -maxdepth 1 -name '*.[ch]' | while read -r file; do
        includes "$file" | sed -n 's!^\(.*\):trace/\(.*\)/[^/]*$!\1 \2!p'
    done | while read -r file other; do
        case " $room $allowed " in *" $other "*) ;; *) echo "$file includes trace/$other" ;; esac
    done)
    is "$found" "" "src/trace/$room: includes of the other rooms:$allowed"
done <<END
$rooms
END

unknown=$(find src efficiency transform structure loops prediction replay memory reduction patterns exports plugins sweep advice verify -name '*.[ch]' | sort | while read -r file; do
    printf '%s\n' "$direction" | while IFS=: read -r folder allowed; do
        case $file in "$folder"/*) echo known ;; esac
    done | grep -q known || echo "$file"
done)
is "$unknown" "" "every folder with sources has its place in the order"

users() { # HEADER-PATTERN ALLOWED-PATTERN: files that include a library outside its place
    grep -rlE --include='*.[ch]' "^ *# *include *<$1" src efficiency transform structure loops prediction replay memory reduction patterns exports sweep advice verify |
        grep -vE "^($2)" | sort
}
is "$(users 'otf2/' 'src/trace/|src/measure/')" "" \
    "OTF2 is seen by the trace folder and the tracer only"
is "$(users 'hwloc' 'src/base/topology')" "" "hwloc is wrapped once"
is "$(users 'ini\.h' 'src/base/ini')" "" "inih is wrapped once"
is "$(users 'lzma\.h' 'loops/packing')" "" "liblzma is wrapped once"
is "$(users '(expat|zlib)\.h' 'src/report/')" "" "expat and zlib are seen by the report folder only"

# The tracer shares these files: a call of MPI_* from them would be recorded as the program's.
# Comments and strings may speak of MPI.
callers=$(find src/base -name '*.[ch]' | sort | while read -r file; do
    sed -E 's!/\*.*\*/!!; s!"([^"\\]|\\.)*"!!g; /^ *\/?\*/d' "$file" |
        grep -E '(^|[^A-Za-z0-9_])MPI_[A-Z][a-z][A-Za-z_]* *\(' | sed "s!^!$file: !"
done)
is "$callers" "" "src/base calls MPI by its PMPI names only"
done_testing
