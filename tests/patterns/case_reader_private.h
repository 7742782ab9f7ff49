/* What the parts of the reader share. */
#ifndef TESTS_PATTERNS_CASE_READER_PRIVATE_H
#define TESTS_PATTERNS_CASE_READER_PRIVATE_H

#include "case_reader.h"

enum { REQUESTS = 100, WORDS = 64 };

struct rank_events {
    ARRAY(uint64_t) time;
    ARRAY(uint8_t) kind;
    ARRAY(uint32_t) arg;
    ARRAY(struct message) messages;
    ARRAY(struct collective) collectives;
    ARRAY(struct rma_op) rma_ops;
    ARRAY(struct rma_sync) rma_syncs;
    ARRAY(uint64_t) flushes;
    ARRAY(struct other_event) others;
    ARRAY(uint32_t) open; /* rows of open ENTERs */
    uint32_t path;
    uint32_t request[REQUESTS];
    uint32_t ended; /* collective that has ended last */
    bool matched;   /* a probe has matched the next message */
};

struct reader {
    const char *path;
    int line;
    struct trace *trace;
    struct test_case *test_case;
    struct rank_events *ranks;
    ARRAY(struct region) regions;
    ARRAY(struct communicator) comms;
    ARRAY(struct group) groups;
    ARRAY(struct rma_window) windows;
};

/* Ends the program: "FILE:LINE: ...". */
__attribute__((format(printf, 2, 3), noreturn)) void case_fail(const struct reader *reader,
                                                               const char *format, ...);

uint32_t case_find_comm(const struct reader *reader, const char *name);
uint8_t case_find_operation(const struct reader *reader, const char *name);
uint32_t case_add_group(struct reader *reader, char **members, int count, uint8_t type);

/* Returns the row. */
uint32_t case_add_event(struct reader *reader, struct rank_events *rank, uint64_t time,
                        enum event_kind kind, uint32_t arg);

void case_add_window(struct reader *reader, const char *name, const char *comm);

/* False if the line is about something else. */
bool case_add_window_line(struct reader *reader, struct rank_events *rank, uint64_t time,
                          char **words, int count);

#endif
