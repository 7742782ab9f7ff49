# Generates doc/mpi-coverage.md from base/mpi_calls.list: what each MPI call leaves in a trace, what a
# replay and the model make of it, and which tests make the call. The list comes first, then the tests'
# files: any name of an MPI call in them counts.

# `kind` of replay: really, approximated, computation (it communicates nothing that could be waited for).
function about(class, traced, kind, replayed, modelled) {
    traces[class] = traced
    kinds[class] = kind
    replays[class] = replayed
    models[class] = modelled
}
# A call that is replayed otherwise than the others of its class.
function other(call, kind, replayed) {
    call_kinds[call] = kind
    call_replays[call] = replayed
}
function define_classes(    messages, waits, synchronisation) {
    messages = "a message"
    waits = "waits for its messages and operations"
    synchronisation = "a barrier, then the time that the call took after the last arrival"
    about("init", "enter, leave (recording begins with it)", "approximated", "keeps its length", "keeps its length")
    about("finalize", "enter, leave", "approximated", synchronisation, "waits for all ranks")
    about("abort", "enter; earlier records are kept", "computation", "", "no event")
    about("pcontrol", "MeasurementOnOff for level 0 and 1", "computation", "", "computation")
    about("send", "MpiSend", "really", "", messages)
    about("recv", "MpiRecv", "really", "", messages)
    about("sendrecv", "MpiSend, MpiRecv", "really", "", messages)
    about("isend", "MpiIsend", "really", "", messages)
    about("irecv", "MpiIrecvRequest", "really", "", messages)
    about("isendrecv", "MpiIsend and MpiIrecvRequest, each with a request", "approximated", "MPI_Isend and MPI_Irecv, because MPI completes both halves together", messages)
    about("persistent", "enter, leave", "computation", "the request is made when it is started", "computation")
    about("collective_init", "enter, leave", "computation", "the request is made when it is started", "computation")
    about("neighbour_init", "enter, leave", "computation", "the request is made when it is started", "computation")
    about("start", "MpiIsend, MpiIrecvRequest, marked persistent; NonBlockingCollectiveRequest; nothing for a partitioned send", "approximated", "the nonblocking call", messages)
    about("ready", "MpiIsend, marked partitioned, when the last partition is ready", "approximated", "MPI_Isend of all partitions", messages)
    about("arrived", "MpiIrecv if the whole message has arrived, otherwise MpiRequestTest", "approximated", "MPI_Test of the whole message; a loop of them is one polling loop", waits)
    about("wait", "MpiIsendComplete, MpiIrecv, NonBlockingCollectiveComplete, RmaOpCompleteNonBlocking", "really", "", waits)
    about("waitall", "as MPI_Wait, in the order of the array", "really", "", waits)
    about("waitany", "as MPI_Wait; MpiRequestTest for the others", "really", "until the recorded request is complete", waits)
    about("waitsome", "as MPI_Wait; MpiRequestTest for the others", "really", "until the recorded requests are complete", waits)
    about("test", "a completion, or MpiRequestTest", "really", "a loop of them is one polling loop", waits)
    about("testall", "completions, or MpiRequestTest for all", "really", "a loop of them is one polling loop", waits)
    about("testany", "a completion; MpiRequestTest for the others", "really", "a loop of them is one polling loop", waits)
    about("testsome", "completions; MpiRequestTest for the others", "really", "a loop of them is one polling loop", waits)
    about("request_test", "MpiRequestTest if the request is not complete", "approximated", "MPI_Test", waits)
    about("request_free", "enter, leave; the request has no completion", "computation", "the request is waited for after the run", "computation")
    about("cancel", "enter, leave; MpiRequestCancelled at the completion", "computation", "the operation is left out", "computation")
    about("probe", "enter, leave", "really", "for the message received next", "waits for that message")
    about("iprobe", "enter, leave", "really", "a loop of them is one polling loop", "waits at the end of a loop")
    about("mprobe", "enter, leave with SILAS::probe", "really", "MPI_Probe if the trace has no SILAS::probe", "waits for its message")
    about("improbe", "enter, leave; with SILAS::probe if there was a message", "really", "a loop of them is one polling loop; MPI_Iprobe if there was no message, or the trace has no SILAS::probe", "waits for its message")
    about("mrecv", "MpiRecv with SILAS::probe", "really", "MPI_Recv if the trace has no SILAS::probe", messages)
    about("imrecv", "MpiIrecvRequest with SILAS::probe", "really", "MPI_Irecv if the trace has no SILAS::probe", messages)
    about("collective", "MpiCollectiveBegin, MpiCollectiveEnd; bytes per peer of v- and w-variants", "really", "", "waits for the members whose data it needs")
    about("icollective", "NonBlockingCollectiveRequest; the other records in the call that completes it", "really", "", "waits in the call that completes it")
    about("neighbour", "as collectives, with neighbours and bytes for each", "really", "on a graph communicator with the same neighbours; without recorded neighbours, a barrier and the recorded time after it", "waits for its neighbours; without recorded neighbours, for all members")
    about("ineighbour", "as nonblocking collectives, with neighbours and bytes for each", "really", "as above; without recorded neighbours, a nonblocking barrier", "waits in the call that completes it")
    about("comm_create", "MpiCollectiveBegin, CommCreate, MpiCollectiveEnd", "really", "the new communicator is freed immediately; between two groups, or if ranks share cores: " synchronisation, "waits for all members")
    about("comm_icreate", "NonBlockingCollectiveRequest; CommCreate, NonBlockingCollectiveComplete", "approximated", "a nonblocking barrier", "waits in the call that completes it")
    about("comm_free", "MpiCollectiveBegin, CommDestroy, MpiCollectiveEnd", "computation", "MPICH releases a communicator without a message", "keeps its length")
    about("window", "RmaCollectiveBegin, RmaWinCreate, RmaWinDestroy, RmaCollectiveEnd", "really", "", "waits for all members; a fence that ends no epoch does not")
    about("synchronise", "MpiCollectiveBegin, MpiCollectiveEnd on the file's communicator", "approximated", synchronisation " (MPI-IO is computation)", "waits for all members")
    about("rma", "RmaPut, RmaGet, RmaAtomic with SILAS::operation", "really", "to the beginning of the target's window, with the recorded operator", "keeps its length")
    about("rma_sync", "RmaAcquireLock, RmaReleaseLock, RmaGroupSync; RmaOpComplete...", "really", "", "MPI_Win_start, _complete and _wait wait for their group; locks and flushes keep their length")
    about("io", "enter, leave", "computation", "MPI-IO is computation", "computation")
    about("local", "enter, leave", "computation", "returns at once", "computation")
    other("MPI_Rsend", "approximated", "MPI_Send: the receive may come later than recorded")
    other("MPI_Irsend", "approximated", "MPI_Isend: the receive may come later than recorded")
    other("MPI_Cart_create", "really", "with one dimension; otherwise as MPI_Comm_dup")
    other("MPI_Cart_sub", "approximated", "MPI_Comm_split; otherwise as MPI_Comm_dup")
    other("MPI_Graph_create", "really", "without edges; otherwise as MPI_Comm_dup")
    other("MPI_Dist_graph_create", "really", "without edges; otherwise as MPI_Comm_dup")
    other("MPI_Dist_graph_create_adjacent", "really", "without edges; otherwise as MPI_Comm_dup")
    other("MPI_Intercomm_create", "approximated", synchronisation)
    other("MPI_Comm_create_from_group", "approximated", synchronisation)
    other("MPI_Intercomm_create_from_groups", "approximated", synchronisation)
    other("MPI_Session_init", "approximated", "keeps its length; recorded if it initialises MPI")
    other("MPI_Session_finalize", "approximated", synchronisation "; recorded if it ends MPI")
    other("MPI_Comm_accept", "approximated", synchronisation)
    other("MPI_Comm_connect", "approximated", synchronisation)
    other("MPI_Comm_join", "approximated", synchronisation)
    other("MPI_Comm_spawn", "approximated", synchronisation " with the MPI_Init of the spawned ranks")
    other("MPI_Comm_spawn_multiple", "approximated", synchronisation " with the MPI_Init of the spawned ranks")
    other("MPI_Win_create_dynamic", "approximated", "MPI_Win_create, as large as its largest operation")
    other("MPI_Win_wait", "really", "")
    other("MPI_Win_test", "approximated", "a successful test is repeated until it succeeds; others are computation")
}

function columns(call, class,    kind, replayed) {
    kind = call in call_kinds ? call_kinds[call] : kinds[class]
    replayed = call in call_kinds ? call_replays[call] : replays[class]
    return "| " call " | " traces[class] " | " kind (replayed == "" ? "" : ": " replayed) " | " models[class] " | " (call in tests ? tests[call] : "") " |"
}

BEGIN { define_classes() }
FNR == 1 { files++ }
files == 1 && (/^#/ || NF == 0) { next }
files == 1 {
    class = $2
    sub(/\/.*/, "", class) # without the kind
    if (!(class in traces))
        failed = class
    if (NF > 2 && $2 !~ /^local\/(free|operator)$/) {
        order[++count] = $1
        classes[$1] = class
    } else
        unrecorded = unrecorded (unrecorded == "" ? "" : ", ") $1
    next
}
{
    name = FILENAME
    sub(/^.*\/tests\//, "", name)
    sub(/\.(c|txt|F90)$/, "", name)
    line = $0
    while (match(line, /MPI_[A-Z][a-z_]+/)) {
        call = substr(line, RSTART, RLENGTH)
        line = substr(line, RSTART + RLENGTH)
        if (!((call, name) in seen)) {
            seen[call, name] = 1
            tests[call] = tests[call] (tests[call] == "" ? "" : ", ") name
        }
    }
}
END {
    if (failed != "") {
        print "no text for class " failed > "/dev/stderr"
        exit 1
    }
    print "# MPI calls in traces, replays and the model\n"
    print "Generated from src/base/mpi_calls.list: all of MPI 4.0's communication, request, communicator, one-sided and"
    print "collective calls, from C and from Fortran (mpif.h, mpi, mpi_f08). Each call has enter and leave in a trace; the second"
    print "column lists its other records. *really*: a replay makes the same MPI call. *approximated*: a replay makes the call named"
    print "here instead. *computation*: the call takes its recorded time. The model keeps the recorded time of a call without its waits."
    print "MPI_Comm_spawn and MPI_Comm_spawn_multiple are not recorded in mpi_f08 programs. Calls with large counts (MPI_Send_c)"
    print "are recorded under their names and treated like the calls without _c; they have no rows here.\n"
    print "| call | in the trace | in a replay | in the model | tests |\n|---|---|---|---|---|"
    for (i = 1; i <= count; i++)
        if (classes[order[i]] != "local" && order[i] !~ /_c$/)
            print columns(order[i], classes[order[i]])
    print "\n## Local calls\n"
    print "These calls are computation in a replay and in the model. They are recorded with enter and leave:"
    for (i = 1; i <= count; i++)
        if (classes[order[i]] == "local" && order[i] !~ /_c$/)
            print "`" order[i] "`"
    print "\nThese calls are not recorded, because they return immediately and show nothing about the program: " unrecorded
}
