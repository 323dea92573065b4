import DivanCrypto

/// The code of a line: 32 bytes that depend on its content and on all lines before it.
public struct AuditCode: Hashable, Sendable {
    /// The code before the first line of a log.
    static let none = AuditCode(bytes: [UInt8](repeating: 0, count: SHA256.byteCount))

    /// Characters in the text of a code.
    static let textByteCount = 2 * SHA256.byteCount

    let bytes: [UInt8]

    fileprivate init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Reads a code as logs and servers write it: 64 hexadecimal digits in lower case; `nil` for other texts.
    public init?(_ text: some StringProtocol) {
        guard text.utf8.count == Self.textByteCount, let bytes = Hex.decode(text),
            // Another spelling would be a change of the line that its code does not cover.
            Hex.encode(bytes.span).utf8.elementsEqual(text.utf8)
        else { return nil }
        self.bytes = bytes
    }
}

extension AuditCode: CustomStringConvertible {
    /// 64 hexadecimal digits in lower case.
    public var description: String { Hex.encode(bytes.span) }
}

/// The secret with which the codes of a log are computed.
///
/// Without it, anyone who can write the file can also compute its codes.
public struct AuditKey: Sendable {
    /// The allowed sizes in bytes.
    public static let byteCounts = 16...1_024

    fileprivate let bytes: [UInt8]

    /// Uses the bytes of a key.
    ///
    /// - Throws: `AuditKeyError` if their number is not in `byteCounts`.
    public init(_ bytes: [UInt8]) throws(AuditKeyError) {
        guard Self.byteCounts.contains(bytes.count) else {
            throw AuditKeyError(byteCount: bytes.count)
        }
        self.bytes = bytes
    }
}

/// A key that is too short or too long.
public struct AuditKeyError: Error, Equatable, CustomStringConvertible {
    /// The size of the rejected key in bytes.
    public let byteCount: Int

    /// One line: problem, remedy.
    public var description: String {
        "the key of the audit log has \(byteCount) bytes; use \(AuditKey.byteCounts.lowerBound) to "
            + "\(AuditKey.byteCounts.upperBound), such as the output of 'openssl rand -hex 32'"
    }
}

/// Computes the codes of lines.
struct AuditChain: Sendable {
    /// Identifies the key without revealing it; `nil` without a key.
    let keyID: String?
    private let keyed: HMACSHA256?

    init(_ key: AuditKey?) {
        keyed = key.map { HMACSHA256(key: $0.bytes.span) }
        keyID = keyed.map { keyed in
            var hmac = keyed
            hmac.update(Array("divan audit key".utf8).span)
            return Hex.encode(hmac.finalize().span.extracting(first: 8))
        }
    }

    /// The code of a line with this content after a line with the code `previous`.
    func code(of content: Span<UInt8>, after previous: AuditCode) -> AuditCode {
        if var hmac = keyed {
            hmac.update(previous.bytes.span)
            hmac.update(content)
            return AuditCode(bytes: hmac.finalize())
        }
        var digest = SHA256()
        digest.update(previous.bytes.span)
        digest.update(content)
        return AuditCode(bytes: digest.finalize())
    }
}
