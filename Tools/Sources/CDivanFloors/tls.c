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

double floor_tls_memory(size_t bytes) {
    SSL_CTX *server_context = floor_server_context(), *client_context = floor_client_context();
    SSL *server = SSL_new(server_context), *client = SSL_new(client_context);
    BIO *server_in = BIO_new(BIO_s_mem()), *server_out = BIO_new(BIO_s_mem());
    BIO *client_in = BIO_new(BIO_s_mem()), *client_out = BIO_new(BIO_s_mem());
    SSL_set_bio(server, server_in, server_out);
    SSL_set_bio(client, client_in, client_out);
    SSL_set_accept_state(server);
    SSL_set_connect_state(client);
    for (int i = 0; i < 10; i++) {
        SSL_do_handshake(client);
        move(client_out, server_in);
        SSL_do_handshake(server);
        move(server_out, client_in);
    }
    char plain[16384], read[16384];
    memset(plain, 7, sizeof plain);
    size_t received = 0;
    double start = floor_now();
    int ok = SSL_is_init_finished(server) && SSL_is_init_finished(client);
    while (ok && received < bytes) {
        ok = SSL_write(client, plain, sizeof plain) == (int)sizeof plain;
        move(client_out, server_in);
        int count;
        while ((count = SSL_read(server, read, sizeof read)) > 0) received += (size_t)count;
    }
    double seconds = floor_now() - start;
    SSL_free(server);
    SSL_free(client);
    SSL_CTX_free(server_context);
    SSL_CTX_free(client_context);
    return ok ? seconds : -1;
}
