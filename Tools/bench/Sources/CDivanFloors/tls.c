#include "CDivanFloors.h"
#include "floors.h"

#include <openssl/evp.h>
#include <openssl/x509.h>
#include <stdlib.h>
#include <string.h>

SSL_CTX *floor_server_context(void) {
    SSL_CTX *context = SSL_CTX_new(TLS_server_method());
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *certificate = X509_new();
    X509_set_version(certificate, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate), -60);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 86400);
    X509_set_pubkey(certificate, key);
    X509_NAME *name = X509_get_subject_name(certificate);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)"floor", -1, -1, 0);
    X509_set_issuer_name(certificate, name);
    X509_sign(certificate, key, EVP_sha256());
    SSL_CTX_use_certificate(context, certificate);
    SSL_CTX_use_PrivateKey(context, key);
    SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION);
    SSL_CTX_set_ciphersuites(context, "TLS_AES_128_GCM_SHA256");
    SSL_CTX_set_num_tickets(context, 0);
    X509_free(certificate);
    EVP_PKEY_free(key);
    return context;
}

SSL_CTX *floor_client_context(void) {
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    SSL_CTX_set_verify(context, SSL_VERIFY_NONE, NULL);
    SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION);
    return context;
}

static void move(BIO *from, BIO *to) {
    char buffer[32768];
    int count;
    while ((count = BIO_read(from, buffer, sizeof buffer)) > 0) BIO_write(to, buffer, count);
}

/// Two ends of one connection in memory.
typedef struct {
    SSL *server, *client;
    BIO *server_in, *server_out, *client_in, *client_out;
} memory_pair;

static memory_pair new_pair(SSL_CTX *server_context, SSL_CTX *client_context) {
    memory_pair p = {SSL_new(server_context), SSL_new(client_context), BIO_new(BIO_s_mem()),
                     BIO_new(BIO_s_mem()),    BIO_new(BIO_s_mem()),    BIO_new(BIO_s_mem())};
    SSL_set_bio(p.server, p.server_in, p.server_out);
    SSL_set_bio(p.client, p.client_in, p.client_out);
    SSL_set_accept_state(p.server);
    SSL_set_connect_state(p.client);
    return p;
}

static int shake_hands(memory_pair *p) {
    for (int i = 0; i < 10 && !SSL_is_init_finished(p->server); i++) {
        SSL_do_handshake(p->client);
        move(p->client_out, p->server_in);
        SSL_do_handshake(p->server);
        move(p->server_out, p->client_in);
    }
    return SSL_is_init_finished(p->server) && SSL_is_init_finished(p->client);
}

static void free_pair(memory_pair *p) {
    SSL_free(p->server);
    SSL_free(p->client);
}

double floor_tls_memory(size_t bytes) {
    SSL_CTX *server_context = floor_server_context(), *client_context = floor_client_context();
    memory_pair p = new_pair(server_context, client_context);
    int ok = shake_hands(&p);
    char plain[16384], read[16384];
    memset(plain, 7, sizeof plain);
    size_t received = 0;
    double start = floor_work();
    while (ok && received < bytes) {
        ok = SSL_write(p.client, plain, sizeof plain) == (int)sizeof plain;
        move(p.client_out, p.server_in);
        int count;
        while ((count = SSL_read(p.server, read, sizeof read)) > 0) received += (size_t)count;
    }
    double seconds = floor_work() - start;
    free_pair(&p);
    SSL_CTX_free(server_context);
    SSL_CTX_free(client_context);
    return ok ? seconds : -1;
}

double floor_tls_handshakes(size_t count) {
    SSL_CTX *server_context = floor_server_context(), *client_context = floor_client_context();
    int ok = 1;
    double start = floor_work();
    for (size_t i = 0; ok && i < count; i++) {
        memory_pair p = new_pair(server_context, client_context);
        ok = shake_hands(&p);
        free_pair(&p);
    }
    double seconds = floor_work() - start;
    SSL_CTX_free(server_context);
    SSL_CTX_free(client_context);
    return ok ? seconds : -1;
}
