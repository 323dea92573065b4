import DivanPlatform

/// An invalid key, a source without a key, or encrypted bytes that cannot be decrypted.
public enum SealError: Error, Equatable, Sendable {
    /// The key does not have 32 bytes.
    case keyLength(byteCount: Int)
    /// The password is empty or longer than 1,024 bytes.
    case passwordLength(byteCount: Int)
    /// The source provided no key; the source, and the reason with the remedy.
    case source(String, detail: String)
    /// The data was encrypted with another key.
    case otherKey
    /// The encrypted data was changed or replaced.
    case damaged
    /// There is not enough memory, or random numbers are not available.
    case library
}

extension SealError {
    /// A source that the system does not read.
    static func unreadable(_ source: String, _ reason: Errno) -> SealError {
        .source(source, detail: "\(reason); check that it exists and is readable")
    }
}

extension SealError: CustomStringConvertible {
    /// One line: location, problem, remedy.
    public var description: String {
        switch self {
        case .keyLength(let byteCount):
            "key: invalid length of \(byteCount) bytes; use 32 bytes, or 64 hexadecimal digits"
        case .passwordLength(let byteCount):
            "password: invalid length of \(byteCount) bytes; use 1 to "
                + "\(SealLimits.passwordByteCount) bytes"
        case .source(let source, let detail):
            "key from \(source): \(detail)"
        case .otherKey:
            "encrypted data: wrong encryption key; use the key that encrypted it"
        case .damaged:
            "encrypted data: damaged; restore a backup, or pull it again"
        case .library:
            "OpenSSL: out of memory or random numbers; free memory and try again"
        }
    }
}
