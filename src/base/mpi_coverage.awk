# Generates doc/mpi-coverage.md from base/mpi_calls.list: what each MPI call leaves in a trace and what a
# replay makes of it, class by class.
function about(class, traced, replayed) {
    order[++classes] = class
    text[class] = "In the trace: " traced ". In a replay: " replayed "."
}
BEGIN {
    nothing = "enter and leave"
    messages = "enter, leave, "
    about("init", nothing " (recording begins with it)", "keeps its length")
    about("finalize", nothing, "a barrier on MPI_COMM_WORLD and what it took after the last arrival")
    about("abort", "enter; what was recorded before is kept", "nothing")
    about("pcontrol", "MeasurementOnOff for level 0 and 1", "nothing")
    about("send", messages "MpiSend", "the same call")
    about("recv", messages "MpiRecv", "the same call")
    about("sendrecv", messages "MpiSend and MpiRecv", "the same call")
    about("isend", messages "MpiIsend", "the same call")
    about("irecv", messages "MpiIrecvRequest", "the same call")
    about("persistent", nothing, "computation")
    about("start", messages "MpiIsend or MpiIrecvRequest, marked persistent, with a new request id each time", "the nonblocking call")
    about("wait", messages "MpiIsendComplete, MpiIrecv or NonBlockingCollectiveComplete", "the same call")
    about("waitall", "as for MPI_Wait, in the order of the array", "the same call")
    about("waitany", "as for MPI_Wait, and MpiRequestTest for the others", "the same call, until the recorded request is complete")
    about("waitsome", "as for MPI_Wait, and MpiRequestTest for the others", "the same call, until the recorded requests are complete")
    about("test", messages "a completion, or MpiRequestTest", "the same call; loops of them as one")
    about("testall", messages "completions, or MpiRequestTest for all", "the same call; loops of them as one")
    about("testany", messages "a completion, and MpiRequestTest for the others", "the same call; loops of them as one")
    about("testsome", messages "completions, and MpiRequestTest for the others", "the same call; loops of them as one")
    about("request_test", messages "MpiRequestTest if it is not complete", "as for MPI_Test")
    about("request_free", nothing ", the request has no completion", "computation")
    about("cancel", nothing ", MpiRequestCancelled where the request completes", "computation")
    about("probe", nothing, "the same call for the message received next")
    about("iprobe", nothing, "the same call")
    about("mprobe", nothing, "MPI_Probe")
    about("improbe", nothing, "MPI_Iprobe")
    about("mrecv", messages "MpiRecv", "MPI_Recv")
    about("imrecv", messages "MpiIrecvRequest", "MPI_Irecv")
    about("collective", messages "MpiCollectiveBegin and MpiCollectiveEnd; bytes per peer of the variants with counts", "the same operation")
    about("icollective", messages "NonBlockingCollectiveRequest; the rest where it completes", "the same operation")
    about("neighbour", "as for collectives, marked as neighbourhood, with bytes per peer", "the same exchange, by those bytes")
    about("ineighbour", "as for nonblocking collectives, marked as neighbourhood, with bytes per peer", "the same exchange, by those bytes")
    about("comm_create", messages "MpiCollectiveBegin, CommCreate, MpiCollectiveEnd (create handle)", "a barrier and what it took after the last arrival")
    about("comm_icreate", messages "NonBlockingCollectiveRequest; CommCreate and NonBlockingCollectiveComplete where it completes", "a nonblocking barrier")
    about("comm_free", messages "MpiCollectiveBegin, CommDestroy, MpiCollectiveEnd (destroy handle)", "keeps its length")
    about("synchronise", messages "MpiCollectiveBegin and MpiCollectiveEnd (create or destroy handle, else barrier) on the communicator of the window or file", "a barrier and what it took after the last arrival")
    about("window", messages "RmaCollectiveBegin and RmaCollectiveEnd, RmaWinCreate and RmaWinDestroy", "a barrier and what it took after the last arrival")
    about("rma", nothing, "keeps its length")
    about("rma_sync", nothing, "keeps its length")
    about("io", nothing, "keeps its length")
    about("local", nothing, "computation")
}
/^#/ || NF == 0 { next }
{
    if (NF > 2)
        calls[$2] = calls[$2] (calls[$2] == "" ? "" : ", ") $1
    else
        unrecorded = unrecorded (unrecorded == "" ? "" : ", ") $1
    if (!($2 in text))
        failed = $2
}
END {
    if (failed != "") {
        print "no text for class " failed > "/dev/stderr"
        exit 1
    }
    print "# MPI calls in traces and replays\n"
    print "Generated from src/base/mpi_calls.list; all of MPI 3.1's communication, request, communicator and"
    print "collective calls, from C and from Fortran (mpif.h, mpi, mpi_f08). MPI_Comm_spawn and MPI_Comm_spawn_multiple"
    print "are not recorded in mpi_f08 programs. Not known, and so counted as computation: large-count calls (names"
    print "ending in _c), persistent collectives, partitioned communication, MPI_Isendrecv and sessions of MPI 4.\n"
    for (i = 1; i <= classes; i++)
        if (calls[order[i]] != "")
            print "## " order[i] "\n\n" text[order[i]] "\n\n" calls[order[i]] "\n"
    print "## Left alone\n\nReturn at once and say nothing about the program: " unrecorded
}
