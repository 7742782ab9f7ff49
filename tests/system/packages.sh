# What packages say of SILAS is what SILAS says: versions, dependencies, programs. Nothing is built here (tools/package does).
. "$top_srcdir/tests/tap.sh"
left_out_of sanitizers
cd "$top_srcdir" || exit 99
version=$(sed -n 's/^AC_INIT(\[SILAS\], \[\([0-9.]*\)\].*/\1/p' configure.ac)
spack=packaging/spack/packages/silas/package.py
easybuild=packaging/easybuild/SILAS-$version-gompi-2023b.eb

is "$(sed -n '1s/^silas (\([^)]*\)).*/\1/p' debian/changelog)" "$version" "Debian's package has the version of configure.ac"
is "$(sed -n 's/.*version("\([0-9.]*\)".*/\1/p' $spack)" "$version" "... Spack's"
is "$(sed -n "s/^version = '\(.*\)'/\1/p" "$easybuild")" "$version" "... EasyBuild's"

# Spack and EasyBuild name other packages than Debian; each library that configure looks for has one in both.
libraries=$(sed -n 's/^PKG_CHECK_MODULES(\[\([A-Z]*\)\].*/\1/p' configure.ac | sort | tr '\n' ' ')
is "$libraries" "CHECK EXPAT HWLOC INIH JANSSON KISSFFT LIBDW LZMA ZLIB " "the libraries that configure looks for (change the recipes with them)"
for pair in expat:expat hwloc: inih:inih jansson:Jansson kissfft:kissfft elfutils:elfutils xz:XZ zlib:zlib otf2:OTF2 check:Check; do
    grep -qE "depends_on\(\"${pair%:*}[\"@-]" $spack
    ok $? "Spack's recipe depends on ${pair%:*}"
    [ -z "${pair#*:}" ] || {
        grep -q "('${pair#*:}', '" "$easybuild"
        ok $? "EasyBuild's on ${pair#*:}"
    }
done
for package in $(sed -n 's/^build //p' tools/packages); do
    case $package in gcc | make | xz-utils) continue ;; esac # part of any Debian that builds packages
    sed -n '/^Build-Depends:/,/^[A-Z]/p' debian/control | grep -qE "(^|[ ,])$package( |,|$)"
    ok $? "Debian's package is built with $package"
done

# Recipes are programs in Python: they compile, and pin what they fetch.
if command -v python3 >/dev/null; then
    for recipe in packaging/spack/packages/*/package.py packaging/easybuild/*.eb; do
        python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read())' "$recipe" >/dev/null 2>&1
        ok $? "$recipe is valid Python"
    done
fi
for recipe in packaging/spack/packages/*/package.py packaging/easybuild/*.eb; do
    fetched=$(grep -cE "^ *url ?= ?\"https|source_urls.*https" "$recipe")
    pinned=$(grep -cE "['\"][0-9a-f]{64}['\"]" "$recipe")
    is "$pinned" "$fetched" "$recipe has a checksum for each file that it fetches"
done
is "$(grep -c '^FROM .*:[a-z]*-20[0-9]\{6\}' packaging/Containerfile)" "$(grep -c '^FROM' packaging/Containerfile)" "the images of the container are pinned"
sh -n debian/tests/selftest && sh -n tools/package
ok $? "the scripts of the packages are valid"
for policy in 1 2 3 4 5 6 7 8 9; do
    grep -q "^| P$policy " doc/packaging.md
    ok $? "doc/packaging.md answers policy P$policy of E4S"
done
done_testing
