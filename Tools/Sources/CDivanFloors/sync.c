// A pull reduced to what cannot be left out, in two processes over loopback TLS 1.3.
//
// Sender: rows by sequence, lists of 200 two ahead, each body by key, five properties, a running
// checksum, one WebSocket frame a message. Receiver: checksum, a scan of the body, a look-up of
// every announced document, one transaction for 200, a masked answer for each.
#include "CDivanFloors.h"
#include "floors.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

enum { LIST = 200, AHEAD = 2, BUFFER = 1 << 22, FLUSH = 1 << 16 };

typedef struct {
    SSL *ssl;
    uint8_t *in, *out;
    size_t in_start, in_end, out_end;
    uint32_t crc_in, crc_out;
    int masks;
} peer;

static int flush(peer *p) {
    size_t sent = 0;
    while (sent < p->out_end) {
        int count = SSL_write(p->ssl, p->out + sent, (int)(p->out_end - sent));
        if (count <= 0) return 0;
        sent += (size_t)count;
    }
    p->out_end = 0;
    return 1;
}

static void put_frame(peer *p, const uint8_t *head, size_t head_length, const void *body,
                      size_t length) {
    uint8_t *out = p->out + p->out_end;
    size_t payload = head_length + length + 4, at = 0;
    out[at++] = 0x82;
    if (payload < 126) {
        out[at++] = (uint8_t)(payload | (p->masks ? 0x80 : 0));
    } else {
        out[at++] = 126 | (p->masks ? 0x80 : 0);
        out[at++] = (uint8_t)(payload >> 8);
        out[at++] = (uint8_t)payload;
    }
    uint8_t *key = out + at;
    if (p->masks) memcpy(out + at, "\x12\x34\x56\x78", 4), at += 4;
    uint8_t *start = out + at;
    memcpy(out + at, head, head_length);
    memcpy(out + at + head_length, body, length);
    p->crc_out = (uint32_t)crc32(p->crc_out, start + 2, (uInt)(head_length - 2 + length));
    uint32_t crc = htonl(p->crc_out);
    memcpy(start + head_length + length, &crc, 4);
    if (p->masks)
        for (size_t i = 0; i < payload; i++) start[i] ^= key[i & 3];
    p->out_end += at + payload;
}

/// Returns the next frame's payload, reading as much as there is; NULL when the peer is gone.
static uint8_t *next_frame(peer *p, size_t *length) {
    for (;;) {
        size_t have = p->in_end - p->in_start;
        uint8_t *in = p->in + p->in_start;
        if (have >= 2) {
            size_t at = 2, size = in[1] & 0x7F, masked = in[1] >> 7;
            if (size == 126 && have >= 4) size = (size_t)in[2] << 8 | in[3], at = 4;
            if (!(size == 126 && at == 2) && have >= at + masked * 4 + size) {
                uint8_t *payload = in + at + masked * 4;
                if (masked)
                    for (size_t i = 0; i < size; i++) payload[i] ^= in[at + (i & 3)];
                p->in_start += at + masked * 4 + size;
                uint32_t crc;
                p->crc_in = (uint32_t)crc32(p->crc_in, payload + 2, (uInt)size - 6);
                memcpy(&crc, payload + size - 4, 4);
                if (ntohl(crc) != p->crc_in) return NULL;
                *length = size - 4;
                return payload;
            }
        }
        if (p->in_start > BUFFER / 2) {
            memmove(p->in, p->in + p->in_start, have);
            p->in_start = 0, p->in_end = have;
        }
        int count = SSL_read(p->ssl, p->in + p->in_end, (int)(BUFFER - p->in_end));
        if (count <= 0) return NULL;
        p->in_end += (size_t)count;
    }
}

static peer new_peer(SSL_CTX *context, int socket, int masks) {
    int on = 1;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    peer p = {.ssl = SSL_new(context), .in = malloc(BUFFER), .out = malloc(BUFFER), .masks = masks};
    SSL_set_fd(p.ssl, socket);
    return p;
}

static int put_list(peer *p, sqlite3_stmt *scan, sqlite3_int64 *since, size_t *rows) {
    static char text[64 * 1024];
    size_t length = 0;
    *rows = 0;
    sqlite3_bind_int64(scan, 1, *since);
    while (*rows < LIST && sqlite3_step(scan) == SQLITE_ROW) {
        *since = sqlite3_column_int64(scan, 0);
        length += (size_t)snprintf(text + length, sizeof text - length,
                                   "%s[%lld,\"%s\",\"1-%040d\",0]", *rows ? "," : "[",
                                   (long long)*since, sqlite3_column_text(scan, 1), 7);
        *rows += 1;
    }
    sqlite3_reset(scan);
    put_frame(p, (const uint8_t *)"c\1", 2, text, length);
    return 1;
}

static int put_bodies(peer *p, sqlite3_stmt *read, char (*ids)[64], size_t count) {
    for (size_t i = 0; i < count; i++) {
        sqlite3_bind_text(read, 1, ids[i], -1, SQLITE_STATIC);
        if (sqlite3_step(read) != SQLITE_ROW) return 0;
        uint8_t head[512] = "r\1";
        int length = 2 + snprintf((char *)head + 2, sizeof head - 2,
                                  "%cProfile%crev%cid%c%s%crev%c1-%040d%csequence%c%lld", 99, 0, 0,
                                  0, ids[i], 0, 0, 7, 0, 0,
                                  (long long)sqlite3_column_int64(read, 0));
        put_frame(p, head, (size_t)length, sqlite3_column_blob(read, 1),
                  (size_t)sqlite3_column_bytes(read, 1));
        sqlite3_reset(read);
        if (p->out_end > FLUSH && !flush(p)) return 0;
    }
    return 1;
}

static int serve(const char *path, int socket) {
    SSL_CTX *context = floor_server_context();
    peer p = new_peer(context, socket, 0);
    sqlite3 *db = floor_open(path);
    sqlite3_stmt *scan = NULL, *read = NULL;
    sqlite3_prepare_v2(db, "SELECT seq, docID FROM docs WHERE seq>? ORDER BY seq LIMIT 200", -1,
                       &scan, NULL);
    sqlite3_prepare_v2(db, "SELECT seq, body FROM docs WHERE docID=?", -1, &read, NULL);
    if (SSL_accept(p.ssl) != 1) return 0;
    sqlite3_int64 since = 0;
    size_t rows = 1, unanswered = 0;
    static char ids[LIST][64];
    for (int i = 0; i < AHEAD && rows; i++, unanswered++) put_list(&p, scan, &since, &rows);
    if (!flush(&p)) return 0;
    while (unanswered > 0) {
        size_t length, count = 0;
        uint8_t *payload = next_frame(&p, &length);
        if (!payload) return 0;
        if (payload[0] != 'c') continue;
        for (size_t at = 2; at < length && count < LIST; at += strlen(ids[count++]) + 1)
            snprintf(ids[count], sizeof ids[0], "%s", (char *)payload + at);
        unanswered -= 1;
        if (rows) put_list(&p, scan, &since, &rows), unanswered++;
        if (!put_bodies(&p, read, ids, count) || !flush(&p)) return 0;
    }
    while (next_frame(&p, &(size_t){0})) continue;
    return 1;
}

/// Looks up every document of a list; answers with the IDs of all of them, which are wanted.
static void answer_list(peer *p, sqlite3_stmt *find, uint8_t *list, size_t length) {
    static char wanted[LIST * 64];
    size_t size = 0;
    char *at = (char *)list, *end = at + length;
    while (at < end && (at = memchr(at, '"', (size_t)(end - at)))) {
        char *close = memchr(at + 1, '"', (size_t)(end - at - 1));
        if (!close) break;
        if (at[1] != '1' || at[2] != '-') {
            sqlite3_bind_text(find, 1, at + 1, (int)(close - at - 1), SQLITE_STATIC);
            sqlite3_step(find);
            sqlite3_reset(find);
            memcpy(wanted + size, at + 1, (size_t)(close - at - 1));
            size += (size_t)(close - at - 1);
            wanted[size++] = 0;
        }
        at = close + 1;
    }
    put_frame(p, (const uint8_t *)"c\1", 2, wanted, size);
}

static int pull(const char *path, int socket, size_t total) {
    SSL_CTX *context = floor_client_context();
    peer p = new_peer(context, socket, 1);
    sqlite3 *db = floor_open(path);
    sqlite3_stmt *find = NULL, *insert = NULL;
    sqlite3_prepare_v2(db, "SELECT seq FROM docs WHERE docID=?", -1, &find, NULL);
    sqlite3_prepare_v2(db, "INSERT INTO docs VALUES(?,?,?,?,?)", -1, &insert, NULL);
    if (SSL_connect(p.ssl) != 1) return 0;
    size_t done = 0;
    while (done < total) {
        size_t length;
        uint8_t *payload = next_frame(&p, &length);
        if (!payload) return 0;
        if (payload[0] == 'c') {
            answer_list(&p, find, payload, length);
            if (!flush(&p)) return 0;
            continue;
        }
        if (done % LIST == 0) sqlite3_exec(db, "BEGIN", NULL, NULL, NULL);
        const char *id = (char *)payload + 2 + 1 + sizeof "Profile" + sizeof "rev" + sizeof "id";
        const char *last = id + strlen(id) + 1 + sizeof "rev" + 43 + sizeof "sequence";
        const char *body = memchr(last, '{', length - (size_t)(last - (char *)payload));
        if (!body) return 0;
        size_t size = (size_t)((char *)payload + length - body);
        if (floor_json_scan(body, size) < 0) return 0;
        if (!floor_bind_row(insert, (sqlite3_int64)++done, id, body, size)) return 0;
        put_frame(&p, (const uint8_t *)"r\1", 2, "", 0);
        if (done % LIST == 0 || done == total) {
            if (sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK) return 0;
            if (!flush(&p)) return 0;
        }
    }
    sqlite3_close(db);
    return 1;
}

double floor_sync(const char *directory, const floor_documents *documents, size_t rounds) {
    char from[4096], to[4096];
    snprintf(from, sizeof from, "%s/floor-sender.sqlite", directory);
    snprintf(to, sizeof to, "%s/floor-receiver.sqlite", directory);
    if (floor_sqlite_insert(from, documents, rounds, 1000) < 0) return -1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(0x7F000001)};
    socklen_t size = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(listener, (struct sockaddr *)&address, size) || listen(listener, 1)) return -1;
    getsockname(listener, (struct sockaddr *)&address, &size);
    pid_t child = fork();
    if (child == 0) _exit(serve(from, accept(listener, NULL, NULL)) ? 0 : 1);
    int connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (child < 0 || connect(connection, (struct sockaddr *)&address, size)) return -1;
    double start = floor_now();
    int ok = pull(to, connection, rounds * documents->count);
    double seconds = floor_now() - start;
    close(connection);
    close(listener);
    waitpid(child, NULL, 0);
    return ok ? seconds : -1;
}
