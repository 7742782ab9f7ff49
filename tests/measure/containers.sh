#!/bin/bash
# Programs in containers, traced by a silas-trace outside of them: the tracer and the output folder must be there.
. "$top_srcdir/tests/measure/record.bash"
left_out_of distribution sanitizers
unshare -rm true 2>/dev/null || skip_all "the system permits no namespaces"
cd "$work" || exit 1

# A container with the system's programs and libraries, the test's program, and, if FOLDERS is set, more.
folders="/usr /lib /lib64 /bin /sbin /etc /proc /sys /dev"
cat >enter <<END
mkdir -p "$work/root" && mount -t tmpfs none "$work/root" || exit 99
for folder in $folders "$(dirname "$program")" \$FOLDERS; do
    [ -e "\$folder" ] || continue
    mkdir -p "$work/root\$folder"
    mount --rbind "\$folder" "$work/root\$folder" || exit 99
done
exec chroot "$work/root" "\$@"
END
printf '#!/bin/sh\nexec unshare $OPTIONS sh "%s/enter" "$@"\n' "$work" >container
chmod +x container
tracer=$(dirname "$(readlink -f "$top_builddir/.libs/libsilas-trace.so")")
OPTIONS=-rm FOLDERS='' ./container true || skip_all "the system permits no mounts in namespaces"
# What the MPIs need in user namespaces.
export UCX_POSIX_USE_PROC_LINK=n UCX_TLS=posix,self OMPI_MCA_btl_vader_single_copy_mechanism=none PMIX_MCA_gds=hash

export OPTIONS=-rm FOLDERS="$work $tracer"
trace -o run ./container "$program" finalize 3
is $? 0 "a program in a container is traced"
valid run "... the archive is valid"
is "$(count 'LEAVE.*"MPI_Finalize"')" 2 "... both ranks are in it"
# Messages between such containers are not possible.
OPTIONS=-rmpf ranks=1 trace -o numbers ./container "$program" finalize 3
is $? 0 "a container with its own numbers of processes"
valid numbers "... the archive is valid"
is "$(count 'LEAVE.*"MPI_Finalize"')" 1 "... the rank is in it"

FOLDERS=$work trace -o without-tracer ./container "$program" finalize 3
is $? 0 "a container without the tracer: the program runs"
like "$(cat said)" "nothing was recorded: .*or in a container in which .*libsilas-trace.so is not" "... and one message says what the container lacks"
FOLDERS=$tracer trace -o without-folder ./container "$program" finalize 3
is $? 3 "a container without the output folder: the program's 0 becomes 3"
like "$(said)" "cannot make .*without-folder/records: .*a container must have the folder at the same place" "... and one message says what the container lacks"
await_gone without-folder
ok $? "... no folder is left"
done_testing
