# Makes C strings of a page: awk -f page.awk -v folder=DIR DIR/timeline.html > page.c
# A line "<!-- insert FILE -->" (in scripts and styles "/* insert FILE */") stands for that file, in which
# others may be inserted; "<!-- data -->" for what the program writes.
function put(line) {
    gsub(/[\\"?]/, "\\\\&", line) # "?": no trigraphs
    printf "    \"%s\\n\"\n", line
}
function begin_string(name) {
    printf "const char %s[] =\n", name
}
function insert(name,    line, lines, words) {
    lines = 0
    while ((getline line < (folder "/" name)) > 0) {
        lines++
        if (line ~ /^(<!--|\/\*) insert [^ ]+ (-->|\*\/)$/) {
            split(line, words, " ")
            insert(words[3])
        } else {
            put(line)
        }
    }
    if (lines == 0) {
        print "page.awk: cannot read " folder "/" name > "/dev/stderr"
        failed = 1
        exit 1
    }
    close(folder "/" name)
}
BEGIN {
    print "/* Made by page.awk. */"
    print "#include \"report/timeline/parts.h\"\n"
    begin_string("timeline_page_head")
}
/<!-- data -->/ {
    print "    \"\";\n"
    begin_string("timeline_page_tail")
    next
}
/^<!-- insert / {
    insert($3)
    next
}
{ put($0) }
END {
    if (!failed)
        print "    \"\";"
}
