# Options that all programs have: --help, --version, usage errors; and silas TOOL.
. "$top_srcdir/tests/tap.sh"
export HWLOC_COMPONENTS="${HWLOC_COMPONENTS--pci}"
for program in silas silas-trace silas-replay silas-model silas-calibrate silas-analyze silas-pop silas-traffic silas-structure silas-predict silas-sweep silas-export silas-init silas-reduce silas-report silas-diff silas-advise silas-verify; do
    out=$(timeout -k 5 150 "$top_builddir/$program" --help 2>&1)
    is "$?" 0 "$program --help: exit code"
    like "$out" "^Usage: .*$program" "$program --help says how to call it"
    out=$(timeout -k 5 150 "$top_builddir/$program" --version 2>&1)
    is "$?" 0 "$program --version: exit code"
    like "$out" "^$program \(SILAS\) [0-9]" "$program --version"
    out=$(timeout -k 5 150 "$top_builddir/$program" --verison 2>&1)
    is "$?" 2 "$program, unknown option: exit code"
    like "$out" "^$program: unknown option \"--verison\"; did you mean \"--version\"\?" \
        "$program, unknown option: the nearest one"
    is "$(printf '%s\n' "$out" | wc -l)" 1 "$program, unknown option: one line"
done

# --- how MPI starts: hwloc tells what MPICH looks up
parts_of_hwloc() { # PROGRAM
    HWLOC_COMPONENTS_VERBOSE=1 timeout -k 5 150 "$top_builddir/$1" --version 2>&1 |
        sed -n 's/^hwloc: Final list of enabled discovery components: //p' | sort -u
}
chosen=$HWLOC_COMPONENTS
if is_mpich && [ -n "$(parts_of_hwloc silas-analyze)" ]; then
    like "$(parts_of_hwloc silas-analyze)" linux "the components of hwloc that the user has chosen are left"
    unset HWLOC_COMPONENTS
    is "$(parts_of_hwloc silas-analyze | sed 's/([^)]*)//g')" no_os "silas-analyze does not look up the topology"
    for program in silas-replay silas-calibrate silas-advise silas-sweep; do
        like "$(parts_of_hwloc $program)" linux "$program measures: it does"
    done
    export HWLOC_COMPONENTS=$chosen
else
    skip "silas-analyze does not look up the topology" "only MPICH, and with the hwloc of the system"
fi

# --- ... and UCX tells what it has been set to
unset UCX_TLS UCX_POSIX_RX_BUFS_GROW UCX_SYSV_RX_BUFS_GROW
settings_of_ucx() { # COMMAND...
    UCX_LOG_LEVEL=info timeout -k 5 150 "$@" 2>&1 | sed -n 's/.*UCX_\* env variables*: //p' | sort -u
}
if is_mpich && [ -n "$(settings_of_ucx "$top_builddir/silas-analyze" --version)" ]; then
    two="$MPIEXEC -np 2"
    like "$(settings_of_ucx $two "$top_builddir/silas-analyze" --version)" UCX_TLS=shm,self \
        "two processes on one host: no networks"
    like "$(settings_of_ucx "$top_builddir/silas-analyze" --version)" UCX_TLS=shm,self \
        "a process without a launcher: no networks"
    is "$(settings_of_ucx $two env MPI_LOCALNRANKS=1 "$top_builddir/silas-analyze" --version | grep -c UCX_TLS)" 0 \
        "the launcher has started one of two processes here: UCX chooses"
    out=$(UCX_TLS=tcp,self settings_of_ucx $two "$top_builddir/silas-analyze" --version)
    like "$out" UCX_TLS=tcp,self "the transports that the user has chosen are left ..."
    is "$(printf '%s\n' "$out" | grep -c RX_BUFS)" 0 "... and so is the rest of UCX"
    is "$(settings_of_ucx $two "$top_builddir/silas-replay" --version | grep -c UCX_TLS)" 0 "silas-replay measures: UCX chooses"
    out=$(timeout -k 5 150 $two "$top_builddir/silas-analyze" --version 2>&1)
    is "$(printf '%s\n' "$out" | wc -l)" 1 "UCX warns of none of the settings"
else
    skip "silas-analyze starts without networks" "only MPICH with UCX"
fi

silas=$top_builddir/silas
out=$("$silas" repaly 2>&1)
is "$?" 2 "silas, unknown tool: exit code"
like "$out" 'unknown tool "repaly"; did you mean "replay"\?' "silas, unknown tool: the nearest one"
for tool in trace replay model calibrate analyze structure reduce predict export init report diff advise verify selftest; do
    like "$("$silas" --help)" "^  $tool +" "silas --help lists $tool"
    out=$("$silas" "${tool}x" 2>&1)
    is "$(grep -c "^| .silas-$tool. " "$top_srcdir/README.md")" 1 "README lists silas-$tool"
    is "$(grep -c "silas-$tool (1)" "$top_srcdir/doc/silas.1")" 1 "silas(1) names silas-$tool(1)"
    like "$out" "did you mean \"$tool\"\?" "silas knows $tool"
done
out=$("$silas" 2>&1)
is "$?" 2 "silas alone: exit code"
out=$("$silas" ../evil 2>&1)
is "$?" 2 "silas runs no program elsewhere"
out=$(timeout -k 5 150 "$silas" analyze --help)
like "$out" '^Usage: silas-analyze' "silas analyze --help is silas-analyze --help"
out=$(timeout -k 5 150 "$MPIEXEC" -np 2 "$silas" replay --help 2>&1)
is "$(printf '%s\n' "$out" | grep -c '^Usage: ')" 1 "of several processes one speaks"
done_testing
