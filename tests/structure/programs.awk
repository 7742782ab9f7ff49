# Writes the text of a trace (tests/trace/make_trace.c) of a program with a known structure:
#   awk -v program=NAME -v ranks=N -f programs.awk
# Ranks exchange messages in a ring and meet in Allreduces; computation is noisy, from a seeded generator.
#   nested       12 iterations, each 8 exchanges and an Allreduce
#   phases       10 exchanges; 25 Allreduces; 7 times both, with barriers between them
#   drift        60 iterations, each 1 % longer than the one before
#   kinds        30 exchanges; after eight of them, at different distances, a longer computation and a larger one
#   lengths      36 exchanges; before every sixth, rank 0 computes ten times as long as usual
#   aperiodic    200 calls in random order
#   uninstrumented   as nested, without regions of the user
#   flushed      40 exchanges; buffers are flushed after the 15th
#   flushed_before   40 exchanges; buffers are flushed before them
#   short        one exchange
#   long         900 iterations, each 8 exchanges and an Allreduce; a barrier; 1500 exchanges
function random() { seed = (seed * 16807) % 2147483647; return seed / 2147483647 }
function noisy(time) { return int(time * (0.97 + 0.06 * random())) }
function put(rank, text) { lines[rank, ++count[rank]] = sprintf("%d ", now[rank]) text }
function enter(rank, region) { put(rank, "enter " region) }
function leave(rank, region) { put(rank, "leave " region); now[rank]++ }
function each_enter(region,    r) { for (r = 0; r < ranks; r++) enter(r, region) }
function each_leave(region,    r) { for (r = 0; r < ranks; r++) leave(r, region) }
function compute(time,    r) { for (r = 0; r < ranks; r++) now[r] += noisy(time) }
function flush(time,    r) { for (r = 0; r < ranks; r++) { put(r, sprintf("flush %d", now[r] + time)); now[r] += time } }
function collective(region, op, bytes,    r, last) {
    for (r = 0; r < ranks; r++) {
        enter(r, region)
        put(r, "begin")
        if (now[r] > last) last = now[r]
    }
    for (r = 0; r < ranks; r++) {
        now[r] = last + 2000
        put(r, "end " op " world -1 " bytes " " bytes)
        leave(r, region)
    }
}
# To the right neighbour; every rank sends first.
function exchange(tag, bytes,    r, left, arrives) {
    for (r = 0; r < ranks; r++) {
        enter(r, "MPI_Send")
        put(r, "send " (r + 1) % ranks " world " tag " " bytes)
        sent[r] = now[r]
        now[r] += 500
        leave(r, "MPI_Send")
    }
    for (r = 0; r < ranks; r++) {
        left = (r + ranks - 1) % ranks
        enter(r, "MPI_Recv")
        arrives = sent[left] + 1500
        now[r] = now[r] > arrives ? now[r] + 300 : arrives
        put(r, "recv " left " world " tag " " bytes)
        leave(r, "MPI_Recv")
    }
}
BEGIN {
    seed = 42
    print "ranks " ranks
    each_enter("main")
    compute(300000)
    if (program == "nested")
        for (i = 0; i < 12; i++) {
            each_enter("step")
            for (k = 0; k < 8; k++) { compute(100000); exchange(1, 800) }
            compute(250000)
            collective("MPI_Allreduce", 11, 8)
            each_leave("step")
        }
    if (program == "uninstrumented")
        for (i = 0; i < 12; i++) {
            for (k = 0; k < 8; k++) { compute(100000); exchange(1, 800) }
            compute(250000)
            collective("MPI_Allreduce", 11, 8)
        }
    if (program == "phases") {
        for (i = 0; i < 10; i++) { compute(200000); exchange(1, 800) }
        collective("MPI_Barrier", 0, 0)
        for (i = 0; i < 25; i++) { compute(70000); collective("MPI_Allreduce", 11, 8) }
        collective("MPI_Barrier", 0, 0)
        for (i = 0; i < 7; i++) { compute(150000); exchange(2, 80000); compute(150000); collective("MPI_Allreduce", 11, 800) }
    }
    if (program == "drift")
        for (i = 0; i < 60; i++) { compute(100000 * 1.01 ^ i); exchange(1, 800); exchange(2, 80) }
    if (program == "kinds")
        for (i = 0; i < 30; i++) {
            compute(100000)
            exchange(1, 800)
            if ((i * i) % 29 < 6) { compute(600000); exchange(2, 100000) }
        }
    if (program == "lengths")
        for (i = 0; i < 36; i++) { compute(100000); if (i % 6 == 3) now[0] += 900000; exchange(1, 800); collective("MPI_Allreduce", 11, 8) }
    if (program == "aperiodic")
        for (i = 0; i < 200; i++) {
            compute(exp(13 * random()))
            if (random() < 0.5) exchange(int(1000 * random()), int(100000 * random()))
            else collective("MPI_Allreduce", 11, int(1000 * random()))
        }
    if (program == "flushed")
        for (i = 0; i < 40; i++) {
            compute(200000)
            exchange(1, 800)
            if (i == 14) compute(20000)
            if (i == 14) flush(3000000)
        }
    if (program == "flushed_before") {
        flush(3000000)
        for (i = 0; i < 40; i++) { compute(200000); exchange(1, 800) }
    }
    if (program == "short") exchange(1, 800)
    if (program == "long") {
        for (i = 0; i < 900; i++) {
            for (k = 0; k < 8; k++) { compute(50000); exchange(1, 800) }
            compute(150000)
            collective("MPI_Allreduce", 11, 8)
        }
        collective("MPI_Barrier", 0, 0)
        for (i = 0; i < 1500; i++) { compute(90000); exchange(2, 80000) }
    }
    compute(300000)
    each_leave("main")
    for (r = 0; r < ranks; r++) {
        print "rank " r
        for (i = 1; i <= count[r]; i++)
            print lines[r, i]
    }
}
