# golden PROGRAM FOLDER: runs PROGRAM on each NAME.ini of the folder, from inside it; the output must
# be NAME.expected, the exit code 1 for bad-*.ini and 0 for the others. Source after tap.sh.
golden() {
    cd "$2" || exit 1
    for file in *.ini; do
        got=$("$1" "$file")
        code=$?
        is "$got" "$(cat "${file%.ini}.expected")" "$file"
        case $file in
            bad-*) is "$code" 1 "$file: exit code" ;;
            *) is "$code" 0 "$file: exit code" ;;
        esac
    done
}
