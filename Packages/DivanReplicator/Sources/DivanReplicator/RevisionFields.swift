import DivanBLIP
import DivanRevisions

/// The texts of a `rev` message's properties, collected in one pass; of a name that occurs twice
/// the first counts.
///
/// Source: `replication.md` §4.
struct RevisionFields {
    private(set) var documentID: String?
    /// `.some(nil)` when it is there and no revision ID.
    private(set) var revisionID: RevisionID??
    private(set) var sequence: String?
    private(set) var oldSequence: String?
    private(set) var history: String?
    private(set) var deltaSource: String?
    private(set) var closing: String?
    private(set) var hasError = false
    private(set) var isTombstone: Bool?
    private(set) var refusesConflicts: Bool?

    init(_ properties: BLIPProperties) {
        var fields = Self()
        properties.forEachPair { name, value in fields.take(name, value) }
        self = fields
    }

    private init() {}

    private mutating func take(_ name: Span<UInt8>, _ value: Span<UInt8>) {
        switch name.count {
        case 2 where name.spells("id"): Self.set(&documentID, value)
        case 3 where name.spells("rev"):
            if revisionID == nil { revisionID = .some(RevisionID(utf8: value)) }
        case 3 where name.spells("seq"): Self.set(&oldSequence, value)
        case 5 where name.spells("error"): hasError = true
        case 7 where name.spells("deleted"): Self.set(&isTombstone, value)
        case 7 where name.spells("history"): Self.set(&history, value)
        case 8 where name.spells("sequence"): Self.set(&sequence, value)
        case 8 where name.spells("deltaSrc"): Self.set(&deltaSource, value)
        case 11 where name.spells("noconflicts"): Self.set(&refusesConflicts, value)
        case 14 where name.spells("deleted_branch"): Self.set(&closing, value)
        default: break
        }
    }

    private static func set(_ field: inout String?, _ value: Span<UInt8>) {
        guard field == nil else { return }
        field = value.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }

    private static func set(_ field: inout Bool?, _ value: Span<UInt8>) {
        guard field == nil else { return }
        field = BLIPProperties.isTrue(value)
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
