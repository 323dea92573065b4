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
        return .source(source, detail: "\(reason); check it, and that it may be read")
    }
}

extension SealError: CustomStringConvertible {
    /// One line: location, problem, remedy.
    public var description: String {
        switch self {
        case .keyLength(let byteCount):
            "key: \(byteCount) bytes; a key has 32, as bytes or as 64 hexadecimal digits"
        case .passwordLength(let byteCount):
            "password: \(byteCount) bytes; use 1 to \(SealLimits.passwordByteCount)"
        case .source(let source, let detail):
            "key from \(source): \(detail)"
        case .otherKey:
            "sealed content: another key sealed it; use that one"
        case .damaged:
            "sealed content: it is not what was written; restore it, or fetch it again"
        case .library:
            "OpenSSL: no memory or no random numbers; free memory and try again"
        }
    }
}
