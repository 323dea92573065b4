#ifndef CDIVANAUTH_H
#define CDIVANAUTH_H

#include <stddef.h>
#include <stdint.h>

// A public key with which signatures of tokens are verified.
typedef struct evp_pkey_st divan_token_key;

// Each returns NULL if the numbers are no key of the kind.
divan_token_key *divan_token_key_rsa(const uint8_t *modulus, size_t modulus_count,
                                     const uint8_t *exponent, size_t exponent_count);
// The coordinates of a point on P-256, each of 32 bytes.
divan_token_key *divan_token_key_p256(const uint8_t x[32], const uint8_t y[32]);
divan_token_key *divan_token_key_ed25519(const uint8_t bytes[32]);
void divan_token_key_free(divan_token_key *key);

// Each returns 1 if the signature of the message is valid.
// RSASSA-PKCS1-v1_5 with SHA-256.
int divan_token_verify_rs256(divan_token_key *key, const uint8_t *message, size_t message_count,
                             const uint8_t *signature, size_t signature_count);
// ECDSA with SHA-256; the signature consists of two numbers of 32 bytes.
int divan_token_verify_es256(divan_token_key *key, const uint8_t *message, size_t message_count,
                             const uint8_t signature[64]);
int divan_token_verify_ed25519(divan_token_key *key, const uint8_t *message, size_t message_count,
                               const uint8_t signature[64]);

#endif
