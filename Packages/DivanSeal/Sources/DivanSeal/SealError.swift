/// A key that is none, a source that gives none, or sealed bytes that do not open.
public enum SealError: Error, Equatable, Sendable {
    /// A key has 32 bytes, this one another number.
    case keyLength(byteCount: Int)
    /// A password has 1 to 1,024 bytes.
    case passwordLength(byteCount: Int)
    /// A source gave no key; which source, and why.
    case source(String, detail: String)
    /// The content was sealed with another key.
    case otherKey
    /// The content is not as it was sealed, or is not this one.
    case damaged
    /// Memory or random numbers are missing.
    case library
}

extension SealError: CustomStringConvertible {
    /// One line: place, problem, remedy.
    public var description: String {
        switch self {
        case .keyLength(let byteCount):
            "key: \(byteCount) bytes; a key has 32, as bytes or as 64 hexadecimal digits"
        case .passwordLength(let byteCount):
            "password: \(byteCount) bytes; use 1 to \(SealLimits.passwordByteCount)"
        case .source(let source, let detail):
            "key from \(source): \(detail); check it, and that it may be read"
        case .otherKey:
            "sealed content: another key sealed it; use that one"
        case .damaged:
            "sealed content: it is not what was written; restore it, or fetch it again"
        case .library:
            "OpenSSL: no memory or no random numbers; free memory and try again"
        }
    }
}
