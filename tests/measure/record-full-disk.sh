#!/bin/bash
# On a full disk nothing is lost silently: exit code 3, one message per process, no half-written archive.
. "$top_srcdir/tests/measure/record.bash"
left_out_of distribution sanitizers
if [ -z "${SILAS_OWN_MOUNTS-}" ]; then
    unshare -rm true 2>/dev/null || skip_all "a separate file system cannot be mounted here"
    SILAS_OWN_MOUNTS=yes exec unshare -rm bash "$0"
fi
mkdir "$work/disk"
mount -t tmpfs -o size=3m none "$work/disk" 2>/dev/null || skip_all "a separate file system cannot be mounted here"
trap 'cd /; umount "$work/disk"; rm -rf "$work"' EXIT
cd "$work/disk" || exit 1

trace -o none "$program" finalize 10
is $? 3 "no room for a buffer: exit code 3"
is "$(said | wc -l)" 1 "one message"
like "$(said)" 'none: the disk has 3\.1 MB left, .*needs a buffer of 33\.6 MB' "says how much there is and is needed"
is "$(ls -A)" "" "nothing is left"

# The disk fills while the program runs: no room remains for the archive either.
trace -o abort --buffer 64K "$program" abort 100000
is $? 7 "a disk that fills meanwhile: another exit code than 0 stays"
like "$(said)" 'recording stops: cannot enlarge' "says so"
await abort/records/rank-0.0.events
rm -rf abort
trace -o half --buffer 64K "$program" finalize 100000
is $? 3 "a disk that fills meanwhile: the program's 0 becomes 3"
like "$(said)" 'recording stops: cannot enlarge the file of events in .*half: No space left on device' "says so"
like "$(said)" 'cannot write .*half/records/.*: No space left on device' "... also for the archive"
[ ! -e half/traces.otf2 ] && [ -e half/records/rank-0.0.events ]
ok $? "no archive is written, and the records are kept"

recover half
is $? 3 "--recover on a full disk: exit code 3"
is "$(cat "$work/said" | wc -l)" 1 "one message"
like "$(said)" 'cannot write half/records/[a-z0-9-]*: No space left on device$' "names the reason"
[ ! -e half/traces.otf2 ] && [ -e half/records/rank-0.0.events ]
ok $? "the records are kept"
mount -o remount,size=30m "$work/disk"
recover half
is $? 0 "--recover with room"
valid half "the archive is valid"
[ "$(count '^MPI_SEND ')" -gt 1000 ]
ok $? "it has the recorded events"

# The same for an archive that another program writes.
size=$(du -sk half | cut -f1)
mkdir full
mount -t tmpfs -o size=$((size / 2))k none full
timeout -k 5 100 "$top_builddir/silas-reduce" half -o full/reduced --assume "scale region=round" >"$work/out" 2>"$work/said"
is $? 3 "silas-reduce onto a full disk: exit code 3"
is "$(ls -A full)" "" "leaves nothing"
umount full
done_testing
