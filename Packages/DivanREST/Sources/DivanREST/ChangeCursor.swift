import DivanCrypto
import DivanDatabase
import DivanJSON

/// The form in which a client is told its position in the changes of a collection.
///
/// Sequences are plain numbers, except for a client that does not see every document: gaps between them would reveal
/// the number of other changes. Such a client gets a text that only this database can read; no two are equal, so it
/// cannot even see whether there was a change. It is valid as long as the database exists.
struct ChangeCursor: Sendable {
    private enum Form {
        case plain
        case sealed(key: [UInt8])
    }

    private static let nonceByteCount = 16
    private static let checkByteCount = 16

    private let form: Form

    init(_ call: RESTCall, _ collection: CollectionPath) {
        guard call.rights.condition != nil else {
            form = .plain
            return
        }
        let parts = [
            Array("divan change cursor".utf8), call.store.privateUUID, Array("\(collection)".utf8),
        ]
        form = .sealed(key: Self.digest(parts))
    }

    /// The position as sent to a client.
    func json(_ sequence: UInt64) -> JSON {
        switch form {
        case .plain: JSON(sequence)
        case .sealed: .string(text(sequence))
        }
    }

    /// The same as a text.
    func text(_ sequence: UInt64) -> String {
        guard case .sealed(let key) = form else { return "\(sequence)" }
        let nonce = SystemRandomSource().bytes(Self.nonceByteCount)
        let plain = (0..<8).map { UInt8(truncatingIfNeeded: sequence >> (8 * $0)) }
        let hidden = zip(plain, Self.digest([key, [0], nonce])).map { $0 ^ $1 }
        let check = Self.digest([key, [1], nonce, hidden]).prefix(Self.checkByteCount)
        let bytes = nonce + hidden + check
        return Hex.encode(bytes.span)
    }

    /// Reads the position that a client sent.
    ///
    /// - Throws: `RESTError` for a text that was not issued by this database.
    func sequence(_ text: String) throws(RESTError) -> UInt64 {
        switch form {
        case .plain:
            guard let sequence = UInt64(text) else {
                throw .bad("since must be a number from 0 to \(UInt64.max), or now")
            }
            return sequence
        case .sealed(let key):
            // The beginning is not secret.
            if text == "0" { return 0 }
            guard let sequence = Self.opened(text, key) else {
                throw .bad("since must be 0, now, or a value from an earlier response")
            }
            return sequence
        }
    }

    private static func opened(_ text: String, _ key: [UInt8]) -> UInt64? {
        guard let bytes = Hex.decode(text), bytes.count == nonceByteCount + 8 + checkByteCount
        else {
            return nil
        }
        let nonce = Array(bytes.prefix(nonceByteCount))
        let hidden = Array(bytes.dropFirst(nonceByteCount).prefix(8))
        let check = Array(digest([key, [1], nonce, hidden]).prefix(checkByteCount))
        let given = Array(bytes.suffix(checkByteCount))
        guard isEqualInConstantTime(check.span, given.span) else {
            return nil
        }
        let plain = zip(hidden, digest([key, [0], nonce])).map { $0 ^ $1 }
        return plain.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// All keys have the same length, and so have the parts that follow, so that concatenation is unambiguous.
    private static func digest(_ parts: [[UInt8]]) -> [UInt8] {
        var hash = SHA256()
        for part in parts { hash.update(part.span) }
        return hash.finalize()
    }
}
