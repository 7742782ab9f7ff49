# Makes from functions.list: rows of C for functions.c (output=rows), or the list of symbols for the
# linker (output=symbols).
BEGIN { if (output == "symbols") print "{" }
/^[a-z]/ {
    if (output == "symbols") print "    " $1 ";"
    else printf "{\"%s\", (const void *)%s},\n", $1, $1
}
END { if (output == "symbols") print "};" }
