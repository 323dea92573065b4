#if !__has_include(<openssl/core_names.h>)
#error "The headers of OpenSSL 3 are missing; run: sudo apt-get install libssl-dev"
#endif

#include "CDivanAuth.h"

#include <limits.h>
#include <string.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>

static EVP_PKEY *key_from(const char *kind, OSSL_PARAM *parameters) {
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, kind, NULL);
    if (context != NULL && EVP_PKEY_fromdata_init(context) == 1 &&
        EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, parameters) != 1)
        key = NULL;
    EVP_PKEY_CTX_free(context);
    ERR_clear_error();
    return key;
}

divan_token_key *divan_token_key_rsa(const uint8_t *modulus, size_t modulus_count,
                                     const uint8_t *exponent, size_t exponent_count) {
    if (modulus_count > INT_MAX || exponent_count > INT_MAX) return NULL;
    EVP_PKEY *key = NULL;
    OSSL_PARAM *parameters = NULL;
    BIGNUM *n = BN_bin2bn(modulus, (int)modulus_count, NULL);
    BIGNUM *e = BN_bin2bn(exponent, (int)exponent_count, NULL);
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    if (n != NULL && e != NULL && builder != NULL &&
        OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, n) == 1 &&
        OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, e) == 1)
        parameters = OSSL_PARAM_BLD_to_param(builder);
    if (parameters != NULL) key = key_from("RSA", parameters);
    OSSL_PARAM_free(parameters);
    OSSL_PARAM_BLD_free(builder);
    BN_free(n);
    BN_free(e);
    ERR_clear_error();
    return key;
}

divan_token_key *divan_token_key_p256(const uint8_t x[32], const uint8_t y[32]) {
    uint8_t point[65] = {4};
    memcpy(point + 1, x, 32);
    memcpy(point + 33, y, 32);
    char group[] = "P-256";
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, group, 0),
        OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, point, sizeof point),
        OSSL_PARAM_construct_end(),
    };
    // Refuses a point that is not on the curve.
    return key_from("EC", parameters);
}

divan_token_key *divan_token_key_ed25519(const uint8_t bytes[32]) {
    EVP_PKEY *key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, bytes, 32);
    ERR_clear_error();
    return key;
}

void divan_token_key_free(divan_token_key *key) { EVP_PKEY_free(key); }

static int verify(EVP_PKEY *key, const EVP_MD *digest,
                  const uint8_t *message, size_t message_count,
                  const uint8_t *signature, size_t signature_count) {
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    int is_valid = context != NULL &&
                   EVP_DigestVerifyInit(context, NULL, digest, NULL, key) == 1 &&
                   EVP_DigestVerify(context, signature, signature_count,
                                    message, message_count) == 1;
    EVP_MD_CTX_free(context);
    // A wrong signature leaves errors, which the next failure would report.
    ERR_clear_error();
    return is_valid;
}

int divan_token_verify_rs256(divan_token_key *key, const uint8_t *message, size_t message_count,
                             const uint8_t *signature, size_t signature_count) {
    if (!EVP_PKEY_is_a(key, "RSA")) return 0;
    return verify(key, EVP_sha256(), message, message_count, signature, signature_count);
}

int divan_token_verify_es256(divan_token_key *key, const uint8_t *message, size_t message_count,
                             const uint8_t signature[64]) {
    if (!EVP_PKEY_is_a(key, "EC")) return 0;
    int is_valid = 0;
    unsigned char *der = NULL;
    BIGNUM *r = BN_bin2bn(signature, 32, NULL);
    BIGNUM *s = BN_bin2bn(signature + 32, 32, NULL);
    ECDSA_SIG *numbers = ECDSA_SIG_new();
    if (r != NULL && s != NULL && numbers != NULL && ECDSA_SIG_set0(numbers, r, s) == 1) {
        // They belong to `numbers` now.
        r = s = NULL;
        int count = i2d_ECDSA_SIG(numbers, &der);
        if (count > 0)
            is_valid = verify(key, EVP_sha256(), message, message_count, der, (size_t)count);
    }
    OPENSSL_free(der);
    ECDSA_SIG_free(numbers);
    BN_free(r);
    BN_free(s);
    ERR_clear_error();
    return is_valid;
}

int divan_token_verify_ed25519(divan_token_key *key, const uint8_t *message, size_t message_count,
                               const uint8_t signature[64]) {
    if (!EVP_PKEY_is_a(key, "ED25519")) return 0;
    return verify(key, NULL, message, message_count, signature, 64);
}
