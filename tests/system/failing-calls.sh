# System calls on files fail, or end the process (failing_calls.py): of a few programs, at one place for each kind of call, or at
# SILAS_FAULTS places of all programs; tools/test --full tries 3.
. "$top_srcdir/tests/tap.sh"
left_out_of distribution sanitizers
command -v python3 >/dev/null || skip_all "needs python3"
strace -qq -o /dev/null --seccomp-bpf -f -e trace=close true 2>/dev/null || skip_all "needs strace, and the right to trace processes"
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
[ -n "${SILAS_FAULTS-}" ] || export CASES="analyze-cubex loops"
python3 "$top_srcdir/tests/system/failing_calls.py" "$top_builddir" "$work" "${SILAS_FAULTS:-1}"
