#include "config.h" /* getifaddrs, getrandom */

#include "measure/reduce/clock_exchange.h"

#include "base/map.h"

#include <arpa/inet.h>
#include <assert.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <inttypes.h>
#include <math.h>
#include <net/if.h>
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
    UNANSWERED = 20,  /* after so many questions without an answer, */
    SELDOM = 32,      /* only one step of so many asks */
    EXTENSIONS = 1,   /* times that a period is extended because its answers took long */
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
    uint64_t hash = 0;
    char name[32];
    for (const char *at = boot_id; *at; at++)
        hash = map_mix(hash ^ (unsigned char)*at);
    snprintf(name, sizeof name, "clock-%016" PRIx64, hash);
    return record_path(directory, name);
}

static struct record_path server_path(const char *directory)
{
    return record_path(directory, "clock-server");
}

/* A socket for both versions of IP where the kernel has both. It notes when a packet arrives. */
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

static uint64_t rated_clock_now(const struct rated_clock *rated)
{
    return clock_now(&rated->clock);
}

/* The time some nanoseconds ago, in ticks. */
static uint64_t rated_clock_ago(const struct rated_clock *rated, int64_t ns)
{
    return rated_clock_now(rated) - (uint64_t)(rated_clock_rate(rated) / NS_PER_S * (double)ns);
}

struct received_packet {
    struct clock_packet packet;
    struct sockaddr_storage from;
    socklen_t from_size;
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
    struct msghdr whole = {.msg_name = &received->from,
                           .msg_namelen = sizeof received->from,
                           .msg_iov = &part,
                           .msg_iovlen = 1,
                           .msg_control = control.bytes,
                           .msg_controllen = sizeof control.bytes};
    struct timespec noted = {0}, now;
    const ssize_t size = recvmsg(socket, &whole, 0);
    clock_gettime(CLOCK_REALTIME, &now);
    if (size != sizeof received->packet || received->packet.token != token)
        return false;
    received->from_size = whole.msg_namelen;
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
        packet->answered = rated_clock_now(&server->clock);
        (void)sendto(server->socket, packet, sizeof *packet, 0,
                     (const struct sockaddr *)&question.from, question.from_size);
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
    int file, socket; /* socket: -1 until the server is known */
    bool only_4;
    uint64_t token, number;
    struct sockaddr_in6 servers[ADDRESSES];
    struct sockaddr_in servers_4[ADDRESSES];
    size_t server_count, server; /* server: which one answers; SIZE_MAX: not known yet */
    unsigned unanswered, steps;
    struct clock_answer best;
    double fastest; /* of all answers, ticks */
    double period, until;
    unsigned extensions;
};

static double monotonic_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

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
                                    .server = SIZE_MAX,
                                    .best = no_answer,
                                    .fastest = INFINITY,
                                    .period = shortest_period,
                                    .until = monotonic_seconds() + shortest_period};
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

/* Reads one of the server's addresses. */
static bool read_address(struct clock_client *client, const char *text, unsigned port)
{
    struct sockaddr_in *four = &client->servers_4[client->server_count];
    struct sockaddr_in6 *six = &client->servers[client->server_count];
    char mapped[INET6_ADDRSTRLEN + 8];
    *four = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    *six = (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port)};
    const bool is_4 = inet_pton(AF_INET, text, &four->sin_addr) == 1;
    snprintf(mapped, sizeof mapped, "%s%s", is_4 ? "::ffff:" : "", text);
    return inet_pton(AF_INET6, mapped, &six->sin6_addr) == 1 && (is_4 || !client->only_4);
}

static bool find_server(struct clock_client *client)
{
    char text[INET6_ADDRSTRLEN];
    unsigned port = 0;
    FILE *file = fopen(server_path(client->directory).text, "re");
    if (!file)
        return false;
    client->socket = open_udp(&client->only_4);
    if (fscanf(file, "%" SCNx64 " %u", &client->token, &port) == 2)
        while (client->server_count < ADDRESSES && fscanf(file, "%45s", text) == 1)
            client->server_count += read_address(client, text, port);
    fclose(file);
    return client->socket >= 0;
}

static void ask_server(const struct clock_client *client, size_t server)
{
    const struct clock_packet question = {.token = client->token, .number = client->number};
    const void *address = client->only_4 ? (const void *)&client->servers_4[server]
                                         : (const void *)&client->servers[server];
    (void)sendto(client->socket, &question, sizeof question, 0, address,
                 client->only_4 ? sizeof client->servers_4[0] : sizeof client->servers[0]);
}

/* The place of the address that an answer has come from. */
static size_t find_address(const struct clock_client *client, const void *from)
{
    size_t i = 0;
    for (; i < client->server_count; i++) {
        const struct sockaddr_in *four = from;
        const struct sockaddr_in6 *six = from;
        if (client->only_4 ? four->sin_addr.s_addr == client->servers_4[i].sin_addr.s_addr
                           : memcmp(&six->sin6_addr, &client->servers[i].sin6_addr,
                                    sizeof six->sin6_addr) == 0)
            break;
    }
    return i;
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
    const double until = monotonic_seconds() + 1e-3 * PATIENCE_MS;
    client->number++;
    const uint64_t asked = rated_clock_now(&client->clock);
    for (size_t i = 0; i < client->server_count; i++)
        if (client->server == SIZE_MAX || client->server == i)
            ask_server(client, i);
    for (double left = PATIENCE_MS; left > 0; left = 1e3 * (until - monotonic_seconds())) {
        struct received_packet answer;
        if (poll(&ready, 1, (int)left + 1) <= 0 ||
            !receive_packet(client->socket, &client->clock, client->token, &answer) ||
            answer.packet.number != client->number)
            continue;
        if (client->server == SIZE_MAX)
            client->server = find_address(client, &answer.from);
        if (client->server == client->server_count) /* an address that was not published */
            client->server = SIZE_MAX;
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
    if (isinf(took) || (!fast && client->extensions < EXTENSIONS)) {
        client->extensions++;
        client->until = now + client->period;
        return;
    }
    (void)!write(client->file, &client->best.point, sizeof client->best.point);
    fdatasync(client->file); /* for readers on other hosts */
    client->period = fmin(2 * client->period, longest_period);
    client->until = now + client->period;
    client->extensions = 0;
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
    const double now = monotonic_seconds();
    if (now >= client->until)
        end_period(client, now);
}
