# Programs with the calls of MPI 4: sessions alone, persistent collective operations (also started in different orders), partitioned messages,
# MPI_Isendrecv, large counts; and receives whose requests are freed, requests that one thread begins and another completes, and windows of
# several threads. They are traced, analysed, modelled and replayed by two or three processes, in tools/test --full also by four.
# Runs alone.
folder=tests/coverage
replay="repeat = 2\ntune = no"
. "$top_srcdir/tests/coverage/coverage.bash"
left_out_of distribution sanitizers

modelled() { # PROGRAM
    printf '[trace]\npath = %s\n[model]\n[output]\ndirectory = %s\nformats = text\n' \
        "$work/$1/traces.otf2" "$work/$1.model" >"$work/$1.model.ini"
    launch 1 "$top_builddir/silas-model" "$work/$1.model.ini" >"$work/out" 2>&1
    ok $? "$1: is modelled"
    sed 's/^/# /' "$work/out" | head -20
}

# How often records of a kind are in an archive: "MPI_ISEND 12".
count() { # PROGRAM KIND
    events "$work/$1/traces.otf2" | grep -c " $2\$"
}

timeout -k 5 60 "$top_builddir/tests/coverage/sessions" >/dev/null 2>&1
[ $? -eq 77 ] && programs=freed || programs="sessions persistent persistent_order partitioned large freed"
for ranks in 2 3; do # in a wrong order, broadcasts of two sizes would be truncated
    windows=threads_windows
    [ $ranks -eq 2 ] || in_full || windows= # twelve threads take minutes on two cores
    for program in threads_requests $windows; do
        traced_and_replayed $ranks $program
        modelled $program
        rm -rf "${work:?}/$program" "$work/$program.out" "$work/$program.model"
    done
    [ "$programs" = freed ] || traced_and_replayed $ranks persistent_order
    rm -rf "$work/persistent_order" "$work/persistent_order.out"
done
programs=${programs/persistent_order /}
for ranks in $(few_of 1 3 2 4); do
    for program in $programs; do
        rm -rf "${work:?}/$program" "$work/$program.out" "$work/$program.model"
        traced_and_replayed $ranks $program
        modelled $program
        cp "$work/out" "$work/$program.said"
    done
    is "$(otf2-print "$work/freed/traces.otf2" | grep -c 'MPI_IRECV_REQUEST.*"SILAS::source"\|"SILAS::source".*UINT32')" "$((9 * ranks))" \
        "np$ranks: the source of every receive that was freed is known"
    ! grep -q 'dropped' "$work/freed.said"
    ok $? "np$ranks: none is dropped"
    [ "$programs" != freed ] || { skip "np$ranks: sessions, partitioned messages, large counts" "this MPI does not have them" && continue; }
    # 3 rounds, one message in each partitioned one, and one that overtakes it; 2 of MPI_Isendrecv and a half
    is "$(count partitioned MPI_ISEND)" "$((ranks * 5 + 1))" "np$ranks: a partitioned message is one message"
    is "$(count partitioned MPI_IRECV)" "$((ranks * 8 + 1))" "np$ranks: each receive completes once"
    operations=$([ $ranks = 2 ] && echo 25 || echo 24) # MPI_Scatter_init: see persistent.c
    is "$(count persistent NON_BLOCKING_COLLECTIVE_REQUEST)" "$((ranks * (3 * operations + 2)))" \
        "np$ranks: each start of a persistent operation begins one"
    is "$(count persistent NON_BLOCKING_COLLECTIVE_COMPLETE)" "$((ranks * (3 * operations + 2)))" \
        "np$ranks: each of them completes"
    is "$(otf2-print "$work/sessions/traces.otf2" | grep -c 'ENTER.*"MPI_Session_\(init\|finalize\)"')" $((2 * ranks)) \
        "np$ranks: the first session and the end of the last are recorded"
done
done_testing
