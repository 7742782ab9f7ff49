# Makes a kind of page (page.h) of its files: awk -v name=sweep_page [-v plain=1] [-v d3=FILE] -f page.awk FILE... > page.c
# Its strings `style`, `body` and `script` are the .css, .html and .js files in their order. A line "/* insert FILE */" or
# "<!-- insert FILE -->" stands for that file of the same folder, or for d3.
function put(line) {
    gsub(/[\\"?]/, "\\\\&", line) # "?": no trigraphs
    return "    \"" line "\\n\"\n"
}
function fail(text) {
    print "page.awk: " text > "/dev/stderr"
    failed = 1
    exit 1
}
function text_of(file, line, lines, words, text) {
    while ((getline line < file) > 0) {
        lines++
        if (line ~ /^(\/\*|<!--) insert [^ ]+ (\*\/|-->)$/) {
            split(line, words, " ")
            text = text text_of(words[3] == "d3" ? d3 : substr(file, 1, match(file, /[^\/]*$/) - 1) words[3])
        } else if (line ~ /<\/script/ && file ~ /\.js$/)
            fail(file " would end the script around it")
        else
            text = text put(line)
    }
    close(file)
    if (lines == 0)
        fail("cannot read " file)
    return text
}
BEGIN {
    for (i = 1; i < ARGC; i++) {
        kind = ARGV[i] ~ /\.css$/ ? "style" : ARGV[i] ~ /\.js$/ ? "script" : "body"
        part[kind] = part[kind] text_of(ARGV[i])
    }
    if (failed)
        exit 1
    print "/* Made by page.awk. */\n#include \"report/page/page.h\"\n\nextern const struct page_kind " name ";"
    print "const struct page_kind " name " = {"
    split("style body script", kinds, " ")
    for (i = 1; i <= 3; i++)
        printf "    .%s =\n%s    \"\",\n", kinds[i], part[kinds[i]]
    print (plain ? "    .plain = true,\n" : "") "};"
}
