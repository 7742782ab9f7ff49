# Generates the C wrappers from base/mpi_calls.list. The class and kind of a call decide what its wrapper
# records before and after the real call. The wrappers of the classes init, finalize, abort and pcontrol
# are written by hand (environment.c), and those of comm_create/spawn (spawn.c), local/free and local/operator
# (datatypes.c, operators.c).

# Splits "const int sendcounts[], MPI_Comm comm" into names[i]; `name in has` says whether a name occurs.
function parse_parameters(text,    parts, i, name) {
    delete has
    count = text == "void" ? 0 : split(text, parts, /, */)
    for (i = 1; i <= count; i++) {
        name = parts[i]
        gsub(/\[[0-9]*\]/, "", name)
        sub(/^.*[ *]/, "", name)
        names[i] = name
        has[name] = 1
        if (parts[i] ~ /MPI_Comm \*/)
            made_comm = name
    }
}

# The first name in `candidates` that is a parameter of the call; "" if none is.
function which(candidates,    parts, n, i) {
    n = split(candidates, parts, " ")
    for (i = 1; i <= n; i++)
        if (parts[i] in has)
            return parts[i]
    return ""
}

# The argument to pass to MPI for a parameter.
function argument(name) {
    if (name == "status" && own_status)
        return "status_or(status, &own_status)"
    if (name == "array_of_statuses")
        return "waiting.statuses"
    return name
}

function before(code) { print "    " code; hooked = 1 }
function look(code) { print "    " code } # records nothing
function after(code) { after_code = after_code "    " code "\n" }

# Declares a struct collective_call with the call's parameters.
function collective_arguments(    code, counts, op) {
    counts = name ~ /_c$/ ? "large_counts" : "counts"
    op = "COLLECTIVE_" toupper(kind)
    code = ".op = " op ", .comm = comm"
    if (class ~ /neighbour/)
        code = code ", .neighbour = true"
    if ("root" in has)
        code = code ", .rooted = true, .root = root"
    if ("op" in has)
        code = code ", .reduces = true, .operation = op"
    code = code field("sendbuf", "sendbuf") field("recvbuf", "recvbuf")
    code = code field("send.count", "sendcount count") field("receive.count", "recvcount count")
    code = code field("send." counts, "sendcounts") field("receive." counts, "recvcounts")
    code = code field("send.type", "sendtype datatype") field("receive.type", "recvtype datatype")
    code = code field("send.types", "sendtypes") field("receive.types", "recvtypes")
    # Where only the root receives, its arguments for receiving are not significant on the other ranks.
    if (class !~ /neighbour/ && which("recvbuf buffer") != "" && which("recvtype datatype") != "")
        code = code ", .untouched = " ("root" in has && "recvtype" in has ? "collective_operations[" op "].flow == FLOW_TO_ROOT ? 0 : " : "") ("root" in has ? "root < 0 ? 0 : " : "") "untouched_flag(&call, " which("recvbuf buffer") ", " ("recvcounts" in has ? "recvcounts[0]" : which("recvcount count")) ", " which("recvtype datatype") ")"
    before("const struct collective_call collective = {" code "};")
}
function field(name, candidates,    found) {
    found = which(candidates)
    return found == "" ? "" : ", ." name " = " found
}

# Collective calls on files are recorded as operations without data on the file's communicator.
function synchronise(    op, on) {
    op = "BARRIER"
    if (kind == "open") {
        op = "CREATE_HANDLE"
        before("const uint32_t on = communicator_id(comm);")
        after("file_opened(result, fh, on);")
    } else if (kind == "close") {
        op = "DESTROY_HANDLE"
        before("const uint32_t on = file_closed(fh);")
    } else
        before("const uint32_t on = file_comm(fh);")
    on = op == "BARRIER" ? "on" : "comm_of_handles(on)"
    before("collective_begins(&call, " on ");")
    after("if (call_took_place(result))")
    after("    synchronisation_returned(&call, " on ", OTF2_COLLECTIVE_OP_" op ");")
}

# --- one-sided ----------------------------------------------------------------------------------

function window_hooks() {
    if (kind == "create")
        after("window_made(&call, result, win, comm, " ("size" in has ? "size" : "0") ");")
    else if (kind == "fence") {
        before("window_fence_begins(&call, win);")
        after("if (call_took_place(result))")
        after("    window_fenced(&call, win, assert);")
    } else {
        before("struct window *const freed = window_free_begins(&call, *win);")
        after("window_free_ends(&call, freed, call_took_place(result));")
    }
}

# Declares a struct record_rma_op with the call's parameters.
function operation_hooks(    origin, result_bytes, type, code) {
    type = which("origin_datatype datatype")
    origin = ("origin_count" in has ? "(uint64_t)origin_count * " : "") "type_size(" type ")"
    result_bytes = ("result_count" in has ? "(uint64_t)result_count * " : "") "type_size(" which("result_datatype datatype origin_datatype") ")"
    if (kind == "put" || kind == "get")
        code = ".kind = RECORD_RMA_" toupper(kind)
    else
        code = ".kind = RECORD_RMA_ATOMIC + OTF2_RMA_ATOMIC_TYPE_" toupper(kind)
    code = code ", .target = target_rank"
    code = code ", .type_size = (uint32_t)type_size(" which("result_datatype origin_datatype datatype") ")"
    if (kind != "get")
        code = code ", .sent = " ("result_datatype" in has ? "op == MPI_NO_OP ? 0 : " : "") origin
    if (kind == "get")
        code = code ", .received = " origin
    else if ("result_addr" in has)
        code = code ", .received = " result_bytes
    if ("op" in has)
        code = code ", .operation = window_operator(op)"
    code = code ", .types = " ("target_datatype" in has ? "types_of_operation(&call, " type ", target_datatype)" : "RECORD_NONE")
    before("const struct record_rma_op operation = {" code "};")
    if ("request" in has)
        before("const struct request made = window_request(&call, win, operation);")
    else
        before("window_operation_begins(&call, win, operation);")
}

function window_sync_hooks(    target) {
    after("if (call_took_place(result))")
    target = "rank" in has ? "rank" : "WINDOW_ALL_TARGETS"
    if (kind ~ /^flush/)
        after("    window_flushed(&call, win, " target ", " (kind == "flush_local" ? "true" : "false") ");")
    else if (kind == "unlock")
        after("    window_unlocked(&call, win, " target ");")
    else if (kind == "lock")
        after("    window_locked(&call, win, " target ", " ("lock_type" in has ? "lock_type == MPI_LOCK_EXCLUSIVE ? RECORD_LOCK_EXCLUSIVE : " : "") "RECORD_LOCK_SHARED, assert);")
    else if (kind == "start" || kind == "post")
        after("    window_epoch_begins(&call, win, group, " (kind == "start" ? "true" : "false") ", assert);")
    else {
        if ("flag" in has)
            after("    if (*flag)")
        after("    window_epoch_ends(&call, win, " (kind == "complete" ? "true" : "false") ");")
    }
}

function receive() {
    return "(struct returned_receive){result, " which("recvcount count") ", " which("recvtype datatype") ", status_or(status, &own_status), " (class == "mrecv" ? "0" : "untouched") "}"
}

function message_hooks(    type) {
    type = which("sendtype datatype")
    if (class == "send" || class == "sendrecv")
        before("send_begins(&call, " which("sendcount count") ", " type ", dest, " which("sendtag tag") ", comm);")
    if (class == "recv" || class == "sendrecv")
        look("const unsigned untouched = untouched_flag(&call, " which("recvbuf buf") ", " which("recvcount count") ", " which("recvtype datatype") ");")
    if (class == "recv" || class == "sendrecv")
        after("recv_returned(&call, " receive() ", source, " which("recvtag tag") ", comm);")
    if (class == "mprobe" || class == "improbe")
        after("message_matched(&call, result, " ("flag" in has ? "*flag" : "true") ", *message, source, tag, comm);")
    if (class == "mrecv") {
        before("const struct request matched = matched_message_take(*message);")
        after("mrecv_returned(&call, " receive() ", matched);")
    }
}

# The bytes of a partitioned message are those of all its partitions.
function message_count() {
    return "partitions" in has ? "(MPI_Count)partitions * count" : "count"
}

# Calls that create, start, free or cancel requests.
function request_hooks(    flags, started, parts) {
    if (class == "rma")
        operation_hooks()
    flags = class == "persistent" ? "RECORD_PERSISTENT" (kind ? " | RECORD_" toupper(kind) : "") : "0"
    if (class == "isend" || class == "persistent" && "dest" in has)
        before("struct request made = send_request(" message_count() ", datatype, dest, tag, comm, " flags ");")
    if (class == "irecv")
        flags = "untouched_flag(&call, buf, count, datatype)"
    if (class == "irecv" || class == "persistent" && "source" in has)
        before("struct request made = recv_request(" message_count() ", datatype, source, tag, comm, " flags ");")
    if (kind == "partitioned" && "dest" in has)
        before("made.partitions = (uint32_t)partitions;")
    if (class == "isendrecv") {
        before("struct request sent = send_request(" which("sendcount count") ", " which("sendtype datatype") ", dest, sendtag, comm, 0);")
        before("struct request made = recv_request(" which("recvcount count") ", " which("recvtype datatype") ", source, recvtag, comm, 0);")
        before("request_begins(&call, &sent);")
        before("request_begins(&call, &made);")
        after("sendrecv_made(result, request, &sent, &made);")
    }
    if (class == "ready") {
        parts = "array_of_partitions" in has ? "length" : "partition" in has ? "1" : "partition_high - partition_low + 1"
        before("request_partitions_ready(&call, request, " parts ");")
        after("if (!call_took_place(result))")
        after("    request_partitions_not_ready(&call, request, " parts ");")
    }
    if (class == "imrecv")
        before("struct request made = mrecv_request(count, datatype, matched_message_take(*message));")
    if (class ~ /^(isend|irecv|imrecv)$/)
        before("request_begins(&call, &made);")
    if (class == "icollective" || class == "ineighbour") {
        collective_arguments()
        before("struct request made = collective_request(&call, comm);")
        after("collective_describe(&collective, &made);")
    }
    if (class ~ /_init$/) {
        collective_arguments()
        before("const struct request made = persistent_collective_request(&collective);")
    }
    if (class == "comm_icreate")
        before("const struct request made = new_communicator_request(&call, comm, newcomm);")
    if (class == "io" && "request" in has)
        before("const struct request made = {.kind = REQUEST_SILENT, .active = true};")
    if (class ~ /^(isend|irecv|imrecv|persistent|icollective|ineighbour|collective_init|neighbour_init|comm_icreate|rma|io)$/ && "request" in has)
        after("request_made(result, request, &made);")
    started = "count" in has ? "count, array_of_requests" : "1, request"
    if (class == "start") {
        before("requests_start(&call, " started ");")
        after("if (!call_took_place(result))")
        after("    requests_not_started(&call, " started ");")
    }
    if (class == "request_free")
        before("request_forget(*request);")
    if (class == "cancel")
        before("request_mark_cancelled(*request);")
}

# Calls that complete or test requests.
function completion_hooks(    flag, status) {
    flag = "flag" in has ? "*flag" : "true"
    status = "status_or(status, &own_status)"
    if (class == "wait" || class == "test") {
        before("const MPI_Request handle = *request;")
        after("if (call_took_place(result) && " flag ")")
        after("    request_completed(&call, handle, result, " status ");")
    }
    if (class == "test" || class == "request_test") {
        after("if (result == MPI_SUCCESS && !*flag)")
        after("    request_tested(&call, " (class == "test" ? "handle" : "request") ");")
    }
    if (class == "arrived") {
        after("if (result == MPI_SUCCESS)")
        after("    request_partition_arrived(&call, request, *flag);")
    }
    if (class !~ /^(wait|test)(all|any|some)$/)
        return
    before("struct waiting waiting;")
    before("waiting_begin(&waiting, " which("incount count") ", array_of_requests, " ("array_of_statuses" in has ? "array_of_statuses" : "MPI_STATUSES_IGNORE") ");")
    if (class ~ /all$/)
        after("waiting_some(&call, &waiting, result, " flag " ? waiting.count : 0, NULL);")
    else if (class ~ /any$/)
        after("waiting_any(&call, &waiting, result, " flag ", *indx, " status ");")
    else
        after("waiting_some(&call, &waiting, result, *outcount, array_of_indices);")
}

# The condition under which a test or probe has found nothing; "" for all other calls.
function failed_poll() {
    if (class == "testsome")
        return "*outcount == 0"
    return class ~ /^(test|testall|testany|request_test|arrived|iprobe|improbe)$/ ? "!*flag" : ""
}

function collective_hooks(    parent) {
    if (class == "collective" || class == "neighbour") {
        collective_arguments()
        before("collective_begins(&call, comm_of_collective(comm));")
        after("if (call_took_place(result))")
        after("    collective_returned(&call, &collective);")
    }
    if (class == "comm_create") {
        parent = which("comm comm_old intercomm")
        if (parent == "" || parent == made_comm)
            parent = "MPI_COMM_NULL"
        before_return = "    const uint32_t added = result == MPI_SUCCESS ? communicator_add(*" made_comm ", " (kind == "connect" ? "MPI_COMM_NULL" : parent) ") : COMM_UNKNOWN;\n"
        if (kind == "members")
            parent = "MPI_COMM_NULL"
        after("if (result == MPI_SUCCESS)")
        after("    communicator_made(&call, " parent ", added);")
    }
    if (class == "comm_free") {
        before("const uint32_t freed = communicator_freed(&call, *comm);")
        after("if (call_took_place(result))")
        after("    synchronisation_returned(&call, freed, OTF2_COLLECTIVE_OP_DESTROY_HANDLE);")
    }
    if (class == "synchronise")
        synchronise()
    if (class == "window")
        window_hooks()
    if (class == "rma_sync")
        window_sync_hooks()
    if (kind == "name")
        after("communicator_named(comm, comm_name);")
}

BEGIN {
    print "/* Generated from src/base/mpi_calls.list by src/measure/wrappers/wrappers.awk. */"
    n = split("collectives communicators point_to_point untouched windows", headers, " ")
    for (i = 1; i <= n; i++)
        print "#include \"measure/wrappers/" headers[i] ".h\""
    print "#include <mpi.h>"
}
/^#/ || NF < 3 { next }
$2 ~ /^(init|finalize|abort|pcontrol|comm_create\/spawn|local\/free|local\/operator)$/ { next }
{
    name = $1
    class = kind = $2
    sub(/\/.*/, "", class)
    if (!sub(/.*\//, "", kind))
        kind = ""
    id = "MPI_CALL_" toupper(substr(name, 5))
    text = $0
    sub(/^[^ ]+ +[^ ]+ +/, "", text)
    made_comm = after_code = before_return = hooked = ""
    parse_parameters(text)
    own_status = class ~ /^(recv|sendrecv|mrecv|wait|test|waitany|testany)$/
    hot = class ~ /^(send|recv|sendrecv|isend|irecv|wait|test|waitall|iprobe)$/ && name !~ /_c$/
    print "\nCALL_EXPORTED " (hot ? "CALL_HOT " : "") "int " name "(" text ")\n{"
    slots = "CALL_SLOTS"
    if ("array_of_requests" in has)
        slots = slots " + CALL_REQUEST_SLOTS * (size_t)" which("count incount")
    if (class == "rma_sync" || kind == "fence")
        slots = slots " + window_slots(win)"
    print "    struct call call = call_enter(" id ", " slots ");"
    if (own_status)
        print "    MPI_Status own_status;"
    message_hooks()
    request_hooks()
    completion_hooks()
    collective_hooks()
    arguments = ""
    for (i = 1; i <= count; i++)
        arguments = arguments (i > 1 ? ", " : "") argument(names[i])
    hooked = hooked && class !~ /^(wait|test|mrecv|persistent|collective_init|neighbour_init|cancel|request_free|io)/
    if (hooked)
        print "    call_begun(&call);"
    print "    const int result = P" name "(" arguments ");"
    printf "%s", before_return
    print "    call_return(&call);"
    if (hooked)
        print "    call_settle(&call, result);"
    printf "%s", after_code
    failed = failed_poll()
    if (failed != "")
        print "    call_leave_poll(&call, result == MPI_SUCCESS && " failed ");"
    else
        print "    call_leave(&call);"
    print "    return result;\n}"
}
