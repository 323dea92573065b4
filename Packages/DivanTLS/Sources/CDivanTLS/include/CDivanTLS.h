#ifndef CDIVANTLS_H
#define CDIVANTLS_H

#if !__has_include(<openssl/ssl.h>)
#error "The headers of OpenSSL 3 are missing; run: sudo apt-get install libssl-dev"
#endif

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/provider.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// OpenSSL offers these as macros, which Swift cannot call.

int divan_tls_set_versions(SSL_CTX *context, int oldest, int newest);
void divan_tls_set_modes(SSL_CTX *context, long presented_byte_count);
int divan_tls_set_groups(SSL_CTX *context, const char *groups);
int divan_tls_add_chain_certificate(SSL_CTX *context, X509 *certificate);
int divan_tls_set_server_name(SSL *session, const char *name);
uint64_t divan_tls_options(int has_tickets);

/// Enables the new-session call-back on a client; OpenSSL itself keeps no sessions.
void divan_tls_report_sessions(SSL_CTX *context);

STACK_OF(X509) *divan_tls_stack_new(void);
int divan_tls_stack_push_copy(STACK_OF(X509) *stack, X509 *certificate);
int divan_tls_stack_count(const STACK_OF(X509) *stack);
X509 *divan_tls_stack_item(const STACK_OF(X509) *stack, int index);
void divan_tls_stack_free(STACK_OF(X509) *stack);

GENERAL_NAMES *divan_tls_names_new(void);
int divan_tls_names_push(GENERAL_NAMES *names, GENERAL_NAME *name);
int divan_tls_names_count(const GENERAL_NAMES *names);
GENERAL_NAME *divan_tls_names_item(const GENERAL_NAMES *names, int index);

/// Adds an extension written in OpenSSL's configuration syntax; `value` is never a user's text.
int divan_tls_add_extension(X509 *certificate, X509 *issuer, int nid, const char *value);

/// A separate library context with the default and the legacy provider; NULL if the latter is not installed. Free it
/// with OSSL_LIB_CTX_free.
OSSL_LIB_CTX *divan_tls_legacy_context(void);

/// Reads a file whose parts are decrypted with the algorithms of `context`; NULL means the default one.
PKCS12 *divan_tls_read_pkcs12(OSSL_LIB_CTX *context, const unsigned char *bytes, long count);

/// Opens it like PKCS12_parse, but decrypts the key with the algorithms of `context`, too.
int divan_tls_parse_pkcs12(
    OSSL_LIB_CTX *context, PKCS12 *file, const char *password, EVP_PKEY **key, X509 **leaf,
    STACK_OF(X509) **others
);

/// Lets the context present certificates with any signature digest, even SHA-1: the peer judges them. Certificates that
/// the peer presents are judged as before.
void divan_tls_present_any_digest(SSL_CTX *context);

long divan_tls_memory(BIO *bio, char **bytes);

/// Converts a time to seconds since the start of 1970. Returns 1 on success.
int divan_tls_seconds(const ASN1_TIME *time, int64_t *seconds);

#endif
