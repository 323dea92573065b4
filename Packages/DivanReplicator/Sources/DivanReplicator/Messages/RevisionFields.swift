import DivanBLIP
import DivanRevisions

/// The texts of a `rev` message's properties, collected in one pass; of a name that occurs twice
/// the first counts.
///
/// Source: `replication.md` §4.
struct RevisionFields {
    private(set) var name: String?
    /// `.some(nil)` when it is there and no revision ID.
    private(set) var revisionID: RevisionID??
    private(set) var sequence: String?
    private(set) var oldSequence: String?
    private(set) var history: String?
    private(set) var deltaSource: String?
    private(set) var closing: String?
    private(set) var replacingSequence: String?
    private(set) var hasError = false
    /// `.some(nil)` when they are there and neither true nor false.
    private(set) var isTombstone: Bool??
    private(set) var refusesConflicts: Bool??
    private(set) var keepsOrder: Bool??

    private let dialect: RevisionDialect

    init(_ properties: BLIPProperties, in dialect: RevisionDialect = RevisionDialect(.trees)) {
        var fields = Self(dialect)
        properties.forEachPair { name, value in fields.take(name, value) }
        self = fields
    }

    private init(_ dialect: RevisionDialect) {
        self.dialect = dialect
    }

    private mutating func take(_ name: Span<UInt8>, _ value: Span<UInt8>) {
        switch name.count {
        case 2 where name.spells("id"): Self.set(&self.name, value)
        case 3 where name.spells("rev"):
            if revisionID == nil { revisionID = .some(dialect.revisionID(utf8: value)) }
        case 3 where name.spells("seq"): Self.set(&oldSequence, value)
        case 5 where name.spells("error"): hasError = true
        case 7 where name.spells("deleted"): Self.set(&isTombstone, value)
        case 7 where name.spells("history"): Self.set(&history, value)
        case 8 where name.spells("sequence"): Self.set(&sequence, value)
        case 8 where name.spells("deltaSrc"): Self.set(&deltaSource, value)
        case 8 where name.spells("closings"): Self.set(&keepsOrder, value)
        case 11 where name.spells("noconflicts"): Self.set(&refusesConflicts, value)
        case 12 where name.spells("replacingSeq"): Self.set(&replacingSequence, value)
        case 14 where name.spells("deleted_branch"): Self.set(&closing, value)
        default: break
        }
    }

    private static func set(_ field: inout String?, _ value: Span<UInt8>) {
        guard field == nil else { return }
        field = value.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }

    private static func set(_ field: inout Bool??, _ value: Span<UInt8>) {
        if field == nil { field = .some(BLIPProperties.truth(of: value)) }
    }
}

extension BLIPProperties {
    /// The truth value that a property spells; `nil` when it is neither, for what a peer may have
    /// meant by it must not be guessed where documents depend on it.
    static func truth(of value: Span<UInt8>) -> Bool? {
        if isTrue(value) { return true }
        let text = value.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
        return ["false", "no"].contains(text.lowercased()) || Int(text) == 0 ? false : nil
    }

    /// A truth value that may be left out, which is false.
    ///
    /// - Throws: HTTP/400 when it is neither true nor false.
    func truth(_ name: String) throws(SyncError) -> Bool {
        guard let text = self[name] else { return false }
        guard let value = Self.truth(of: text.utf8.span) else {
            throw .http(.badRequest, "\(name) must be true or false")
        }
        return value
    }
}

extension Span<UInt8> {
    /// Whether the bytes are those of a name of the same length.
    fileprivate func spells(_ name: StaticString) -> Bool {
        // A literal's pointer is valid for ever; `count` is compared before anything is read.
        guard count == name.utf8CodeUnitCount else { return false }
        for index in indices where self[index] != name.utf8Start[index] { return false }
        return true
    }
}
