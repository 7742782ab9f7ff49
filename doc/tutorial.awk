# Reads tutorial.md. A code block whose first line is a comment with a file name and a colon is a file. In ```console blocks, lines that begin
# with "$ " are commands. The lines after a command are its output, in which "..." stands for any number of lines.
#   what=files     writes the files into `folder`
#   what=commands  prints the commands, one per line
#   what=compare   compares the output of the n-th command, in `folder`/n, with the page; prints the first difference, or nothing
#   what=update    prints the page with the outputs in `folder`, without the lines that "..." leaves out; prints differences to stderr
#   what=pictures  prints file name and HTML page of each picture
#   what=html      prints the page with pictures

# A line without its numbers, units and widths, and without the parts that depend on the load of the machine.
function shape(line) {
    sub(/; (not )?(significant|trustworthy)[^)]*/, "", line); sub(/saving \(a loss\)/, "saving", line)
    gsub(/[-+]?[0-9]+([.,][0-9]+)*(e[-+]?[0-9]+)?/, "#", line)
    gsub(/#[ ]?(ns|us|ms|s|B|KiB|MiB|kB|MB)([ ,;:.)]|$)/, "#U ", line)
    gsub(/\/(ns|us|ms|s)( |$)/, "/U ", line)
    gsub(/[ \t]+/, " ", line); sub(/^ /, "", line); sub(/ $/, "", line)
    return line
}
# Empty lines, and lines that are printed only on a busy machine, are ignored.
function counts(line) { return line !~ /^[ \t]*$/ && line !~ /NOT TRUSTWORTHY|corrected for lost cores|^silas-[a-z]*: (note|warning)/ }
function read_output(number,    file) { # into got[1..got_count]
    file = folder "/" number; got_count = 0
    while ((getline line < file) > 0) if (counts(line)) got[++got_count] = line
    close(file)
}
# Compares wanted[] with got[]. match_of[i] becomes the line of got[] that agrees with wanted[i]. Returns the first difference, or nothing.
function compare(    i, at, gap) {
    read_output(n); at = 1; gap = 0
    for (i = 1; i <= wanted_count; i++) {
        match_of[i] = wanted[i]
        if (wanted[i] == "...") gap = 1
        if (!counts(wanted[i]) || wanted[i] == "...") continue
        while (gap && at <= got_count && shape(got[at]) != shape(wanted[i])) at++
        if (at > got_count || shape(got[at]) != shape(wanted[i]))
            return sprintf("expected: %s\ngot:      %s\n", wanted[i], at > got_count ? "no such line" : got[at])
        match_of[i] = got[at++]; gap = 0
    }
    return !gap && at <= got_count ? sprintf("not expected: %s\n", got[at]) : ""
}
# Prints the output on the page with its present lines; the whole output if the page shows none yet.
function update(    i, different) {
    different = compare()
    if (different != "" && wanted_count > 0) {
        printf "command %d: %s", n, different > "/dev/stderr"
        for (i = 1; i <= wanted_count; i++) print wanted[i]
    } else if (wanted_count == 0)
        for (i = 1; i <= got_count; i++) print got[i]
    else
        for (i = 1; i <= wanted_count; i++) print match_of[i]
}
function end_command() {
    if (reading && what == "compare" && number == n) printf "%s", compare()
    if (reading && what == "update") { n = number; update() }
    reading = 0
}
BEGIN { show = what == "update" || what == "html" }
/^```/ {
    if (block != "") { end_command(); block = ""; if (file != "") close(file); file = "" }
    else { block = substr($0, 4) == "" ? "text" : substr($0, 4); first = 1 }
    if (show) print
    next
}
block == "console" {
    if (/^\$ /) {
        end_command()
        number++; reading = 1; wanted_count = 0
        if (what == "commands") print substr($0, 3)
        if (show) print
    } else {
        wanted[++wanted_count] = $0
        if (what == "html") print
    }
    next
}
block != "" {
    if (first && match($0, /^(\/\*|;|#) [a-zA-Z0-9_.-]+: /)) {
        file = folder "/" $2; sub(/:$/, "", file)
    }
    first = 0
    if (what == "files" && file != "") print > file
    if (show) print
    next
}
/^<!-- picture / {
    if (what == "pictures") print $3, $4
    if (what == "html") printf "![%s](pictures/%s)\n", $4, $3; else if (show) print
    next
}
show { print }
