internal import DivanJSON

/// The name of a document within its collection.
///
/// Two IDs are equal when their bytes are: `String` would treat U+212B, U+00C5 and A with U+030A as
/// one key of a dictionary, but they are three documents of a database. A `DocumentID` need
/// not be checked again: one made here has passed `init(checking:)`, one from a
/// peer has passed `init(received:)`.
///
/// It is in this package because a revision's name is incomplete without its document's, and
/// both resolvers and stores build on this package.
///
/// Source: `revisions.md` §3.
public struct DocumentID: Hashable, Sendable {
    private let exact: ExactText

    /// The name as text, to show or send it; never a key.
    public var text: String { exact.text }

    /// Checks the name of a document that a person, a file or a program wants to create: 1 to 240
    /// bytes, no control characters, no leading `_`, as every peer and server accepts it.
    ///
    /// - Throws: `DocumentIDError` with the reason and what to do.
    public init(checking text: String) throws(DocumentIDError) {
        try self.init(text, limit: DocumentIDLimits.byteCount) { $0 < 0x20 || $0 == 0x7F }
    }

    /// Checks the name of a document that a peer sent: other implementations accepted it, so it may
    /// be longer, up to 255 bytes, and may hold control characters other than NUL, which ends a
    /// text on the wire; a leading `_` is reserved for the protocol's own names.
    ///
    /// - Throws: `DocumentIDError` with the reason.
    public init(received text: String) throws(DocumentIDError) {
        try self.init(text, limit: DocumentIDLimits.receivedByteCount) { $0 == 0 }
    }

    /// Takes a name that was checked before it was stored, or one to look up.
    ///
    /// A name that no document can have finds none. Nothing new is stored under an ID made this way.
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
    /// Whether one ID comes before another in the order of UTF-8 bytes, which is the store's.
    public static func < (left: DocumentID, right: DocumentID) -> Bool {
        left.exact < right.exact
    }
}

extension DocumentID: ExpressibleByStringLiteral {
    /// Takes a name written in source code, whose author is expected to know the rules.
    public init(stringLiteral text: String) {
        self.init(unchecked: text)
    }
}

extension DocumentID: CustomStringConvertible {
    /// The name as text.
    public var description: String { text }
}

/// Bounds on a document ID.
public enum DocumentIDLimits {
    /// UTF-8 bytes of the ID of a document that is created here: 240, which every peer and server accepts.
    public static let byteCount = 240
    /// UTF-8 bytes of an ID that a peer sends: what Couchbase Lite reads in lists, and more than any known
    /// server stores.
    ///
    /// A longer one would be passed on to other peers, where it fails the whole list and ends the replicator.
    public static let receivedByteCount = 255
}

/// Why a text is not a document ID.
public struct DocumentIDError: Error, Equatable {
    /// The rule that the text breaks.
    public enum Reason: Equatable, Sendable {
        /// It is empty, or has more bytes than the limit.
        case length(Int, limit: Int)
        /// It begins with `_`.
        case underscore
        /// It contains a control character.
        case controlCharacter
    }

    /// The rule.
    public let reason: Reason
    /// The beginning of the text, to find it by.
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
    /// IDs generated one after another are neighbours in the index of a database, so
    /// saving a new document takes as long among a million as among none. A clock that jumps
    /// does no harm.
    ///
    /// - Parameters:
    ///   - milliseconds: The time since 1970; its 48 low bits count.
    ///   - generator: The source of the random bits; they must not be predictable or repeated.
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
