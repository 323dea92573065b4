internal import CDivanSQLiteEngine
internal import DivanCompression
internal import DivanSQL
internal import DivanStorage

/// Unpacks the bodies that one connection reads, and keeps the dictionaries that it has used.
///
/// Confined to the connection's thread. The number of a dictionary is never reused, so what is kept is valid
/// for every snapshot; only one that was made in a transaction that was rolled back must be forgotten.
final class SQLiteBodies: BodyUnpacker {
    /// Why a packed body cannot be unpacked.
    enum Failure: Error {
        case malformed
        case unknownCodec(UInt8)
        case missingDictionary(UInt64)
        case damaged
        /// The dictionary could not be read now, for this SQLite error, or there was no memory to
        /// unpack with; the body itself is not at fault.
        case unread(Int32)

        /// The failure for a codec's error.
        init(_ error: CompressionError) {
            if case .library = error { self = .unread(SQLITE_NOMEM) } else { self = .damaged }
        }
    }

    /// A dictionary and the coder that uses it.
    struct Known {
        let number: UInt64
        let codec: any DictionaryCodec
        let coder: any DictionaryCoder
    }

    private let packing: BodyPacking
    // Owned by the connection, which closes it after every use of this object; `nil` until it is open.
    private var handle: OpaquePointer?
    private var known: [Known] = []  // the one that was used last stands last
    // The body that an SQL function requested last, so that several properties of a row unpack it once.
    private var latest: [UInt8] = []
    // Its text; allocated here, freed in `deinit`.
    private var room = UnsafeMutableBufferPointer<UInt8>(start: nil, count: 0)
    private var textCount = 0
    /// Whether SQL functions see an empty body instead of failing if a body cannot be unpacked.
    ///
    /// Set while the indexes of a collection are rebuilt despite such a document, which is then left out of them.
    var passesDamage = false

    init(_ packing: BodyPacking) {
        self.packing = packing
    }

    /// Reads dictionaries through a connection from now on.
    func read(from connection: OpaquePointer) { handle = connection }

    deinit { room.deallocate() }

    /// Forgets the dictionaries of a transaction that was rolled back.
    func forget() {
        known = []
        latest = []
    }

    // MARK: Unpacking

    /// The text of a packed body.
    func plain(_ packed: UnsafeBufferPointer<UInt8>) throws(Failure) -> [UInt8] {
        let (head, coder) = try coder(for: packed)
        var plain = [UInt8](repeating: 0, count: head.plainByteCount)
        try Self.unpack(packed, head, by: coder, into: plain.mutableSpan)
        return plain
    }

    override func text(of packed: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8>? {
        if latest.isEmpty || !latest.isEqual(to: packed) {
            latest.removeAll(keepingCapacity: true)
            do throws(Failure) {
                try unpackToRoom(packed)
            } catch {
                if case .unread = error { return nil }
                return passesDamage ? Self.nothing : nil
            }
            latest.append(contentsOf: packed)
        }
        return UnsafeBufferPointer(rebasing: room[..<textCount])
    }

    /// The body without properties; static memory that is never written to.
    private static var nothing: UnsafeBufferPointer<UInt8> {
        let text: StaticString = "{}"
        return UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    }

    private func unpackToRoom(_ packed: UnsafeBufferPointer<UInt8>) throws(Failure) {
        let (head, coder) = try coder(for: packed)
        let count = head.plainByteCount
        // What a single long body took is freed with the next short one.
        if room.count < count || room.count > SQLiteEngineLimits.keptBodyByteCount {
            room.deallocate()
            room = .allocate(capacity: max(count, SQLiteEngineLimits.keptBodyByteCount / 64))
            room.initialize(repeating: 0)
        }
        // A damaged body may copy what is here, which would otherwise be another body's text.
        room.extracting(..<count).update(repeating: 0)
        let target = room.extracting(..<count)
        try Self.unpack(packed, head, by: coder, into: target.mutableSpan)
        textCount = count
    }

    private static func unpack(
        _ packed: UnsafeBufferPointer<UInt8>,
        _ head: PackedBody,
        by coder: any DictionaryCoder,
        into target: consuming MutableSpan<UInt8>
    ) throws(Failure) {
        let content = packed.extracting(head.offset...)
        do throws(CompressionError) {
            try coder.unpack(content.span, into: target)
        } catch {
            throw Failure(error)
        }
    }

    /// The header of a packed body, trusted only as far as its bytes permit, and what unpacks it.
    private func coder(
        for packed: UnsafeBufferPointer<UInt8>
    ) throws(Failure) -> (PackedBody, any DictionaryCoder) {
        guard let head = PackedBody(packed) else { throw .malformed }
        let known = try dictionary(head.dictionary)
        let most = known.codec.maximumPlainByteCount(for: packed.count - head.offset)
        guard head.plainByteCount <= most else { throw .malformed }
        return (head, known.coder)
    }

    // MARK: Dictionaries

    /// The tables of dictionaries; each dictionary is in all of them (`SQLiteDictionaries`).
    static let dictionaryTables = ["dictionaries", "dictionary_copies"]
    /// The checksum of a row there.
    static let dictionaryChecksum = "divan_checksum(number, value)"
    /// How to find the content under a number, which is a parameter.
    private static let ways = dictionaryTables.map { table in
        "SELECT value FROM main.\(table) WHERE number = ?1 AND checksum IS \(dictionaryChecksum)"
    }

    /// A dictionary, loaded on first request.
    func dictionary(_ number: UInt64) throws(Failure) -> Known {
        if let last = known.last, last.number == number { return last }
        if let place = known.firstIndex(where: { $0.number == number }) {
            let found = known.remove(at: place)
            known.append(found)
            return found
        }
        guard let stored = try readable(number) else { throw .missingDictionary(number) }
        guard let codec = packing.codec(stored.codec) else { throw .unknownCodec(stored.codec) }
        let coder: any DictionaryCoder
        do throws(CompressionError) {
            coder = try codec.makeCoder(dictionary: stored.content)
        } catch {
            throw Failure(error)
        }
        if known.count == SQLiteEngineLimits.keptDictionaryCount { known.removeFirst() }
        let loaded = Known(number: number, codec: codec, coder: coder)
        known.append(loaded)
        return loaded
    }

    /// The codec with a number, if it is known.
    func codec(_ number: UInt8) -> (any DictionaryCodec)? { packing.codec(number) }

    /// What is stored under a number, once for each table; `nil` if that is damaged or missing.
    func stored(_ number: UInt64) -> [StoredDictionary?] {
        Self.ways.map { stored(number, by: $0) }
    }

    /// What is stored under a number, if it is intact in one of the tables.
    func sound(_ number: UInt64) -> StoredDictionary? {
        Self.ways.lazy.compactMap { self.stored(number, by: $0) }.first
    }

    private func stored(_ number: UInt64, by way: String) -> StoredDictionary? {
        (try? value(of: number, by: way)).flatMap(StoredDictionary.init)
    }

    /// The same as `sound`; if nothing is found but a table could not be read, throws the reason.
    private func readable(_ number: UInt64) throws(Failure) -> StoredDictionary? {
        var obstacle: Failure?
        for way in Self.ways {
            do throws(Failure) {
                let stored = try value(of: number, by: way).flatMap(StoredDictionary.init)
                if let stored { return stored }
            } catch {
                obstacle = error
            }
        }
        if let obstacle { throw obstacle }
        return nil
    }

    /// Uses a statement of its own: an SQL function calls this while others run.
    private func value(of number: UInt64, by way: String) throws(Failure) -> [UInt8]? {
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v2(handle, way, -1, &statement, nil)
        guard code == SQLITE_OK else { return try nothing(code) }
        defer { sqlite3_finalize(statement) }
        sqlite3_bind_int64(statement, 1, Int64(clamping: number))
        let found = sqlite3_step(statement)
        guard found == SQLITE_ROW else { return try nothing(found) }
        // Owned by SQLite until the statement is finalized; copied before.
        let start = sqlite3_column_blob(statement, 0)?.assumingMemoryBound(to: UInt8.self)
        let count = Int(sqlite3_column_bytes(statement, 0))
        return Array(UnsafeBufferPointer(start: start, count: start == nil ? 0 : count))
    }

    /// Returns `nil` if the file has nothing, or nothing sensible.
    ///
    /// - Throws: `unread` if it could not be read because of the disk, memory, or an interruption.
    private func nothing(_ code: Int32) throws(Failure) -> [UInt8]? {
        switch code & 0xFF {
        case SQLITE_DONE, SQLITE_ERROR, SQLITE_CORRUPT, SQLITE_NOTADB: return nil
        default: throw .unread(code)
        }
    }
}
