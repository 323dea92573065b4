// The floor of an encrypted blob: OpenSSL decrypts chunks of 64 KiB from the system's cache.
#include "CDivanFloors.h"
#include "floors.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNK = 64 << 10, TAG = 16 };

static const unsigned char key[32] = "a key of thirty-two bytes, plain";

static void nonce_of(size_t number, unsigned char nonce[12]) {
    memset(nonce, 0, 12);
    for (int place = 0; place < 8; place++) nonce[11 - place] = (unsigned char)(number >> 8 * place);
}

static int write_chunks(int file, EVP_CIPHER_CTX *context, size_t count) {
    static unsigned char plain[CHUNK], sealed[CHUNK + TAG];
    unsigned char nonce[12];
    int size = 0, ok = EVP_EncryptInit_ex(context, EVP_aes_256_gcm(), NULL, key, NULL) == 1;
    for (size_t number = 0; ok && number < count; number++) {
        nonce_of(number, nonce);
        memset(plain, (int)number, CHUNK);
        ok = EVP_EncryptInit_ex(context, NULL, NULL, NULL, nonce) == 1
            && EVP_EncryptUpdate(context, sealed, &size, plain, CHUNK) == 1
            && EVP_EncryptFinal_ex(context, sealed + CHUNK, &size) == 1
            && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, TAG, sealed + CHUNK) == 1
            && write(file, sealed, sizeof sealed) == (ssize_t)sizeof sealed;
    }
    return ok;
}

static int read_chunks(int file, EVP_CIPHER_CTX *context, size_t count) {
    static unsigned char plain[CHUNK], sealed[CHUNK + TAG];
    unsigned char nonce[12];
    int size = 0, ok = EVP_DecryptInit_ex(context, EVP_aes_256_gcm(), NULL, key, NULL) == 1;
    for (size_t number = 0; ok && number < count; number++) {
        nonce_of(number, nonce);
        off_t place = (off_t)(number * sizeof sealed);
        ok = pread(file, sealed, sizeof sealed, place) == (ssize_t)sizeof sealed
            && EVP_DecryptInit_ex(context, NULL, NULL, NULL, nonce) == 1
            && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, TAG, sealed + CHUNK) == 1
            && EVP_DecryptUpdate(context, plain, &size, sealed, CHUNK) == 1
            && EVP_DecryptFinal_ex(context, plain + CHUNK, &size) == 1;
    }
    return ok;
}

double floor_sealed_read(const char *path, size_t bytes) {
    int file = open(path, O_CREAT | O_TRUNC | O_RDWR, 0600);
    EVP_CIPHER_CTX *sealing = EVP_CIPHER_CTX_new(), *opening = EVP_CIPHER_CTX_new();
    int ok = file >= 0 && sealing && opening && write_chunks(file, sealing, bytes / CHUNK);
    double start = floor_now();
    ok = ok && read_chunks(file, opening, bytes / CHUNK);
    double seconds = floor_now() - start;
    EVP_CIPHER_CTX_free(sealing);
    EVP_CIPHER_CTX_free(opening);
    if (file >= 0) close(file);
    unlink(path);
    return ok ? seconds : -1;
}

/// How many pages of a file are in the system's cache; -1 if unknown.
static long resident_pages(int file, size_t bytes) {
    size_t count = (bytes + 4095) / 4096;
    unsigned char *pages = malloc(count);
    void *map = mmap(NULL, bytes, PROT_READ, MAP_SHARED, file, 0);
    long resident = pages && map != MAP_FAILED && mincore(map, bytes, pages) == 0 ? 0 : -1;
    for (size_t page = 0; resident >= 0 && page < count; page++) resident += pages[page] & 1;
    if (map != MAP_FAILED) munmap(map, bytes);
    free(pages);
    return resident;
}

int floor_evict(const char *path) {
    struct stat status;
    int file = open(path, O_RDONLY);
    int ok = file >= 0 && fstat(file, &status) == 0 && fdatasync(file) == 0
        && posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED) == 0
        && resident_pages(file, (size_t)status.st_size) == 0;
    if (file >= 0) close(file);
    return ok ? 0 : -1;
}
