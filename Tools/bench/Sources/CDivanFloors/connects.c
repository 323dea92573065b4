// A server that only accepts clients: TLS, one request, one response.
#include "CDivanFloors.h"
#include "floors.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static const char request[] = "GET /db/_blipsync HTTP/1.1\r\nHost: localhost\r\n"
                              "Authorization: Basic YWRhOmxvdmVsYWNl\r\n\r\n";
static const char answer[] = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n";

/// Accepts `count` clients and writes the processor time of each to `result`.
static int let_in(int listener, size_t count, int result) {
    SSL_CTX *context = floor_server_context();
    char buffer[4096];
    double start = 0, seconds;
    for (size_t i = 0; i < count + 16; i++) {
        if (i == 16) start = floor_work();
        int connection = accept(listener, NULL, NULL), on = 1;
        setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        SSL *ssl = SSL_new(context);
        SSL_set_fd(ssl, connection);
        if (SSL_accept(ssl) != 1 || SSL_read(ssl, buffer, sizeof buffer) <= 0) return 0;
        if (SSL_write(ssl, answer, sizeof answer) <= 0) return 0;
        SSL_read(ssl, buffer, 1);  // until the client goes
        SSL_free(ssl);
        close(connection);
    }
    seconds = (floor_work() - start) / (double)count;
    return write(result, &seconds, sizeof seconds) == sizeof seconds;
}

double floor_connects(size_t count) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(0x7F000001)};
    socklen_t size = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), result[2];
    if (bind(listener, (struct sockaddr *)&address, size) || listen(listener, 1024)) return -1;
    getsockname(listener, (struct sockaddr *)&address, &size);
    if (pipe(result)) return -1;
    pid_t child = fork();
    if (child == 0) _exit(let_in(listener, count, result[1]) ? 0 : 1);
    close(result[1]);
    SSL_CTX *context = floor_client_context();
    char buffer[4096];
    int ok = child > 0;
    for (size_t i = 0; ok && i < count + 16; i++) {
        int connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
        setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        ok = connect(connection, (struct sockaddr *)&address, sizeof address) == 0;
        SSL *ssl = SSL_new(context);
        SSL_set_fd(ssl, connection);
        ok = ok && SSL_connect(ssl) == 1 && SSL_write(ssl, request, sizeof request) > 0 &&
             SSL_read(ssl, buffer, sizeof buffer) > 0;
        SSL_free(ssl);
        close(connection);
    }
    double seconds = -1;
    if (!ok || read(result[0], &seconds, sizeof seconds) != sizeof seconds) seconds = -1;
    close(result[0]);
    close(listener);
    SSL_CTX_free(context);
    waitpid(child, NULL, 0);
    return seconds;
}
