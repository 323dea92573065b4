// Two processes that speak TLS 1.3 over loopback sockets, blocking, as simply as possible.
#include "CDivanFloors.h"
#include "floors.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PING = 64 };

/// A listening socket on a free loopback port, and its address.
static int open_listener(struct sockaddr_in *address) {
    socklen_t size = sizeof *address;
    *address = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(0x7F000001)};
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(listener, (struct sockaddr *)address, size) || listen(listener, 1024)) return -1;
    getsockname(listener, (struct sockaddr *)address, &size);
    return listener;
}

static int connect_to(const struct sockaddr_in *address) {
    int connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
    if (connect(connection, (const struct sockaddr *)address, sizeof *address)) return -1;
    setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return connection;
}

/// A session on an accepted connection, after its handshake; NULL if that failed.
static SSL *accept_session(SSL_CTX *context, int listener) {
    int socket = accept(listener, NULL, NULL), on = 1;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    SSL *ssl = SSL_new(context);
    SSL_set_fd(ssl, socket);
    return SSL_accept(ssl) == 1 ? ssl : NULL;
}

static SSL *connect_session(SSL_CTX *context, const struct sockaddr_in *address) {
    SSL *ssl = SSL_new(context);
    SSL_set_fd(ssl, connect_to(address));
    return SSL_connect(ssl) == 1 ? ssl : NULL;
}

static int read_all(SSL *ssl, char *to, size_t count) {
    for (size_t done = 0; done < count;) {
        int got = SSL_read(ssl, to + done, (int)(count - done));
        if (got <= 0) return 0;
        done += (size_t)got;
    }
    return 1;
}

static int serve_stream(int listener, size_t bytes) {
    static char buffer[1 << 18];
    SSL *ssl = accept_session(floor_server_context(), listener);
    for (size_t received = 0; ssl && received < bytes;) {
        int count = SSL_read(ssl, buffer, sizeof buffer);
        if (count <= 0) return 0;
        received += (size_t)count;
    }
    return ssl && SSL_write(ssl, buffer, 1) == 1;
}

double floor_tls_stream(size_t bytes, size_t piece) {
    struct sockaddr_in address;
    int listener = open_listener(&address);
    pid_t child = fork();
    if (child == 0) _exit(serve_stream(listener, bytes) ? 0 : 1);
    SSL *ssl = connect_session(floor_client_context(), &address);
    char *buffer = calloc(1, piece);
    int ok = child > 0 && ssl != NULL;
    double start = floor_now();
    for (size_t sent = 0; ok && sent < bytes; sent += piece)
        ok = SSL_write(ssl, buffer, (int)piece) == (int)piece;
    ok = ok && SSL_read(ssl, buffer, 1) == 1;
    double seconds = floor_now() - start;
    if (ssl) close(SSL_get_fd(ssl)), SSL_free(ssl);
    close(listener);
    free(buffer);
    waitpid(child, NULL, 0);
    return ok ? seconds : -1;
}

static int serve_pings(int listener) {
    char buffer[PING];
    SSL *ssl = accept_session(floor_server_context(), listener);
    while (ssl && read_all(ssl, buffer, PING))
        if (SSL_write(ssl, buffer, PING) != PING) return 0;
    return ssl != NULL;
}

int floor_tls_round_trips(size_t count, double *seconds) {
    struct sockaddr_in address;
    int listener = open_listener(&address);
    pid_t child = fork();
    if (child == 0) _exit(serve_pings(listener) ? 0 : 1);
    SSL *ssl = connect_session(floor_client_context(), &address);
    char buffer[PING] = {0};
    int ok = child > 0 && ssl != NULL;
    for (size_t i = 0; ok && i < count; i++) {
        double start = floor_now();
        ok = SSL_write(ssl, buffer, PING) == PING && read_all(ssl, buffer, PING);
        seconds[i] = floor_now() - start;
    }
    if (ssl) close(SSL_get_fd(ssl)), SSL_free(ssl);
    close(listener);
    waitpid(child, NULL, 0);
    return ok ? 0 : -1;
}

/// Accepts `count` connections one after another and writes their memory use to `result`.
static int hold_idle(int listener, size_t count, int with_tls, int result) {
    SSL_CTX *context = floor_server_context();
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
    double before = 0, bytes;
    for (size_t i = 0; i < count + 16; i++) {
        // The first few allocate what all of them share.
        if (i == 16) before = floor_resident_bytes();
        if (with_tls ? accept_session(context, listener) == NULL
                     : accept(listener, NULL, NULL) < 0)
            return 0;
    }
    bytes = (floor_resident_bytes() - before) / (double)count;
    return write(result, &bytes, sizeof bytes) == sizeof bytes;
}

double floor_idle_bytes(size_t count, int with_tls) {
    struct sockaddr_in address;
    int listener = open_listener(&address), result[2];
    if (listener < 0 || pipe(result)) return -1;
    pid_t child = fork();
    if (child == 0) _exit(hold_idle(listener, count, with_tls, result[1]) ? 0 : 1);
    close(result[1]);
    SSL_CTX *context = floor_client_context();
    int *sockets = calloc(count + 16, sizeof(int));
    for (size_t i = 0; i < count + 16; i++) {
        SSL *ssl = with_tls ? connect_session(context, &address) : NULL;
        sockets[i] = ssl ? SSL_get_fd(ssl) : connect_to(&address);
        SSL_free(ssl);
    }
    double bytes = -1;
    if (read(result[0], &bytes, sizeof bytes) != sizeof bytes) bytes = -1;
    for (size_t i = 0; i < count + 16; i++) close(sockets[i]);
    close(result[0]);
    close(listener);
    free(sockets);
    SSL_CTX_free(context);
    waitpid(child, NULL, 0);
    return bytes;
}
