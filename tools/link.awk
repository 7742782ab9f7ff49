# Links a program with each library once: awk -f tools/link.awk -- COMPILER ARGUMENT...
# The variable of a library (as trace_libs) names all that it needs, so the libraries of a program are mentioned up to a
# thousand times. MPICH's mpicc starts a process for each mention, and the command would be nearly too long for a shell. Here static libraries become
# one group, in the order of their first mention; of the others (-l) the last mention counts.
function quoted(word) {
    gsub(/'/, "'\\''", word)
    return " '" word "'"
}
BEGIN {
    for (i = 1; i < ARGC; i++)
        last[ARGV[i]] = i
    for (i = 1; i < ARGC; i++) {
        word = ARGV[i]
        if (word ~ /^-l/ && last[word] > i || (word ~ /^-L/ || word ~ /\.a$/) && word in mentioned)
            continue
        mentioned[word]
        if (word ~ /\.a$/)
            group = group quoted(word)
        else if (group == "")
            before = before quoted(word)
        else
            after = after quoted(word)
    }
    if (group != "")
        group = " -Wl,--start-group" group " -Wl,--end-group"
    exit system("exec" before group after) != 0
}
