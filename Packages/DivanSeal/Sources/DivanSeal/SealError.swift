internal import Glibc

/// An invalid key, a source that provides none, or sealed bytes that do not open.
public enum SealError: Error, Equatable, Sendable {
    /// A key has 32 bytes, this one has another number.
    case keyLength(byteCount: Int)
    /// A password has 1 to 1,024 bytes.
    case passwordLength(byteCount: Int)
    /// A source provided no key; which source, why, and what to do.
    case source(String, detail: String)
    /// The data were sealed with another key.
    case otherKey
    /// The data differ from what was sealed, or are not the expected ones.
    case damaged
    /// There is not enough memory, or there are no random numbers.
    case library
}

extension SealError {
    /// A source that the system does not read.
    static func unreadable(_ source: String, _ number: Int32) -> SealError {
        let reason = String(cString: strerror(number))
        return .source(source, detail: "\(reason); check that it exists and is readable")
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
