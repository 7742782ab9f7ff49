# Converts one of our Markdown pages to a manual page, so that both have the same text. Variables: name, section,
# summary (for the NAME line). It supports headings, paragraphs, lists, tables, code, links and emphasis.

# Returns text outside tables and code as troff, with its inline markup replaced.
function inline(text,    out, rest, at, url) {
    out = ""
    while (length(text)) {
        at = substr(text, 1, 1); rest = substr(text, 2)
        if (at == "`" && match(rest, /`/)) {
            out = out "\\fB" escape(substr(rest, 1, RSTART - 1), 1) "\\fP"; text = substr(rest, RSTART + 1)
        } else if (match(text, /^!\[[^]]*\]\([^)]*\)/)) {
            text = substr(text, RLENGTH + 1)
        } else if (match(text, /^\[[^]]*\]\([^)]*\)/)) {
            url = substr(text, 1, RLENGTH); rest = substr(text, RLENGTH + 1)
            sub(/^\[/, "", url); sub(/\]\([^)]*\)$/, "", url)
            out = out inline(url); text = rest
        } else if (match(text, /^\*\*[^*]+\*\*/)) {
            out = out "\\fB" escape(substr(text, 3, RLENGTH - 4), 0) "\\fP"; text = substr(text, RLENGTH + 1)
        } else if (match(text, /^\*[^* ][^*]*\*/)) {
            out = out "\\fI" escape(substr(text, 2, RLENGTH - 2), 0) "\\fP"; text = substr(text, RLENGTH + 1)
        } else if (at == "\\" && rest ~ /^[|*`_]/) {
            out = out escape(substr(rest, 1, 1), 0); text = substr(rest, 2)
        } else {
            out = out escape(at, 0); text = rest
        }
    }
    return out
}
function escape(text, code) {
    gsub(/\\\|/, "|", text)
    gsub(/\\/, "\\e", text)
    if (code) {
        gsub(/-/, "\\-", text); gsub(/\^/, "\\(ha", text); gsub(/~/, "\\(ti", text); gsub(/`/, "\\(ga", text)
        gsub(/'/, "\\(aq", text)
    }
    return text
}
function say(line) { # prints a line of text, which must not be taken for a request
    print (line ~ /^[.']/ ? "\\&" : "") line
}

function end_text() {
    if (text == "") return
    if (bullet != "") print bullet
    else if (!fresh) print ".PP"
    say(inline(text))
    text = bullet = ""; fresh = 0
}
function end_table() { if (in_table) { in_table = 0; print ".PP"; fresh = 1 } }
function end_blocks() { end_text(); end_table() }
function begin_code() { end_blocks(); print ".PP\n.RS 4\n.nf"; fresh = 0 }
function end_code() { print ".fi\n.RE" }
function value(title, cell) {
    return cell ~ /required$/ ? toupper(substr(cell, 1, 1)) substr(cell, 2) : title ": " inline(cell)
}
function row(line,    cells, n, i, cell) { # of a table
    sub(/^\| */, "", line); sub(/ *\|[ \t]*$/, "", line)
    gsub(/\\\|/, "\001", line)
    n = split(line, cells, / *\| */)
    for (i = 1; i <= n; i++) gsub(/\001/, "|", cells[i])
    if (!in_table) { # its header
        in_table = 1; rows = 0
        for (i = 1; i <= n; i++) header[i] = toupper(substr(cells[i], 1, 1)) substr(cells[i], 2)
        return
    }
    if (line !~ /[^-| :]/) return
    print ".TP"
    say(inline(cells[1] == "" ? "\\ " : cells[1]))
    cell = n > 1 ? inline(cells[2]) : ""
    for (i = 3; i <= n; i++)
        if (cells[i] != "")
            cell = cell (cell == "" || cell ~ /[.:;!?]$/ ? "" : ".") (cell == "" ? "" : " ") value(header[i], cells[i])
    if (cell != "" && cell !~ /[.:;!?]$/) cell = cell "."
    say(cell == "" ? "\\&" : cell)
}

BEGIN {
    printf ".\\\" Made from a page of doc/ by doc/man.awk.\n.TH %s %s \"\" \"SILAS\" \"SILAS\"\n", toupper(name), section
    printf ".SH NAME\n%s \\- %s\n", name, summary
    fresh = 1
}
fenced {
    if (/^ *```/) { fenced = 0; end_code() } else { line = escape($0, 1); say(line) }
    next
}
/^ *```/ { begin_code(); fenced = 1; next }
indented && /^(    |$)/ { say(escape(substr($0, 5), 1)); next }
indented { indented = 0; end_code() }
/^    / && text == "" && !in_list { begin_code(); indented = 1; say(escape(substr($0, 5), 1)); next }
/^# / { if (!titled++) { print ".SH DESCRIPTION"; fresh = 1 } else { end_blocks(); printf ".SH %s\n", escape(substr($0, 3), 0); fresh = 1 } next }
/^## / { end_blocks(); in_list = 0; print ".SH " inline(substr($0, 4)); fresh = 1; next }
/^###+ / { end_blocks(); in_list = 0; sub(/^#+ /, ""); print ".SS " inline($0); fresh = 1; next }
/^\|/ { end_text(); in_list = 0; row($0); next }
/^$/ { end_blocks(); in_list = in_list && 1; next }
/^- / { end_blocks(); in_list = 1; bullet = ".IP \\(bu 2"; text = substr($0, 3); next }
/^[0-9]+\. / { end_blocks(); in_list = 1; bullet = ".IP " $1 " 4"; text = substr($0, length($1) + 2); next }
/^<!--/ { next }
{
    end_table()
    if (text == "" && $0 !~ /^ /) in_list = 0
    line = $0; sub(/^ +/, "", line)
    text = text == "" ? line : text " " line
}
END { end_blocks(); if (indented) end_code() }
