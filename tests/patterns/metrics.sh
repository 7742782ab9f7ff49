# doc/metrics.md explains every metric, and no other.
. "$top_srcdir/tests/tap.sh"
listed=$(sed -n 's/^ *X([A-Z_0-9]*, "\([a-z_0-9]*\)".*/\1/p' "$top_srcdir/src/severity/metric_list.h" | sort)
# A section after the explanations names some of them again.
explained=$(sed '/^## Which metrics count/,/^## Clocks/d' "$top_srcdir/doc/metrics.md" | grep '^|' | cut -d'|' -f2 | grep -o '`[a-z_0-9]*`' | tr -d '`' | sort)
[ "$(printf '%s\n' "$listed" | wc -l)" -gt 30 ]
ok $? "metrics are listed"
is "$explained" "$listed" "doc/metrics.md and the list agree"
done_testing
