// A pull or push reduced to the unavoidable, in two processes over loopback TLS 1.3.
//
// Both transfer documents the same way; they differ in who connects, and so whose frames are masked.
// Sender: rows by sequence, lists of 200 two ahead, each body by key, five properties, a running
// checksum, one WebSocket frame per message. Receiver: checksum, a scan of the body, a look-up of
// every announced document, one transaction for 200, a reply to each.
#include "CDivanFloors.h"
#include "peer.h"

#include <string.h>
#include <sys/wait.h>

enum { LIST = 200, AHEAD = 2, FLUSH = 1 << 16, ID = 32 };

static sqlite3_stmt *prepare(sqlite3 *db, const char *sql) {
    sqlite3_stmt *statement = NULL;
    sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
    return statement;
}

static int run(sqlite3 *db, const char *sql) {
    return sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK;
}

/// Announces the next documents; returns how many there were.
static size_t put_list(floor_peer *peer, sqlite3_stmt *scan, sqlite3_int64 *since) {
    static char text[LIST * 96];
    size_t length = 0, rows = 0;
    sqlite3_bind_int64(scan, 1, *since);
    while (rows < LIST && sqlite3_step(scan) == SQLITE_ROW) {
        *since = sqlite3_column_int64(scan, 0);
        length += (size_t)snprintf(text + length, sizeof text - length,
                                   "%s[%lld,\"%s\",\"1-%040d\",0]", rows++ ? "," : "[",
                                   (long long)*since, sqlite3_column_text(scan, 1), 7);
    }
    sqlite3_reset(scan);
    floor_put(peer, 'c', "", 0, text, length);
    return rows;
}

/// Sends the bodies of the documents that the peer wants, given by the list of their IDs.
static int put_bodies(floor_peer *peer, sqlite3_stmt *read, const char *ids, size_t length) {
    for (const char *id = ids; id < ids + length; id += strlen(id) + 1) {
        sqlite3_bind_text(read, 1, id, -1, SQLITE_STATIC);
        if (sqlite3_step(read) != SQLITE_ROW) return 0;
        char head[256];
        int size = snprintf(head, sizeof head,
                            "%cProfile%crev%cid%c%s%crev%c1-%040d%csequence%c%lld%c", 99, 0, 0, 0,
                            id, 0, 0, 7, 0, 0, (long long)sqlite3_column_int64(read, 0), 0);
        floor_put(peer, 'r', head, (size_t)size, sqlite3_column_blob(read, 1),
                  (size_t)sqlite3_column_bytes(read, 1));
        sqlite3_reset(read);
        if (floor_unwritten(peer) > FLUSH && !floor_flush(peer)) return 0;
    }
    return 1;
}

/// Sends all documents; returns when the other side has stored them and closed the connection.
static int give(floor_peer *peer, const char *path) {
    sqlite3 *db = floor_open(path);
    sqlite3_stmt *scan =
        prepare(db, "SELECT seq, docID FROM docs WHERE seq > ? ORDER BY seq LIMIT 200");
    sqlite3_stmt *read = prepare(db, "SELECT seq, body FROM docs WHERE docID = ?");
    sqlite3_int64 since = 0;
    size_t rows = 1, unanswered = 0;
    for (; unanswered < AHEAD; unanswered++) rows = put_list(peer, scan, &since);
    int ok = floor_flush(peer);
    while (ok && unanswered > 0) {
        floor_message wanted = floor_next(peer);
        ok = wanted.start != NULL;
        if (!ok || wanted.type != 'c') continue;
        unanswered -= 1;
        // The list is copied before more is put: both may share a buffer.
        static char ids[LIST * ID];
        memcpy(ids, wanted.start, wanted.length);
        ok = run(db, "BEGIN");
        if (rows > 0) rows = put_list(peer, scan, &since), unanswered++;
        ok = ok && put_bodies(peer, read, ids, wanted.length) && run(db, "COMMIT");
        ok = ok && floor_flush(peer);
    }
    while (ok && floor_next(peer).start) continue;
    sqlite3_finalize(scan);
    sqlite3_finalize(read);
    sqlite3_close(db);
    return ok;
}

/// Looks up every document of a list; replies with the IDs of all of them, which are wanted.
static int answer_list(floor_peer *peer, sqlite3_stmt *find, floor_message list) {
    static char wanted[LIST * ID];
    size_t size = 0;
    const char *at = (const char *)list.start, *end = at + list.length;
    while ((at = memchr(at, '"', (size_t)(end - at)))) {
        const char *id = at + 1, *close = memchr(id, '"', (size_t)(end - id));
        if (close == NULL || close - id >= ID) return 0;
        sqlite3_bind_text(find, 1, id, (int)(close - id), SQLITE_STATIC);
        if (sqlite3_step(find) == SQLITE_ROW) return 0;
        sqlite3_reset(find);
        memcpy(wanted + size, id, (size_t)(close - id));
        size += (size_t)(close - id);
        wanted[size++] = 0;
        at = memchr(close, ']', (size_t)(end - close));  // past the revision ID
        if (at == NULL) break;
    }
    floor_put(peer, 'c', "", 0, wanted, size);
    return floor_flush(peer);
}

/// Stores the document of one message under the next sequence.
static int store(floor_message message, sqlite3_stmt *insert, size_t sequence) {
    const char *start = (const char *)message.start;
    const char *id = start + 1 + sizeof "Profile" + sizeof "rev" + sizeof "id";
    const char *end = start + message.length;
    const char *body = memchr(id, '{', (size_t)(end - id));
    if (body == NULL || !floor_json_balances(body, (size_t)(end - body))) return 0;
    return floor_bind_row(insert, (sqlite3_int64)sequence, id, body, (size_t)(end - body));
}

/// Stores `count` documents.
static int take(floor_peer *peer, const char *path, size_t count) {
    sqlite3 *db = floor_open(path);
    sqlite3_stmt *find = prepare(db, "SELECT seq FROM docs WHERE docID = ?");
    sqlite3_stmt *insert = prepare(db, "INSERT INTO docs VALUES(?, ?, ?, ?, ?)");
    int ok = run(db, "BEGIN");
    for (size_t done = 0; ok && done < count;) {
        floor_message message = floor_next(peer);
        ok = message.start != NULL;
        if (ok && message.type == 'c') {
            ok = answer_list(peer, find, message);
            continue;
        }
        ok = ok && store(message, insert, ++done);
        floor_put(peer, 'r', "", 0, "", 0);
        if (done % LIST > 0 && done < count) continue;
        ok = ok && run(db, "COMMIT") && floor_flush(peer);
        if (done < count) ok = ok && run(db, "BEGIN");
    }
    sqlite3_finalize(find);
    sqlite3_finalize(insert);
    sqlite3_close(db);
    return ok;
}

/// One end of the connection and one of the two databases.
typedef struct {
    const char *path;
    int gives, connects, level;
    size_t count;
} party;

static int converse(party party, int socket) {
    SSL_CTX *context = party.connects ? floor_client_context() : floor_server_context();
    floor_peer peer = floor_new_peer(context, socket, party.connects, party.level);
    int ok = (party.connects ? SSL_connect(peer.ssl) : SSL_accept(peer.ssl)) == 1;
    ok = ok && (party.gives ? give(&peer, party.path) : take(&peer, party.path, party.count));
    floor_end_peer(&peer);
    return ok;
}

/// Fills the sender's database with the documents in turn, with ascending IDs.
static int fill(const char *path, const floor_documents *documents, size_t count) {
    sqlite3 *db = floor_open(path);
    if (db == NULL) return 0;
    sqlite3_stmt *insert = prepare(db, "INSERT INTO docs VALUES(?, ?, ?, ?, ?)");
    int ok = run(db, "BEGIN");
    for (size_t i = 0; ok && i < count; i++) {
        char id[ID];
        snprintf(id, sizeof id, "doc-%08zu", i);
        ok = floor_bind_row(insert, (sqlite3_int64)i + 1, id,
                            documents->bodies[i % documents->count],
                            documents->body_lengths[i % documents->count]);
        if (i % 1000 == 999) ok = ok && run(db, "COMMIT; BEGIN");
    }
    ok = ok && run(db, "COMMIT");
    sqlite3_finalize(insert);
    sqlite3_close(db);
    return ok;
}

double floor_sync(const char *directory, const floor_documents *documents, size_t count, int level,
                  int is_push) {
    char from[4096], to[4096];
    snprintf(from, sizeof from, "%s/floor-sender.sqlite", directory);
    snprintf(to, sizeof to, "%s/floor-receiver.sqlite", directory);
    floor_remove_database(from);
    floor_remove_database(to);
    if (!fill(from, documents, count)) return -1;
    party active = {is_push ? from : to, is_push, 1, level, count};
    party passive = {is_push ? to : from, !is_push, 0, level, count};
    int pair[2];
    if (floor_connect(pair)) return -1;
    pid_t child = fork();
    if (child == 0) _exit(close(pair[1]) || !converse(passive, pair[0]));
    close(pair[0]);
    double start = floor_now();
    int status = 0, ok = child > 0 && converse(active, pair[1]);
    double seconds = floor_now() - start;
    ok = waitpid(child, &status, 0) == child && status == 0 && ok;
    floor_remove_database(from);
    floor_remove_database(to);
    return ok ? seconds : -1;
}

double floor_copy_database(const char *directory, const floor_documents *documents, size_t count) {
    char from[4096], to[4096];
    snprintf(from, sizeof from, "%s/floor-source.sqlite", directory);
    snprintf(to, sizeof to, "%s/floor-target.sqlite", directory);
    floor_remove_database(from);
    floor_remove_database(to);
    sqlite3 *source = fill(from, documents, count) ? floor_open(from) : NULL;
    sqlite3 *target = floor_open(to);
    if (source == NULL || target == NULL) return -1;
    sqlite3_stmt *scan = prepare(source, "SELECT seq, docID, body FROM docs ORDER BY seq");
    sqlite3_stmt *insert = prepare(target, "INSERT INTO docs VALUES(?, ?, ?, ?, ?)");
    double start = floor_now();
    size_t done = 0;
    int ok = run(target, "BEGIN");
    while (ok && sqlite3_step(scan) == SQLITE_ROW) {
        ok = floor_bind_row(insert, (sqlite3_int64)++done,
                            (const char *)sqlite3_column_text(scan, 1),
                            sqlite3_column_blob(scan, 2), (size_t)sqlite3_column_bytes(scan, 2));
        if (done % LIST == 0) ok = ok && run(target, "COMMIT; BEGIN");
    }
    ok = ok && done == count && run(target, "COMMIT");
    double seconds = floor_now() - start;
    sqlite3_finalize(scan);
    sqlite3_finalize(insert);
    sqlite3_close(source);
    sqlite3_close(target);
    floor_remove_database(from);
    floor_remove_database(to);
    return ok ? seconds : -1;
}
