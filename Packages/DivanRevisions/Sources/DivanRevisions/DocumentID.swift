internal import DivanJSON

/// The ID of a document within its collection.
///
/// Two IDs are equal when their bytes are: `String` would treat U+212B, U+00C5 and A with U+030A as one key of a
/// dictionary, but they are three documents of a database. A `DocumentID` need not be checked again: a local ID has
/// passed `init(checking:)`, an ID from a peer `init(received:)`.
///
/// It is in this package because a revision ID is incomplete without its document ID, and both resolvers and stores
/// depend on this package.
///
/// Source: `revisions.md` §3.
public struct DocumentID: Hashable, Sendable {
    private let exact: ExactText

    /// The ID as text, for display and sending; never use it as a key.
    public var text: String { exact.text }

    /// Checks the ID of a new document: 1 to 240 bytes, no control characters, no leading `_`, which all peers and
    /// servers accept.
    ///
    /// - Throws: `DocumentIDError` with the reason and the remedy.
    public init(checking text: String) throws(DocumentIDError) {
        try self.init(text, limit: DocumentIDLimits.byteCount) { $0 < 0x20 || $0 == 0x7F }
    }

    /// Checks a document ID that a peer sent: up to 255 bytes, no NUL, which ends strings in the protocol, and no
    /// leading `_`, which is reserved for the protocol.
    ///
    /// - Throws: `DocumentIDError` with the reason.
    public init(received text: String) throws(DocumentIDError) {
        try self.init(text, limit: DocumentIDLimits.receivedByteCount) { $0 == 0 }
    }

    /// Creates an ID from text that was checked before it was stored, or that is only looked up.
    ///
    /// An ID that no document can have finds no document. Do not store a new document with such an ID.
    public init(unchecked text: String) {
        exact = ExactText(text)
    }

    private init(
        _ text: String,
        limit: Int,
        isRefused: (UInt8) -> Bool
    ) throws(DocumentIDError) {
        let bytes = text.utf8.span
        guard (1...limit).contains(bytes.count) else {
            throw DocumentIDError(.length(bytes.count, limit: limit), in: text)
        }
        guard bytes[0] != UInt8(ascii: "_") else { throw DocumentIDError(.underscore, in: text) }
        for index in bytes.indices where isRefused(bytes[index]) {
            throw DocumentIDError(.controlCharacter, in: text)
        }
        exact = ExactText(text)
    }
}

extension DocumentID: Comparable {
    /// Whether one ID comes before another in the order of UTF-8 bytes, which is the order of the store.
    public static func < (left: DocumentID, right: DocumentID) -> Bool {
        left.exact < right.exact
    }
}

extension DocumentID: ExpressibleByStringLiteral {
    /// Creates an ID from a literal, which is not checked.
    public init(stringLiteral text: String) {
        self.init(unchecked: text)
    }
}

extension DocumentID: CustomStringConvertible {
    /// The ID as text.
    public var description: String { text }
}

/// Limits on document IDs.
public enum DocumentIDLimits {
    /// UTF-8 bytes in the ID of a new document: 240, which all peers and servers accept.
    public static let byteCount = 240
    /// UTF-8 bytes in an ID that a peer sends: 255, the limit of Couchbase Lite in lists, and more than any known
    /// server stores.
    ///
    /// A longer ID would be sent to other peers, where the whole list would fail and the replicator would stop.
    public static let receivedByteCount = 255
}

/// The reason why text is not a valid document ID.
public struct DocumentIDError: Error, Equatable {
    /// The rule that the text violates.
    public enum Reason: Equatable, Sendable {
        /// The text is empty, or has more bytes than the limit.
        case length(Int, limit: Int)
        /// The text begins with `_`.
        case underscore
        /// The text contains a control character.
        case controlCharacter
    }

    /// The violated rule.
    public let reason: Reason
    /// The beginning of the text.
    public let excerpt: String

    init(_ reason: Reason, in text: String) {
        self.reason = reason
        excerpt = String(text.prefix(80))
    }
}

extension DocumentIDError: CustomStringConvertible {
    /// One line: place, problem, remedy.
    public var description: String {
        let problem =
            switch reason {
            case .length(0, _): "empty"
            case .length(let count, let limit): "\(count) bytes exceed the limit of \(limit)"
            case .underscore: "begins with an underscore"
            case .controlCharacter: "contains a control character"
            }
        return "invalid document ID \"\(excerpt)\": \(problem); use 1 to "
            + "\(DocumentIDLimits.byteCount) bytes, no control characters, no leading underscore"
    }
}

extension DocumentID {
    /// Generates a unique ID: the time, then 80 random bits, as 32 hexadecimal digits.
    ///
    /// IDs generated one after another are adjacent in the index of a database, so the time to save a new document
    /// does not depend on their number. Clock changes cause no problems.
    ///
    /// - Parameters:
    ///   - milliseconds: The time since 1970; its 48 low bits are used.
    ///   - generator: The source of the random bits; they must be unpredictable and never repeat.
    public init(
        madeAt milliseconds: UInt64,
        using generator: inout some RandomNumberGenerator
    ) {
        let (high, low): (UInt64, UInt64) = (generator.next(), generator.next())
        let words = [
            UInt32(truncatingIfNeeded: milliseconds >> 16),
            UInt32(truncatingIfNeeded: milliseconds << 16 | high & 0xFFFF),
            UInt32(truncatingIfNeeded: low >> 32), UInt32(truncatingIfNeeded: low),
        ]
        let digits = words.flatMap { word -> [UInt8] in
            let bytes = HexadecimalDigits(word).bytes
            return (0..<8).map { UInt8(truncatingIfNeeded: bytes >> (56 - 8 * UInt64($0))) }
        }
        self.init(unchecked: String(decoding: digits, as: UTF8.self))
    }
}
