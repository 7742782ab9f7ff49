#include "config.h" /* getifaddrs, getrandom */

#include "measure/reduce/clock_exchange.h"

#include <arpa/inet.h>
#include <assert.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <inttypes.h>
#include <math.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    NS_PER_S = 1000000000,
    ADDRESSES = 16,   /* of the server that a client tries, at most */
    PATIENCE_MS = 50, /* for an answer */
    UNANSWERED = 20,  /* after this number of questions without an answer, */
    SELDOM = 32,      /* only one step in this number asks */
};

/* Seconds of which the best answer counts: first the shortest, which doubles until the longest. */
static const double shortest_period = 2, longest_period = 8;

/* Of the answers of a period the fastest counts, if it took less than this, in seconds, or less
 * than this times the fastest one of all: half of the time bounds the error. */
static const double FAST = 1e-4, AS_FAST = 2;

struct clock_packet {
    uint64_t token; /* of the run: others get no answer */
    uint64_t number;
    uint64_t arrived, answered; /* of an answer: the question, on the server's clock */
};

struct record_path clock_exchange_path(const char *directory, const char *boot_id)
{
    char name[80];
    snprintf(name, sizeof name, "clock-%s", boot_id);
    return record_path(directory, name);
}

static struct record_path server_path(const char *directory)
{
    return record_path(directory, "clock-server");
}

/* Opens a socket that notes when a packet arrives: for IPv4 and IPv6, or, if the kernel lacks IPv6,
 * for IPv4 only. */
static int open_udp(bool *only_4)
{
    const int off = 0, on = 1;
    int file = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    *only_4 = file < 0;
    if (file < 0)
        file = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    else
        (void)setsockopt(file, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    (void)setsockopt(file, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
    return file;
}

/* A host's clock, and a moment on it, from which its rate is measured. */
struct rated_clock {
    struct clock clock;
    struct clock_reading begin;
};

static struct rated_clock rated_clock_begin(const struct clock *clock)
{
    return (struct rated_clock){*clock, clock_read_both(clock, 3)};
}

static double rated_clock_rate(const struct rated_clock *rated)
{
    const struct clock_reading now = clock_read_both(&rated->clock, 1);
    const double ticks = (double)(now.ticks - rated->begin.ticks);
    return now.ns > rated->begin.ns ? NS_PER_S * ticks / (double)(now.ns - rated->begin.ns) : 0;
}

/* The time some nanoseconds ago, in ticks. */
static uint64_t rated_clock_ago(const struct rated_clock *rated, int64_t ns)
{
    return clock_now(&rated->clock) - (uint64_t)(rated_clock_rate(rated) / NS_PER_S * (double)ns);
}

struct address {
    struct sockaddr_storage socket;
    socklen_t size;
};

struct received_packet {
    struct clock_packet packet;
    struct address from;
    uint64_t arrived; /* ticks */
};

/* Receives a packet, and when it arrived: since then this process may have waited for a core. False
 * if it is not one of this run. */
static bool receive_packet(int socket, const struct rated_clock *rated, uint64_t token,
                           struct received_packet *received)
{
    union {
        struct cmsghdr header; /* for its alignment */
        char bytes[CMSG_SPACE(sizeof(struct timespec))];
    } control;
    struct iovec part = {&received->packet, sizeof received->packet};
    struct msghdr whole = {.msg_name = &received->from.socket,
                           .msg_namelen = sizeof received->from.socket,
                           .msg_iov = &part,
                           .msg_iovlen = 1,
                           .msg_control = control.bytes,
                           .msg_controllen = sizeof control.bytes};
    struct timespec noted = {0}, now;
    const ssize_t size = recvmsg(socket, &whole, 0);
    clock_gettime(CLOCK_REALTIME, &now);
    if (size != sizeof received->packet || received->packet.token != token)
        return false;
    received->from.size = whole.msg_namelen;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&whole); header;
         header = CMSG_NXTHDR(&whole, header))
        if (header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_TIMESTAMPNS)
            memcpy(&noted, CMSG_DATA(header), sizeof noted);
    const int64_t ago =
        (int64_t)(now.tv_sec - noted.tv_sec) * NS_PER_S + now.tv_nsec - noted.tv_nsec;
    received->arrived = rated_clock_ago(rated, ago >= 0 && ago < NS_PER_S ? ago : 0);
    return true;
}

struct clock_server {
    int socket;
    uint64_t token;
    struct rated_clock clock;
};

static void *answer_clients(void *data)
{
    const struct clock_server *server = data;
    for (;;) {
        struct received_packet question;
        struct clock_packet *packet = &question.packet;
        if (!receive_packet(server->socket, &server->clock, server->token, &question))
            continue;
        packet->arrived = question.arrived;
        packet->answered = clock_now(&server->clock.clock);
        (void)sendto(server->socket, packet, sizeof *packet, 0,
                     (const struct sockaddr *)&question.from.socket, question.from.size);
    }
    return NULL;
}

/* Writes the addresses of this host, which other hosts may reach. */
static bool write_addresses(FILE *file)
{
    struct ifaddrs *all = NULL;
    if (getifaddrs(&all) != 0)
        return false;
    for (const struct ifaddrs *each = all; each; each = each->ifa_next) {
        char text[INET6_ADDRSTRLEN] = "";
        if (!each->ifa_addr || each->ifa_flags & IFF_LOOPBACK)
            continue;
        if (each->ifa_addr->sa_family == AF_INET) {
            inet_ntop(AF_INET, &((const struct sockaddr_in *)(void *)each->ifa_addr)->sin_addr,
                      text, sizeof text);
        } else if (each->ifa_addr->sa_family == AF_INET6) {
            const struct sockaddr_in6 *own = (const struct sockaddr_in6 *)(void *)each->ifa_addr;
            if (!IN6_IS_ADDR_LINKLOCAL(&own->sin6_addr))
                inet_ntop(AF_INET6, &own->sin6_addr, text, sizeof text);
        }
        if (text[0])
            fprintf(file, "%s\n", text);
    }
    freeifaddrs(all);
    return true;
}

static bool publish_server(const char *directory, const struct clock_server *server)
{
    struct sockaddr_storage bound;
    socklen_t size = sizeof bound;
    if (getsockname(server->socket, (struct sockaddr *)&bound, &size) != 0)
        return false;
    const uint16_t port = bound.ss_family == AF_INET6
                              ? ((struct sockaddr_in6 *)(void *)&bound)->sin6_port
                              : ((struct sockaddr_in *)(void *)&bound)->sin_port;
    const struct record_path path = server_path(directory);
    struct record_path temporary = path;
    strcat(temporary.text, ".new");
    FILE *file = fopen(temporary.text, "we");
    if (!file)
        return false;
    fprintf(file, "%" PRIx64 " %u\n", server->token, ntohs(port));
    const bool written = write_addresses(file);
    return !(ferror(file) | fclose(file)) && written && rename(temporary.text, path.text) == 0;
}

void clock_server_begin(const char *directory, const struct clock *clock)
{
    struct clock_server *server = malloc(sizeof *server);
    bool only_4 = false;
    pthread_t thread;
    if (!server)
        return;
    *server = (struct clock_server){.socket = open_udp(&only_4), .clock = rated_clock_begin(clock)};
    struct sockaddr_in any_4 = {.sin_family = AF_INET};
    struct sockaddr_in6 any = {.sin6_family = AF_INET6};
    const struct sockaddr *address =
        only_4 ? (const struct sockaddr *)&any_4 : (const struct sockaddr *)&any;
    if (server->socket >= 0 &&
        getrandom(&server->token, sizeof server->token, 0) == sizeof server->token &&
        bind(server->socket, address, only_4 ? sizeof any_4 : sizeof any) == 0 &&
        publish_server(directory, server) &&
        pthread_create(&thread, NULL, answer_clients, server) == 0) {
        pthread_detach(thread);
        return;
    }
    if (server->socket >= 0)
        close(server->socket);
    free(server);
}

/* The best answer of a period. */
struct clock_answer {
    struct clock_point point;
    double took; /* ticks on the way; INFINITY: there is none */
};

static const struct clock_answer no_answer = {.took = INFINITY};

struct clock_client {
    const char *directory;
    struct rated_clock clock;
    int file, socket; /* socket: -1 before the server has published its addresses */
    bool only_4;
    uint64_t token, number;
    struct address servers[ADDRESSES]; /* those that the server has published; then the one that has
                                          answered */
    size_t server_count;
    unsigned unanswered, steps;
    struct clock_answer best;
    double fastest; /* of all answers, ticks */
    double period, until;
    bool extended; /* the period, because its answers took long */
};

struct clock_client *clock_client_begin(const char *directory, const char *boot_id,
                                        const struct clock *clock)
{
    const struct record_path path = clock_exchange_path(directory, boot_id);
    struct clock_client *client = calloc(1, sizeof *client);
    if (!client)
        return NULL;
    *client = (struct clock_client){.directory = directory,
                                    .clock = rated_clock_begin(clock),
                                    .socket = -1,
                                    .best = no_answer,
                                    .fastest = INFINITY,
                                    .period = shortest_period,
                                    .until = clock_seconds() + shortest_period};
    client->file = open(path.text, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
    if (client->file >= 0)
        return client;
    free(client);
    return NULL;
}

void clock_client_end(struct clock_client *client)
{
    if (!client)
        return;
    close(client->file);
    if (client->socket >= 0)
        close(client->socket);
    free(client);
}

/* Adds one of the server's addresses, unless this host cannot use it. */
static void add_server(struct clock_client *client, const char *host, const char *port)
{
    const struct addrinfo wanted = {.ai_family = client->only_4 ? AF_INET : AF_INET6,
                                    .ai_socktype = SOCK_DGRAM,
                                    .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_V4MAPPED};
    struct addrinfo *found = NULL;
    if (getaddrinfo(host, port, &wanted, &found) != 0)
        return;
    struct address *server = &client->servers[client->server_count++];
    memcpy(&server->socket, found->ai_addr, found->ai_addrlen);
    server->size = found->ai_addrlen;
    freeaddrinfo(found);
}

static bool find_server(struct clock_client *client)
{
    char host[INET6_ADDRSTRLEN], port[8];
    FILE *file = fopen(server_path(client->directory).text, "re");
    if (!file)
        return false;
    client->socket = open_udp(&client->only_4);
    if (fscanf(file, "%" SCNx64 " %7s", &client->token, port) == 2)
        while (client->server_count < ADDRESSES && fscanf(file, "%45s", host) == 1)
            add_server(client, host, port);
    fclose(file);
    return client->socket >= 0;
}

/* Keeps an answer if it is the fastest of the period (RFC 5905, section 8). */
static void keep_fastest_answer(struct clock_client *client, uint64_t asked,
                                const struct received_packet *answer)
{
    const struct clock_packet *packet = &answer->packet;
    const uint64_t both = answer->arrived - asked, there = packet->answered - packet->arrived;
    const double took = both > there ? (double)(both - there) : 0;
    if (took < client->best.took) {
        client->best.took = took;
        client->best.point.time = asked + both / 2;
        client->best.point.offset =
            (int64_t)(packet->arrived + there / 2 - client->best.point.time);
    }
    client->fastest = fmin(client->fastest, took);
}

/* Asks once. Whether there was an answer. */
static bool ask_for_time(struct clock_client *client)
{
    struct pollfd ready = {client->socket, POLLIN, 0};
    const double until = clock_seconds() + 1e-3 * PATIENCE_MS;
    client->number++;
    const uint64_t asked = clock_now(&client->clock.clock);
    for (size_t i = 0; i < client->server_count; i++) {
        const struct clock_packet question = {.token = client->token, .number = client->number};
        (void)sendto(client->socket, &question, sizeof question, 0,
                     (const struct sockaddr *)&client->servers[i].socket, client->servers[i].size);
    }
    for (double left = PATIENCE_MS; left > 0; left = 1e3 * (until - clock_seconds())) {
        struct received_packet answer;
        if (poll(&ready, 1, (int)left + 1) <= 0 ||
            !receive_packet(client->socket, &client->clock, client->token, &answer) ||
            answer.packet.number != client->number)
            continue;
        client->servers[0] = answer.from;
        client->server_count = 1;
        keep_fastest_answer(client, asked, &answer);
        return true;
    }
    return false;
}

/* Writes the best answer of the period, and begins the next one. */
static void end_period(struct clock_client *client, double now)
{
    const double took = client->best.took;
    const bool fast =
        took <= FAST * rated_clock_rate(&client->clock) || took <= AS_FAST * client->fastest;
    if (isinf(took) || (!fast && !client->extended)) {
        client->extended = true;
        client->until = now + client->period;
        return;
    }
    (void)!write(client->file, &client->best.point, sizeof client->best.point);
    fdatasync(client->file); /* for readers on other hosts */
    client->period = fmin(2 * client->period, longest_period);
    client->until = now + client->period;
    client->extended = false;
    client->best = no_answer;
}

void clock_client_step(struct clock_client *client)
{
    assert(client->file >= 0);
    client->steps++;
    if ((client->socket < 0 && !find_server(client)) || client->server_count == 0 ||
        (client->unanswered >= UNANSWERED && client->steps % SELDOM != 0))
        return;
    const bool answered = ask_for_time(client);
    client->unanswered = answered ? 0 : client->unanswered + 1;
    const double now = clock_seconds();
    if (now >= client->until)
        end_period(client, now);
}
