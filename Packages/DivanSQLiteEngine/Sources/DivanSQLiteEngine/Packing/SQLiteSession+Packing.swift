internal import DivanCompression
internal import DivanRevisions
internal import DivanSQLite
internal import DivanStorage

// Bodies are packed when a row is bound, and unpacked when one is copied out: all code above sees
// plain ones only.
extension SQLiteSession {
    // MARK: The switch

    func requireFormat(_ format: StorageFormat) throws(StoreError) {
        let found = try connection.integer("PRAGMA user_version") ?? 0
        if format == .packed { packers.begin() }
        guard found < Int64(format.rawValue) else { return }
        try connection.execute("PRAGMA user_version = \(format.rawValue)")
    }

    func setPacking(_ codec: UInt8?, of collection: CollectionID) throws(StoreError) {
        let key = PackedCollection.key(collection)
        packers.forget()
        guard let codec else { return try setValue(nil, for: key, in: .packing) }
        guard connection.bodies.codec(codec) != nil else {
            throw StoreError(.unknownCodec(number: codec), at: connection.path)
        }
        try requireFormat(.packed)
        // Rows of a previous codec keep their dictionaries until they are rewritten.
        try setValue(PackedCollection(codec: codec).value, for: key, in: .packing)
        try makeDictionary(for: try state(of: collection))
    }

    /// The collections whose bodies are packed; read once, and again when that changes.
    private func readPackers() throws(StoreError) -> [CollectionID: SQLitePackers.Packer] {
        if let known = packers.known { return known }
        var found: [CollectionID: SQLitePackers.Packer] = [:]
        for (key, value) in try values(in: .packing) {
            // An inspection reports damage; until then bodies stay plain.
            guard let id = Int64(key), let state = PackedCollection(value) else { continue }
            found[CollectionID(rawValue: id)] = SQLitePackers.Packer(state: state)
        }
        packers.known = found
        return found
    }

    // MARK: Packing

    /// The packed bodies of rows, an empty one if it stays plain; no bodies if none is packed.
    ///
    /// `state` describes what is stored before these rows; `nil` if nobody has counted.
    func packed(
        _ rows: ArraySlice<DocumentRow>,
        in collection: CollectionID,
        after state: CollectionState?
    ) throws(StoreError) -> [[UInt8]] {
        guard var packer = try readPackers()[collection] else { return [] }
        if let state, packer.state.dictionary == 0 {
            try makeDictionary(for: state)
            packer = try readPackers()[collection] ?? packer
        }
        guard packer.state.dictionary != 0, let known = dictionary(packer.state.dictionary)
        else { return [] }
        return rows.map { Self.packed($0.body, by: known) }
    }

    /// A dictionary that cannot be used packs nothing: bodies stay plain.
    private func dictionary(_ number: UInt64) -> SQLiteBodies.Known? {
        try? connection.bodies.dictionary(number)
    }

    /// A packed body; empty if that is not shorter by an eighth.
    private static func packed(_ body: [UInt8], by known: SQLiteBodies.Known) -> [UInt8] {
        guard body.count >= SQLiteEngineLimits.packedBodyByteCount, body.first != PackedBody.mark
        else { return [] }
        var packed = PackedBody.head(dictionary: known.number, plainByteCount: body.count)
        do {
            try known.coder.pack(body.span, appendingTo: &packed)
        } catch {
            return []
        }
        return packed.count <= body.count - body.count / 8 ? packed : []
    }

    // MARK: Dictionaries

    /// Makes the dictionary of a collection from its documents, if there are enough.
    private func makeDictionary(for collection: CollectionState) throws(StoreError) {
        let least = StorageLimits.sampledDocumentCount
        guard var packer = try readPackers()[collection.id], packer.state.dictionary == 0,
            collection.liveCount >= max(least, 2 * packer.triedCount),
            let codec = connection.bodies.codec(packer.state.codec)
        else { return }
        packer.triedCount = collection.liveCount
        let samples = try samples(of: collection.id, byteCount: codec.dictionaryByteCount)
        let content = codec.dictionary(from: samples)
        if !content.isEmpty {
            let dictionaries = SQLiteDictionaries(on: connection)
            let number = try dictionaries.nextNumber()
            packer.state.dictionary = number
            let stored = StoredDictionary(
                codec: packer.state.codec,
                collection: collection.id,
                content: content
            )
            try dictionaries.keep(stored, as: number)
            let key = PackedCollection.key(collection.id)
            try setValue(packer.state.value, for: key, in: .packing)
        }
        packers.known?[collection.id] = packer
    }

    /// Bodies from all over a collection, the newest last, as many as fit.
    private func samples(
        of collection: CollectionID,
        byteCount: Int
    ) throws(StoreError) -> [[UInt8]] {
        let table = SQLiteSchema.table(collection)
        let first = try connection.integer("SELECT min(sequence) FROM \(table)") ?? 0
        let last = try connection.integer("SELECT max(sequence) FROM \(table)") ?? 0
        // Other values are only caused by damage, and would overflow.
        guard first > 0, last < 1 << 62 else { return [] }
        let count = Int64(StorageLimits.sampleCount)
        let step = max(1, (last - first) / count)
        var (bodies, total, next) = ([[UInt8]](), 0, first)
        while next <= last {
            do throws(StoreError) {
                let rows = try rows(
                    in: collection,
                    after: UInt64(next - 1),
                    limit: 1,
                    flags: [],
                    content: .whole
                )
                guard let row = rows.first else { break }
                next = max(next, Int64(clamping: row.sequence))
                if !row.body.isEmpty {
                    bodies.append(Array(row.body.prefix(SQLiteEngineLimits.sampledByteCount)))
                    total += bodies[bodies.count - 1].count
                }
            } catch  where error.concernsOneDocument {}
            next += step
        }
        guard total > byteCount, bodies.count > 1 else { return bodies }
        // Thins them out evenly, so that all periods are represented.
        let kept = max(1, bodies.count * byteCount / total)
        return (0..<kept).map { bodies[($0 + 1) * bodies.count / kept - 1] }
    }
}
