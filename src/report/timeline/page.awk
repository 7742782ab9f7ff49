# Makes C strings of a page: awk -f page.awk -v folder=DIR DIR/timeline.html > page.c
# A line "<!-- insert FILE -->" stands for that file, "<!-- data -->" for what the program writes.
function put(line) {
    gsub(/[\\"?]/, "\\\\&", line) # "?": no trigraphs
    printf "    \"%s\\n\"\n", line
}
function begin_string(name) {
    printf "const char %s[] =\n", name
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
/<!-- insert / {
    file = folder "/" $3
    lines = 0
    while ((getline line < file) > 0) {
        put(line)
        lines++
    }
    if (lines == 0) {
        print "page.awk: cannot read " file > "/dev/stderr"
        failed = 1
        exit 1
    }
    close(file)
    next
}
{ put($0) }
END {
    if (!failed)
        print "    \"\";"
}
