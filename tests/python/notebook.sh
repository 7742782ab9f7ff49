# The tutorial notebook runs, cell by cell, as jupyter would run it.
. "$top_srcdir/tests/tap.sh"
left_out_of sanitizers
module=$top_builddir/src/python/silas/_silas.abi3.so
[ -e "$module" ] || skip_all "built without Python's headers"
work=$(mktemp -d "${TMPDIR:-/tmp}/silas-notebook.XXXXXX") || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
mkdir silas && cp "$top_srcdir"/src/python/silas/*.py "$module" silas || exit 99
"$top_builddir/bench/trace/generate_trace" -o before -r 4 -e 2000 -s 7 >/dev/null 2>&1 ||
    { echo "Bail out! no trace"; exit 99; }
notebook=$top_srcdir/examples/silas.ipynb
cells=$(python3 -c 'import json, sys; print(sum(cell["cell_type"] == "code" for cell in json.load(open(sys.argv[1]))["cells"]))' "$notebook")
[ "$cells" -le 6 ]
ok $? "from a trace to the first picture in at most six cells ($cells)"
output=$(PYTHONPATH=$work MPLBACKEND=agg timeout -k 5 120 python3 -B - "$notebook" <<'END' 2>&1
import ast, json, sys
names = {}
for cell in json.load(open(sys.argv[1]))["cells"]:
    if cell["cell_type"] != "code":
        continue
    tree = ast.parse("".join(cell["source"]))
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    if last:  # a notebook shows its value
        value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
        print(value._repr_html_() if hasattr(value, "_repr_html_") else repr(value))
print("all cells have run")
END
)
like "$output" "^all cells have run$" "the notebook runs"
like "$output" "<th>victim</th>" "... and shows the waits"
like "$output" "<th>time_after</th>" "... and a sweep"
done_testing
