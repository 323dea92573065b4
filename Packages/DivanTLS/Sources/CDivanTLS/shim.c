#include "CDivanTLS.h"

int divan_tls_set_versions(SSL_CTX *context, int oldest, int newest) {
    return SSL_CTX_set_min_proto_version(context, oldest) == 1
        && SSL_CTX_set_max_proto_version(context, newest) == 1;
}

void divan_tls_set_modes(SSL_CTX *context, long presented_byte_count) {
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_read_ahead(context, 1);
    SSL_CTX_set_max_cert_list(context, presented_byte_count);
}

int divan_tls_set_groups(SSL_CTX *context, const char *groups) {
    return (int)SSL_CTX_set1_groups_list(context, groups);
}

int divan_tls_add_chain_certificate(SSL_CTX *context, X509 *certificate) {
    return (int)SSL_CTX_add1_chain_cert(context, certificate);
}

int divan_tls_set_server_name(SSL *session, const char *name) {
    return (int)SSL_set_tlsext_host_name(session, name);
}

void divan_tls_report_sessions(SSL_CTX *context) {
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
}

uint64_t divan_tls_options(int has_tickets) {
    return SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | (has_tickets ? 0 : SSL_OP_NO_TICKET)
        | SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA;
}

STACK_OF(X509) *divan_tls_stack_new(void) { return sk_X509_new_null(); }

int divan_tls_stack_push_copy(STACK_OF(X509) *stack, X509 *certificate) {
    if (X509_up_ref(certificate) != 1) return 0;
    if (sk_X509_push(stack, certificate) > 0) return 1;
    X509_free(certificate);
    return 0;
}

int divan_tls_stack_count(const STACK_OF(X509) *stack) {
    return stack == NULL ? 0 : sk_X509_num(stack);
}

X509 *divan_tls_stack_item(const STACK_OF(X509) *stack, int index) {
    return sk_X509_value(stack, index);
}

void divan_tls_stack_free(STACK_OF(X509) *stack) { sk_X509_pop_free(stack, X509_free); }

GENERAL_NAMES *divan_tls_names_new(void) { return sk_GENERAL_NAME_new_null(); }

int divan_tls_names_push(GENERAL_NAMES *names, GENERAL_NAME *name) {
    return sk_GENERAL_NAME_push(names, name) > 0;
}

int divan_tls_names_count(const GENERAL_NAMES *names) {
    return names == NULL ? 0 : sk_GENERAL_NAME_num(names);
}

GENERAL_NAME *divan_tls_names_item(const GENERAL_NAMES *names, int index) {
    return sk_GENERAL_NAME_value(names, index);
}

int divan_tls_add_extension(X509 *certificate, X509 *issuer, int nid, const char *value) {
    X509V3_CTX context;
    X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, nid, value);
    if (extension == NULL) return 0;
    int added = X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
    return added;
}

OSSL_LIB_CTX *divan_tls_legacy_context(void) {
    OSSL_LIB_CTX *context = OSSL_LIB_CTX_new();
    if (context == NULL) return NULL;
    // Freeing the context unloads both.
    if (OSSL_PROVIDER_load(context, "default") != NULL
        && OSSL_PROVIDER_load(context, "legacy") != NULL) {
        return context;
    }
    OSSL_LIB_CTX_free(context);
    return NULL;
}

PKCS12 *divan_tls_read_pkcs12(OSSL_LIB_CTX *context, const unsigned char *bytes, long count) {
    PKCS12 *file = PKCS12_init_ex(NID_pkcs7_data, context, NULL);
    if (file == NULL) return NULL;
    if (d2i_PKCS12(&file, &bytes, count) != NULL) return file;
    PKCS12_free(file);  // NULL by now where OpenSSL has freed it already
    return NULL;
}

// PKCS12_parse of OpenSSL 3.0 looks up the cipher of the key in the default context, but those of the certificates in
// the file's.
static EVP_PKEY *bag_key(
    OSSL_LIB_CTX *context, const STACK_OF(PKCS12_SAFEBAG) *bags, const char *password
) {
    EVP_PKEY *key = NULL;
    for (int index = 0; key == NULL && index < sk_PKCS12_SAFEBAG_num(bags); index++) {
        const PKCS12_SAFEBAG *bag = sk_PKCS12_SAFEBAG_value(bags, index);
        int kind = PKCS12_SAFEBAG_get_nid(bag);
        // A plain key, next to encrypted certificates.
        if (kind == NID_keyBag)
            key = EVP_PKCS82PKEY_ex(PKCS12_SAFEBAG_get0_p8inf(bag), context, NULL);
        if (kind != NID_pkcs8ShroudedKeyBag) continue;
        PKCS8_PRIV_KEY_INFO *opened = PKCS12_decrypt_skey_ex(bag, password, -1, context, NULL);
        if (opened == NULL) return NULL;
        key = EVP_PKCS82PKEY_ex(opened, context, NULL);
        PKCS8_PRIV_KEY_INFO_free(opened);
    }
    return key;
}

static EVP_PKEY *pkcs12_key(OSSL_LIB_CTX *context, PKCS12 *file, const char *password) {
    STACK_OF(PKCS7) *safes = PKCS12_unpack_authsafes(file);
    EVP_PKEY *key = NULL;
    for (int index = 0; key == NULL && index < sk_PKCS7_num(safes); index++) {
        PKCS7 *safe = sk_PKCS7_value(safes, index);
        STACK_OF(PKCS12_SAFEBAG) *bags = NULL;
        if (PKCS7_type_is_data(safe)) bags = PKCS12_unpack_p7data(safe);
        if (PKCS7_type_is_encrypted(safe)) bags = PKCS12_unpack_p7encdata(safe, password, -1);
        if (bags == NULL) continue;
        key = bag_key(context, bags, password);
        sk_PKCS12_SAFEBAG_pop_free(bags, PKCS12_SAFEBAG_free);
    }
    sk_PKCS7_pop_free(safes, PKCS7_free);
    return key;
}

int divan_tls_parse_pkcs12(
    OSSL_LIB_CTX *context, PKCS12 *file, const char *password, EVP_PKEY **key, X509 **leaf,
    STACK_OF(X509) **others
) {
    if (context == NULL) return PKCS12_parse(file, password, key, leaf, others);
    // As PKCS12_parse does: a file without a password is protected by none, or by an empty one.
    if (password == NULL || *password == 0)
        password = !PKCS12_mac_present(file) || PKCS12_verify_mac(file, NULL, 0) == 1 ? NULL : "";
    if (PKCS12_parse(file, password, NULL, NULL, others) != 1) return 0;
    *key = pkcs12_key(context, file, password);
    for (int index = 0; *key != NULL && index < sk_X509_num(*others); index++) {
        if (X509_check_private_key(sk_X509_value(*others, index), *key) != 1) continue;
        *leaf = sk_X509_delete(*others, index);
        break;
    }
    ERR_clear_error();  // of those that the key does not fit
    return 1;
}

typedef int (*security_callback)(const SSL *, const SSL_CTX *, int, int, int, void *, void *);

// OpenSSL's own call-back, the same for every context.
static _Atomic(security_callback) standard_callback;

static int any_own_digest(
    const SSL *session, const SSL_CTX *context, int operation, int bits, int nid, void *other,
    void *extra
) {
    // Without SSL_SECOP_PEER: the signature of a certificate that this side presents.
    if (operation == SSL_SECOP_CA_MD) return 1;
    return standard_callback(session, context, operation, bits, nid, other, extra);
}

void divan_tls_present_any_digest(SSL_CTX *context) {
    standard_callback = SSL_CTX_get_security_callback(context);
    SSL_CTX_set_security_callback(context, any_own_digest);
}

long divan_tls_memory(BIO *bio, char **bytes) { return BIO_get_mem_data(bio, bytes); }

int divan_tls_seconds(const ASN1_TIME *time, int64_t *seconds) {
    struct tm parts;
    if (ASN1_TIME_to_tm(time, &parts) != 1) return 0;
    *seconds = timegm(&parts);
    return 1;
}
