# Makes C strings of a page: awk -f page.awk -v folder=DIR -v d3=FILE -v name=html_page \
#     -v header=report/html/parts.h DIR/page.html > page.c
# A line "<!-- insert FILE -->" stands for that file of the folder, "<!-- insert-if FILE -->" for a
# file that may be missing, "<!-- insert d3 -->" for d3, "<!-- data -->" for what the program writes. In
# inserted files a line "/* insert FILE */" stands for a file of their own folder.
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
function insert(file, optional, lines, line, words) {
    while ((getline line < file) > 0) {
        if (file == d3 && index(line, "</script"))
            fail(file " would end the script around it")
        lines++
        if (line ~ /^\/\* insert [^ ]+ \*\/$/) {
            split(line, words, " ")
            insert(substr(file, 1, match(file, /[^\/]*$/) - 1) words[3])
        } else {
            put(line)
        }
    }
    close(file)
    if (lines == 0 && !optional)
        fail("cannot read " file)
}
BEGIN {
    print "/* Made by page.awk. */"
    print "#include \"" header "\"\n"
    begin_string(name "_head")
}
/<!-- data -->/ {
    print "    \"\";\n"
    begin_string(name "_tail")
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
