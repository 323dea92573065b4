#ifndef CDIVAN_HOLDER_H
#define CDIVAN_HOLDER_H

#include <stddef.h>
#include <stdint.h>

/// Listens on a socket that only this user may use. Returns the descriptor, or -1 with `errno`.
///
/// `directory` is an open directory, so that the length of its path does not matter.
int divan_holder_listen(int directory, const char *name);

/// Connects to such a socket. Returns the descriptor, or -1 with `errno`.
int divan_holder_connect(int directory, const char *name);

/// Gets the user and the process at the other end. Returns 0 on success.
int divan_holder_peer(int socket, uint32_t *user, int32_t *process);

/// Sends one byte with open files. Returns 0 on success.
int divan_holder_send_files(int socket, const int *files, size_t count);

/// Receives one byte with open files. Returns how many, or -1. If there are too many, all are closed.
int divan_holder_receive_files(int socket, int *files, size_t count);

/// Gives the calling thread its own working directory. Returns 0 on success; also where the system
/// forbids that, as containers do, if the process already is in this directory.
int divan_holder_enter(int directory);

#endif
