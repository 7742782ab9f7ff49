# Makes C strings of the page: awk -f page.awk -v folder=DIR -v d3=FILE DIR/page.html > page.c
# A line "<!-- insert FILE -->" stands for that file of the folder, "<!-- insert-if FILE -->" for a
# file that may be missing, "<!-- insert d3 -->" for d3, "<!-- data -->" for what the program writes.
function put(line) {
    gsub(/[\\"?]/, "\\\\&", line) # "?": no trigraphs
    print "    \"" line "\\n\""
}
function begin_string(name) {
    print "const char " name "[] ="
}
function fail(text) {
    print "page.awk: " text > "/dev/stderr"
    failed = 1
    exit 1
}
function insert(file, optional, lines, line) {
    while ((getline line < file) > 0) {
        if (file == d3 && index(line, "</script"))
            fail(file " would end the script around it")
        put(line)
        lines++
    }
    close(file)
    if (lines == 0 && !optional)
        fail("cannot read " file)
}
BEGIN {
    print "/* Made by page.awk. */"
    print "#include \"report/html/parts.h\"\n"
    begin_string("html_page_head")
}
/<!-- data -->/ {
    print "    \"\";\n"
    begin_string("html_page_tail")
    next
}
/<!-- insert/ {
    insert($3 == "d3" ? d3 : folder "/" $3, $2 == "insert-if")
    next
}
{ put($0) }
END {
    if (!failed)
        print "    \"\";"
}
