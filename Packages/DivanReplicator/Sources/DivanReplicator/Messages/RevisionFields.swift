import DivanBLIP
import DivanRevisions

/// The texts of a `rev` message's properties, collected in one pass; if a name occurs twice, the first counts.
///
/// Source: `replication.md` §4.
struct RevisionFields {
    /// One property.
    enum Field<Value> {
        case absent
        /// Its text is not a valid value of its kind.
        case unreadable
        case value(Value)

        /// The value; `nil` if there is none, for any reason.
        var value: Value? {
            if case .value(let value) = self { value } else { nil }
        }

        fileprivate mutating func take(_ value: Value?) {
            if case .absent = self { self = value.map { .value($0) } ?? .unreadable }
        }
    }

    private(set) var name = Field<String>.absent
    private(set) var revisionID = Field<RevisionID>.absent
    private(set) var sequence = Field<RemoteSequence>.absent
    private(set) var oldSequence = Field<RemoteSequence>.absent
    private(set) var history = Field<String>.absent
    private(set) var deltaSource = Field<String>.absent
    private(set) var closing = Field<String>.absent
    private(set) var replacingSequence = Field<String>.absent
    private(set) var hasError = false
    private(set) var isTombstone = Field<Bool>.absent
    private(set) var refusesConflicts = Field<Bool>.absent
    private(set) var keepsOrder = Field<Bool>.absent

    private let dialect: RevisionDialect

    init(_ properties: BLIPProperties, in dialect: RevisionDialect = RevisionDialect(.trees)) {
        self.dialect = dialect
        properties.forEachPair { name, value in take(name, value) }
    }

    private mutating func take(_ name: Span<UInt8>, _ value: Span<UInt8>) {
        switch name.count {
        case 2 where name.spells("id"): self.name.take(value.text)
        case 3 where name.spells("rev"): revisionID.take(dialect.revisionID(utf8: value))
        case 3 where name.spells("seq"): oldSequence.take(RemoteSequence(json: value))
        case 5 where name.spells("error"): hasError = true
        case 7 where name.spells("deleted"): isTombstone.take(BLIPProperties.truth(of: value))
        case 7 where name.spells("history"): history.take(value.text)
        case 8 where name.spells("sequence"): sequence.take(RemoteSequence(json: value))
        case 8 where name.spells("deltaSrc"): deltaSource.take(value.text)
        case 8 where name.spells("closings"): keepsOrder.take(BLIPProperties.truth(of: value))
        case 11 where name.spells("noconflicts"):
            refusesConflicts.take(BLIPProperties.truth(of: value))
        case 12 where name.spells("replacingSeq"): replacingSequence.take(value.text)
        case 14 where name.spells("deleted_branch"): closing.take(value.text)
        default: break
        }
    }
}

extension RevisionFields.Field<Bool> {
    /// The value, false if omitted; `nil` if it is neither true nor false.
    var truth: Bool? {
        if case .absent = self { false } else { value }
    }
}

extension BLIPProperties {
    /// The truth value of a property; `nil` if it is neither, because the peer's intention must not be guessed where
    /// documents depend on it.
    static func truth(of value: Span<UInt8>) -> Bool? {
        if isTrue(value) { return true }
        let text = value.text
        return ["false", "no"].contains(text.lowercased()) || Int(text) == 0 ? false : nil
    }

    /// A truth value that may be omitted, which means false.
    ///
    /// - Throws: HTTP/400 if it is neither true nor false.
    func truth(_ name: String) throws(SyncError) -> Bool {
        guard let text = self[name] else { return false }
        guard let value = Self.truth(of: text.utf8.span) else {
            throw .http(.badRequest, "\(name) must be true or false")
        }
        return value
    }
}

extension Span<UInt8> {
    fileprivate var text: String {
        withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }

    /// Whether the bytes equal a name of the same length.
    fileprivate func spells(_ name: StaticString) -> Bool {
        // A literal's pointer is valid forever; `count` is compared before anything is read.
        guard count == name.utf8CodeUnitCount else { return false }
        for index in indices where self[index] != name.utf8Start[index] { return false }
        return true
    }
}
