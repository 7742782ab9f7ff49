# Checks the records of two ranks (calls_print, both after each other) against each other and
# prints the contradictions: one rank must have received what the other sent; regions must be closed in the reverse
# order of their opening; each request is started once and completed once, and tested only in between.
function wrong(text) { print "line " NR ", rank " rank ": " text }
function field(name,    i) {
    for (i = 1; i < NF; i++)
        if ($i == name)
            return $(i + 1)
    return ""
}
function message() { return field("comm") " tag " field("tag") " bytes " field("bytes") }

/^rank / { rank = $2; depth = 0; next }
/^time goes back/ { wrong("time goes back") }
$1 == "+" { open[depth++] = $2 }
$1 == "-" { if (depth == 0 || open[--depth] != $2) wrong("leave of " $2 " out of order") }
$1 == "send" || $1 == "isend" { balance[rank " " message()]++; count["sends"]++ }
$1 == "recv" || $1 == "irecv" { balance[1 - rank " " message()]--; count["receives"]++ }
$1 == "begin" { if (begun) wrong("begin in begin"); begun = 1 }
$1 == "end" { if (!begun) wrong("end without begin"); begun = 0; collectives[field("comm") " " $2] += rank ? -1 : 1 }
$1 == "isend" || $1 == "irecv-request" || $1 == "nbc-request" {
    id = rank " " ($1 == "isend" ? field("request") : $2)
    if (id in state) wrong("request " id " twice")
    state[id] = $1
}
$1 == "isend-complete" || $1 == "irecv" || $1 == "nbc-complete" || $1 == "cancelled" {
    id = rank " " ($1 ~ /^isend|^canc/ ? $2 : field("request"))
    if (state[id] != "isend" && state[id] != "irecv-request" && state[id] != "nbc-request" ||
        state[id] == "isend" && $1 ~ /^irecv|^nbc/ || state[id] == "irecv-request" && $1 ~ /^isend|^nbc/)
        wrong($1 " of request " id ", which is " state[id])
    state[id] = "complete"
}
$1 == "request-test" { if (state[rank " " $2] !~ /^(isend|irecv-request|nbc-request)$/) wrong("test of " $2) }
END {
    for (key in balance)
        if (balance[key] != 0) print "sent by rank " key ": " balance[key] " more sent than received"
    for (key in collectives)
        if (collectives[key] != 0) print "collective " key ": not on both ranks"
    for (id in state)
        if (state[id] != "complete") print "request " id " is never completed"
    if (count["sends"] == 0 || count["sends"] != count["receives"]) print count["sends"] " sends, " count["receives"] " receives"
}
