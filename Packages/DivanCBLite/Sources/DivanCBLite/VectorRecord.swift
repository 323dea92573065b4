internal import DivanRevisions

/// What Couchbase Lite 4 stores about a document: the current revision, and what remotes have instead.
///
/// The column `extra` is an array indexed by the number of the remote; its item 0 is the local revision.
/// Bodies are shared with the column `body` by external pointers.
struct VectorRecord {
    /// One item.
    struct State {
        var mixed: MixedVector
        var flags: Int64
        /// `nil` if the item has none, which means `{}`.
        var body: Fleece.Value?
        var remotes: [RemoteID] = []
    }

    /// The bits of an item's flags.
    enum Flag {
        static let tombstone: Int64 = 0x01
        static let conflict: Int64 = 0x02
        static let hasBlobs: Int64 = 0x04
    }

    /// The last ID that the document had in a tree.
    private(set) var lastTreeID: RevisionID?
    private(set) var others: [State] = []
    /// The tree IDs that remotes have and that are no conflicts, each of a lower generation than the previous
    /// one.
    private var chain: [RevisionID] = []
    private var memberCount = 0
    private var vectorByteCount = 0
    private let owner: SourceID

    static let mark: [UInt8] = [0, 0, 0, 0]

    /// Reads the items of `extra`; `fleece` holds both columns.
    init(_ fleece: Fleece, owner: SourceID) throws(RecordDamage) {
        self.owner = owner
        guard case .array(let items) = try fleece.root() else {
            throw RecordDamage("the remote revisions are not an array")
        }
        guard items.count <= CBLiteLimits.remoteCount else {
            throw RecordDamage("too many remotes")
        }
        for index in 0..<items.count {
            guard case .dictionary(let members) = try fleece.item(index, of: items) else {
                continue
            }
            try read(members, of: index, in: fleece)
        }
        let remotes = others.filter { $0.flags & Flag.conflict == 0 && $0.mixed.isLegacy }
            .compactMap { $0.mixed.legacy.first }
        for id in remotes.sorted(by: >) {
            if let last = chain.last, last.generation <= id.generation { continue }
            chain.append(id)
        }
        guard others.count * chain.count <= CBLiteLimits.pastCount else {
            throw RecordDamage("too many remotes with their own history")
        }
    }

    private mutating func read(
        _ members: Fleece.Items,
        of index: Int,
        in fleece: Fleece
    ) throws(RecordDamage) {
        // Items may share their members, and members their values.
        memberCount += members.count
        guard memberCount <= CBLiteLimits.valueCount else {
            throw RecordDamage("the remote revisions have too many members")
        }
        var state = State(mixed: MixedVector(), flags: 0)
        for place in 0..<members.count {
            guard case .string(let key) = try fleece.item(2 * place, of: members), key.count == 1
            else { continue }
            let value = try fleece.item(2 * place + 1, of: members)
            switch (fleece.bytes[key.lowerBound], value) {
            case (UInt8(ascii: "."), .dictionary): state.body = value
            case (UInt8(ascii: "&"), .integer(let flags)): state.flags = flags
            case (UInt8(ascii: "@"), .data(let range)):
                vectorByteCount += range.count
                guard vectorByteCount <= CBLiteLimits.vectorByteCount else {
                    throw RecordDamage("the remote version vectors exceed 16 MiB")
                }
                state.mixed = try Self.mixed(fleece.bytes[range], owner: owner)
            case (UInt8(ascii: "~"), .data(let range)):
                lastTreeID = try TreeRecord.revisionID(fleece.bytes[range])
            default: break
            }
        }
        guard index > 0 else { return }
        guard state.mixed.current != nil else {
            throw RecordDamage("remote \(index) has a revision without an ID")
        }
        state.remotes = [RemoteID(rawValue: UInt32(index))]
        others.append(state)
    }

    /// The tree IDs that are ancestors of a revision, as the engine reports them to its peers: its own, then
    /// those of remotes that are no conflicts and have a lower generation.
    func legacy(behind own: [RevisionID]) -> [RevisionID] {
        guard let last = own.last else { return chain }
        return own + chain.drop { $0.generation >= last.generation }
    }

    /// Reads a version vector or a tree ID, with the database's own source in place of `*`.
    static func mixed(
        _ bytes: ArraySlice<UInt8>,
        owner: SourceID
    ) throws(RecordDamage) -> MixedVector {
        guard bytes.first == 0 else {
            return MixedVector(legacy: [try TreeRecord.revisionID(bytes)])
        }
        guard let vector = try? VersionVector(encoded: bytes.span), !vector.isEmpty,
            let own = try? vector.replacingMe(by: owner)
        else { throw RecordDamage("invalid version vector") }
        return MixedVector(vector: own)
    }
}

extension RevisionFlags {
    /// The flags of an item.
    init(vector flags: Int64, isRemote: Bool) {
        self = []
        if flags & VectorRecord.Flag.tombstone != 0 { insert(.tombstone) }
        if flags & VectorRecord.Flag.hasBlobs != 0 { insert(.hasBlobs) }
        if isRemote, flags & VectorRecord.Flag.conflict != 0 { insert(.conflict) }
    }
}
