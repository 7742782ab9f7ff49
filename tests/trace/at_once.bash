# Recordings of the corpus in which threads of a rank communicate at the same time: they cannot be cut.
communicates_at_once() { # NAME
    case $1 in
    good-left-out-threads-* | good-threads-at-once | good-threads-collectives | good-threads-hand-over-at-once | good-threads-matched-probe | good-threads-order | good-threads-probe | good-threads-self | good-threads-sizes) ;;
    *) false ;;
    esac
}
