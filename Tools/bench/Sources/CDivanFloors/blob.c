// A blob sent from one process's file to another's over loopback TLS, hashed on arrival.
#include "CDivanFloors.h"
#include "peer.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>

enum { PIECE = 128 << 10 };

static int send_file(const char *path, int socket) {
    static char buffer[PIECE];
    floor_peer peer = floor_new_peer(floor_server_context(), socket, 0, 0);
    int file = open(path, O_RDONLY);
    ssize_t count = SSL_accept(peer.ssl) == 1 ? 1 : -1;
    while (count > 0 && (count = read(file, buffer, PIECE)) > 0)
        if (SSL_write(peer.ssl, buffer, (int)count) != count) count = -1;
    close(file);
    floor_end_peer(&peer);
    return count == 0;
}

static int receive_file(const char *path, int socket, size_t bytes) {
    static unsigned char buffer[PIECE], digest[EVP_MAX_MD_SIZE];
    floor_peer peer = floor_new_peer(floor_client_context(), socket, 1, 0);
    int file = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    EVP_MD_CTX *hash = EVP_MD_CTX_new();
    int ok = EVP_DigestInit_ex(hash, EVP_sha1(), NULL) == 1 && SSL_connect(peer.ssl) == 1;
    for (size_t done = 0; ok && done < bytes;) {
        int count = SSL_read(peer.ssl, buffer, PIECE);
        ok = count > 0 && EVP_DigestUpdate(hash, buffer, (size_t)count) == 1 &&
             write(file, buffer, (size_t)count) == count;
        done += ok ? (size_t)count : 0;
    }
    ok = ok && EVP_DigestFinal_ex(hash, digest, NULL) == 1 && fdatasync(file) == 0;
    EVP_MD_CTX_free(hash);
    close(file);
    floor_end_peer(&peer);
    return ok;
}

double floor_blob_transfer(const char *directory, size_t bytes) {
    char from[4096], to[4096];
    int pair[2];
    snprintf(from, sizeof from, "%s/floor-sent.blob", directory);
    snprintf(to, sizeof to, "%s/floor-received.blob", directory);
    if (floor_blob_write(from, bytes) < 0 || floor_connect(pair)) return -1;
    pid_t child = fork();
    if (child == 0) _exit(close(pair[1]) || !send_file(from, pair[0]));
    close(pair[0]);
    double start = floor_now();
    int ok = child > 0 && receive_file(to, pair[1], bytes);
    double seconds = floor_now() - start;
    waitpid(child, NULL, 0);
    unlink(from);
    unlink(to);
    return ok ? seconds : -1;
}
