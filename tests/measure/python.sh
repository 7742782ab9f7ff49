#!/bin/bash
# silas-trace --python: Python's functions as regions, in all versions of Python that are here.
. "$top_srcdir/tests/measure/record.bash"
left_out_of sanitizers
cp "$top_srcdir"/tests/measure/python/* "$work" && cp "$top_srcdir/src/python/silas/regions.py" "$work/silas.py" && cd "$work" || exit 1
export PYTHONDONTWRITEBYTECODE=1
# The interpreter itself leaks.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"

version_of() { # INTERPRETER: 311 for 3.11; nothing if it does not run
    "$1" -c 'import sys, ctypes; print(sys.version_info[0] * 100 + sys.version_info[1])' 2>/dev/null
}
# "VERSION PATH" of each version that is found; the path is the interpreter's, not that of a script before it.
# Those of pyenv are found by their folder, because each start of its scripts takes a second.
for name in python3 /usr/bin/python3 python3.{8..15} "$HOME"/.pyenv/versions/3.*/bin/python3; do
    case $(command -v "$name") in */shims/*) [ "$name" = python3 ] || continue ;; esac
    version=$(version_of "$name") && echo "$version $("$name" -c 'import sys; print(sys.executable)')"
done | sort -n -u -k 1,1 >versions
# The plain python3 counts for its version; newest last.
mapfile -t usable < <(awk '$1 >= 308 { print $2 }' versions)
[ ${#usable[@]} -gt 0 ] || skip_all "no Python 3.8 or newer with ctypes is here"
newest=${usable[-1]}
interpreters=("${usable[@]}")
[ ${#usable[@]} -le 2 ] || in_full || interpreters=("${usable[0]}" "$newest")
is_new=$([ "$(version_of "$newest")" -ge 312 ] && echo 1)

tree() { # DIR [LOCATION]: the nested regions of a location
    events "$1" "${2:-0}" | awk '$1 == "ENTER" { printf "%*s%s\n", 2 * depth++, "", $5 } $1 == "LEAVE" { depth-- }' |
        tr -d '"'
}
definition() { # DIR NAME: file and line
    otf2-print -G "$1/traces.otf2" | sed -n "s/^REGION .*Name: \"$2\".*Role: \([A-Z]*\), Paradigm: \([A-Z]*\).*File: \"\([^\"]*\)\".*Begin: \([0-9]*\).*/\1 \2 \3:\4/p"
}
only_result() { # DESCRIPTION: silas-trace says nothing but where the archive is and what recording cost
    is "$(said | grep -vE 'traces.otf2: |recording took about')" "" "$1"
}
python() { # DIR ARGUMENTS: the newest Python under the tracer
    rm -rf "$1"
    trace -o "$1" --python "$newest" "${@:2}"
}

# Call paths, files and lines. Before 3.11 code knows no class but that of self and cls.
for interpreter in "${interpreters[@]}"; do
    version=$(version_of "$interpreter")
    name="Python 3.$((version - 300))"
    rm -rf run
    trace -o run --python "$interpreter" solver.py fail
    is $? 3 "$name: the program's exit code"
    valid run "$name: the archive is valid"
    only_result "$name: no complaint"
    expected=$(cat solver.expected)
    if [ "$version" -lt 311 ]; then
        expected=$(sed 's/Grid\.Edge$/Edge/; s/Grid\.twice/twice/; s/main\.<locals>\.//' solver.expected)
    fi
    is "$(tree run | uniq)" "$expected" "$name: call paths"
    # Python 3.8 has the path as it was given.
    is "$(definition run solver.Grid.step | sed "s, solver, $work/solver,")" "FUNCTION USER $work/solver.py:29" "$name: a method's file and line"
    is "$(definition run mpi.barrier)" "FUNCTION USER $work/mpi.py:$(grep -n 'def barrier' mpi.py | cut -d: -f1)" \
        "$name: of another module"
    threads=$(events run | awk '$1 == "ENTER" && /in_thread|twice/ && $2 > 1 { print $5 }' | sort | uniq -c | xargs)
    if [ "$version" -lt 311 ]; then expected="2 solver.in_thread 2 solver.twice"; else expected="2 solver.Grid.twice 2 solver.in_thread"; fi
    is "$threads" "$expected" "$name: functions of a thread have its location"
done
is "$(events run | grep -c 'json\|dynamic\|genexpr')" 0 "the standard library, compiled text and parts of functions are left out"

# Ways to start Python.
mkdir -p package && echo 'from package.part import work
import mpi
mpi.init()
work()
mpi.finalize()' >package/__main__.py && : >package/__init__.py && echo 'def work():
    pass' >package/part.py
python module -m package
valid module "python3 -m package"
like "$(tree module)" '^package\.<module>$' "has the package's name"
like "$(tree module)" '^  package\.part\.work$' "and its modules theirs"
python isolated -I -S -c "import sys; sys.path.insert(0, '$work')
import mpi
def main(): mpi.init(); mpi.finalize()
main()"
valid isolated "python3 -I -S -c"
like "$(tree isolated)" '^  __main__\.main$' "the program's functions are there"
"$newest" -m venv --without-pip environment 2>/dev/null &&
    "$work/environment/bin/python" -c '' && {
    rm -rf run
    trace -o run --python environment/bin/python solver.py
    valid run "in a virtual environment"
    is "$(tree run | uniq)" "$(cat solver.expected)" "the same call paths"
}
rm -rf run
trace -o run "$newest" solver.py
valid run "without --python"
is "$(count 'ENTER .*solver')" 0 "no function is recorded"

# Filters.
mkdir -p site-packages && echo 'def helper(): pass' >site-packages/installed.py
cat >filtered.py <<'END2'
import sys
sys.path.insert(0, "site-packages")
import json, installed, mpi
def tiny(): pass
def work(): tiny(); installed.helper(); json.loads("1")
mpi.init()
work()
mpi.finalize()
END2
python run filtered.py
is "$(tree run | grep -c 'helper\|json')" 0 "packages and the standard library are left out"
printf 'tiny\n!installed.*\n!*/json/*\nmpi.*\n' >filter
python run --filter 2>/dev/null
rm -rf run
trace -o run --python --filter filter "$newest" filtered.py
valid run "with a filter"
is "$(tree run | grep -cE 'tiny|mpi\.')" 0 "functions and modules are left out by name"
like "$(tree run)" '^    installed\.helper$' "a package is taken in by name"
like "$(tree run)" '^    json\.loads$' "the standard library's by path"
rm -rf run
trace --estimate --python -o run "$newest" filtered.py
like "$(cat out)" 'filtered\.tiny' "--estimate counts them"

# Ends.
ends() { # NAME STATUS TEXT
    printf 'import os, sys, subprocess, mpi\nmpi.init()\ndef outer(): inner()\ndef inner():\n    mpi.barrier()\n    %s\nouter()\nmpi.finalize()\n' "$3" >ends.py
    python run ends.py
    is $? "$2" "$1: exit code"
    valid run "$1: valid, with all regions closed"
    like "$(tree run)" '^    ends\.inner$' "$1: functions"
}
ends "sys.exit" 4 'mpi.finalize(); sys.exit(4)'
ends "os._exit" 0 'mpi.finalize(); os._exit(0)'
ends "an uncaught exception" 1 'mpi.finalize(); raise ValueError("x")'
ends "os.fork" 0 'os.fork() or ([outer for i in range(9)], os._exit(0))'
ends "a program in Python, started by it" 0 'subprocess.check_call([sys.executable, "-c", "def f(): pass\nf()"])'
is "$(events run | grep -c '__main__')" 0 "... which is not recorded"

# Profilers of the program's own.
cat >profilers.py <<'END2'
import cProfile, sys, mpi
def mine(*event): pass
def inner(): pass
def while_mine(): inner()
def switch_on(): sys.setprofile(mine)
def profiled():
    switch_on()
    while_mine()
    sys.setprofile(None)
    for i in range(1000): pass
    inner()
def main():
    profiled()
    inner()
    profiler = cProfile.Profile()
    profiler.runcall(while_mine)
mpi.init()
main()
inner()
mpi.finalize()
END2
for interpreter in "${interpreters[@]}"; do
    version=$(version_of "$interpreter")
    rm -rf run
    trace -o run --python "$interpreter" profilers.py
    valid run "a program that profiles itself, version $version"
    if [ "$version" -lt 312 ]; then
        like "$(said)" 'warning: --python: the program uses its own profiler' "a warning"
    else
        only_result "no complaint"
        like "$(tree run)" '^        profilers\.inner' "functions are recorded meanwhile"
    fi
    like "$(tree run | uniq)" '^      profilers\.inner' "and afterwards inside the functions that were open"
    is "$(tree run | tail -3 | head -1)" "  profilers.inner" "the last one where it is called"
done

# An interpreter inside of another program.
cat >embeds.c <<'END2'
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    (void)argc;
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
    if (!library) { fprintf(stderr, "%s\n", dlerror()); return 77; }
    ((void (*)(void))dlsym(library, "Py_Initialize"))();
    return ((int (*)(const char *))dlsym(library, "PyRun_SimpleString"))(argv[2]);
}
END2
shared=$("$newest" -c 'import sysconfig as s; print(s.get_config_var("LIBDIR") + "/" + (s.get_config_var("INSTSONAME") or "none"))')
case $shared in
*.so*) $MPICC embeds.c -o embeds -ldl ;;
*) skip "an interpreter inside of another program" "Python has no shared library" ;;
esac
if [ -x embeds ] && [ -f "$shared" ]; then
    rm -rf run
    trace -o run --python ./embeds "$shared" "import sys, ctypes; sys.path.insert(0, '$work'); import mpi
def later(): mpi.barrier()
def begin(): mpi.init(); later()
begin(); mpi.finalize()"
    result=$?
    is "$result" 0 "a program that loads Python: exit code"
    valid run "its archive is valid"
    like "$(tree run)" '__main__\.later$' "its functions are recorded from MPI_Init on"
fi

# What cannot be.
rm -rf run
trace -o run --python "$program"
like "$(said)" 'warning: --python: no Python functions are recorded: the program is not Python' "a program that is not Python"
is "$(said | grep -c warning)" 1 "... which one rank says"
valid run "it is traced all the same"
old=$(awk '$1 < 308 { print $2; exit }' versions)
if [ -n "$old" ]; then
    rm -rf run
    trace -o run --python "$old" filtered.py
    like "$(said)" 'warning: --python: no Python functions are recorded: the interpreter is Python 3\.[0-7], .*3\.8' "an older Python"
    valid run "it is traced all the same"
else
    skip "an older Python" "none is here"
fi

# Regions set by hand.
cat >marks.py <<'END2'
import mpi, silas
@silas.region("decorated")
def work(n):
    return n + 1
mpi.init()
with silas.region("by hand"):
    assert work(1) == 2
try:
    with silas.region("by hand"):
        raise ValueError
except ValueError:
    pass
mpi.finalize()
END2
rm -rf run
trace -o run "$newest" marks.py
is $? 0 "import silas"
valid run "regions set by hand"
is "$(events run 0 | sed -n 's/^ENTER .*"\([^M].*\)".*/\1/p' | paste -sd ' ')" "by hand decorated by hand" "they nest"
is "$(definition run 'by hand')" "CODE USER $work/marks.py:6" "their place"
"$newest" -c 'import silas
with silas.region("x"): print("there")' >said
is "$(cat said)" there "without the tracer they do nothing"

done_testing
