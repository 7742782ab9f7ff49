# Finds the functions and tables that headers declare; .clang-format lets declarations begin at the margin.
# Prints rows of C for functions.c (output=rows), or the list of symbols for the linker (output=symbols).
function found(name) {
    if (output == "symbols") print "    " name ";"
    else printf "{\"%s\", (const void *)%s},\n", name, name
}
BEGIN { if (output == "symbols") print "{" }
/^(static|typedef)/ { next }
/^extern .*[a-z_]\[/ {
    sub(/\[.*/, ""); sub(/.*[ *]/, "")
    found($0)
    next
}
/^[a-z].*[a-z0-9_]\(/ {
    sub(/\(.*/, ""); sub(/.*[ *]/, "")
    found($0)
}
END { if (output == "symbols") print "};" }
