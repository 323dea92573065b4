import Glibc

/// The `errno` values that the rules for retrying name.
///
/// They are Linux's numbers: a POSIX code from another platform must not be looked up here.
///
/// Source: `errors.md` §7.
enum PlatformError {
    static let transient: Set<Int> = [
        Int(ENETRESET), Int(ECONNABORTED), Int(ECONNRESET), Int(ETIMEDOUT), Int(ECONNREFUSED),
    ]

    static let networkDependent: Set<Int> = [
        Int(ENETDOWN), Int(ENETUNREACH), Int(ENOTCONN), Int(ETIMEDOUT), Int(EHOSTDOWN),
        Int(EHOSTUNREACH), Int(EADDRNOTAVAIL), Int(EPIPE),
    ]

    static let diskFull = Int(ENOSPC)
}
