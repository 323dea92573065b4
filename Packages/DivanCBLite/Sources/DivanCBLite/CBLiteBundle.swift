public import DivanRevisions
internal import DivanSQLite

/// A Couchbase Lite database (version 2, 3 or 4) in a folder `NAME.cblite2`, opened for reading.
///
/// The database is not changed, and need not have been closed properly: if there is a write-ahead log, a copy in
/// the temporary directory is read. Use it on one thread at a time.
///
/// Source: the bundle's own files; `checkpoints.md` §2 and §3 for the meaning of checkpoints.
public final class CBLiteBundle {
    /// The folder.
    public let directory: String
    /// The properties of the database.
    public let facts: Facts
    /// The collections with their tables.
    public let collections: [Collection]
    /// The deleted collections, whose sequences continue if they are created again.
    public let formerCollections: [FormerCollection]
    /// SQLite's report on damaged pages of the file; `nil` if the file is intact.
    ///
    /// If there is damage, documents may be missing, even some of which no record is left.
    public let damage: String?

    private let copy: ScratchCopy
    private let file: ForeignFile

    /// The properties of the database.
    public struct Facts: Sendable {
        /// 16 bytes; the source ID in the versions that the database wrote.
        public var publicUUID: [UInt8]
        /// 16 bytes that are part of the checkpoint IDs.
        public var privateUUID: [UInt8]
        /// The private UUID of the database from which it was copied.
        public var previousPrivateUUID: [UInt8]?
        /// Whether new revisions are versions.
        public var scheme: RevisionScheme
        /// The shared keys of its bodies.
        public var keys: SharedKeys
        /// The remotes with their addresses, by ascending number.
        public var remotes: [(address: String, id: RemoteID)]
    }

    /// A collection.
    public struct Collection: Sendable {
        /// The scope's name.
        public let scope: String
        /// The collection's name.
        public let name: String
        /// The highest assigned sequence.
        public internal(set) var lastSequence: UInt64 = 0
        fileprivate let tables: [DocumentTable]
    }

    /// A checkpoint, with its revision if it belongs to a peer.
    public struct Checkpoint: Sendable {
        /// The ID of the checkpoint.
        public var id: String
        /// `N-cc`; `nil` for a checkpoint of this database.
        public var revision: String?
        /// JSON.
        public var body: [UInt8]
    }

    /// Opens a database and reads its data.
    ///
    /// - Throws: `CBLiteError`, with the remedy.
    public init(directory: String) throws(CBLiteError) {
        self.directory = directory
        switch try BundleKind(of: directory) {
        case .unknown: throw .notABundle
        case .encrypted: throw .encrypted
        case .forestDB: throw .tooOld(version: 0)
        case .sqlite: break
        }
        copy = try ScratchCopy(of: directory)
        file = try ForeignFile(copy)
        try file.execute("BEGIN")
        let version = try Self.integer("PRAGMA user_version", in: file)
        // With a first value read the log and its index are open, and what a crash left is undone.
        copy.loseNames()
        guard try Self.isBundle(file) else {
            let owner = try Self.integer("PRAGMA application_id", in: file)
            guard owner != Self.divanApplicationID else { throw .divan }
            throw (100..<201).contains(version) ? .tooOld(version: version) : .notABundle
        }
        guard version >= 201 else { throw .tooOld(version: version) }
        guard version <= 599 else { throw .tooNew(version: version) }
        // Missing pages may have been unused, but nothing proves it.
        let missing = copy.isTruncated ? "the end of the file is missing" : nil
        damage = try Self.damage(of: file) ?? missing
        facts = try Facts(of: file)
        collections = try Self.collections(of: file)
        let names = Set(collections.map { Array("\($0.scope).\($0.name)".utf8) })
        formerCollections = try FormerCollection.all(in: file, besides: names)
    }

    private static func damage(of file: ForeignFile) throws(CBLiteError) -> String? {
        do {
            let check = try file.prepare("PRAGMA quick_check(1)")
            guard try check.step(), check.text(0) != "ok" else { return nil }
            return check.text(0).replacing("\n", with: " ")
        } catch {
            guard case .damaged(let what) = error else { throw error }
            return what
        }
    }

    /// Whether a folder contains a Couchbase Lite database, even if it cannot be opened because it is encrypted,
    /// too old or too new; its data is not read.
    public static func isBundle(_ directory: String) -> Bool {
        guard let kind = try? BundleKind(of: directory) else { return false }
        guard kind == .sqlite else { return kind != .unknown }
        // Its tables were created long ago: no log is copied to find them.
        let path = directory + "/db.sqlite3"
        guard let file = try? ForeignFile(path, isUnchanging: true) else { return false }
        return (try? isBundle(file)) ?? false
    }

    /// The message for a user who opened a folder as a Divan database.
    ///
    /// - Parameter directory: The folder.
    /// - Returns: The kind of the database and how to import it; `nil` if the folder contains no Couchbase Lite
    ///   database.
    public static func notice(about directory: String) -> String? {
        guard isBundle(directory) else { return nil }
        let name = directory.split(separator: "/").last ?? ""
        let kind = (try? BundleKind(of: directory)) == .encrypted ? "an encrypted" : "a"
        return
            "\(kind) Couchbase Lite database, not a Divan database; import it with "
            + "'divan import-cblite \(name) NEW' or Database.importing(fromPath:toDatabase:)"
    }

    /// "Divn", as in `Docs/formats/`.
    private static let divanApplicationID = 0x4469_766E

    private static func isBundle(_ file: ForeignFile) throws(CBLiteError) -> Bool {
        try integer(
            "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN ('kvmeta', 'kv_info')",
            in: file
        ) == 2
    }

    private static func integer(_ sql: String, in file: ForeignFile) throws(CBLiteError) -> Int {
        let query = try file.prepare(sql)
        return try query.step() ? Int(query.integer(0)) : 0
    }

    // MARK: Documents

    /// Calls `body` with each row of a collection by ascending sequence.
    ///
    /// If a document is among both the live and the deleted documents, its earlier row has `laterSequence` set.
    /// Rows on damaged pages come last, as records with `damage`.
    ///
    /// - Throws: `CBLiteError.inUse` if another program wrote at the same time, and the errors of `body`.
    public func forEachRecord(
        in collection: Collection,
        _ body: (Record) throws -> Void
    ) throws {
        do {
            try read(collection, body)
        } catch let error as CBLiteError {
            // What somebody changes meanwhile looks like damage.
            throw copy.isUnchanged ? error : .inUse
        }
        guard copy.isUnchanged else { throw CBLiteError.inUse }
    }

    private func read(_ collection: Collection, _ body: (Record) throws -> Void) throws {
        let latest = try sequencesOfDoubles(in: collection)
        var readers: [TableReader] = []
        for table in collection.tables {
            let reader = try TableReader(table, file, isDamaged: damage != nil)
            if try reader.advance() { readers.append(reader) }
        }
        let all = readers
        while let next = readers.min(by: { $0.sequence < $1.sequence }) {
            if var record = try next.record() {
                if let later = latest[record.key], later > record.sequence {
                    record.laterSequence = later
                }
                try body(record)
            }
            if try !next.advance() { readers.removeAll { $0 === next } }
        }
        for record in all.flatMap({ $0.losses() }) { try body(record) }
    }

    /// The sequence of the later row of each document that is in both tables of a collection.
    private func sequencesOfDoubles(
        in collection: Collection
    ) throws(CBLiteError) -> [[UInt8]: Int64] {
        guard collection.tables.count == 2 else { return [:] }
        let (live, deleted) = (collection.tables[0].name, collection.tables[1].name)
        // Each key is looked up in the other table: a join would never end if a file repeats one.
        let query = try file.prepare(
            """
            SELECT key, max(sequence) FROM (
                SELECT key, sequence FROM \(live) WHERE key IN (SELECT key FROM \(deleted))
                UNION ALL
                SELECT key, sequence FROM \(deleted) WHERE key IN (SELECT key FROM \(live))
            ) GROUP BY key
            """
        )
        var sequences: [[UInt8]: Int64] = [:]
        do {
            while try query.step() { sequences[query.data(0) ?? []] = query.integer(1) }
        } catch {
            if damage == nil { throw error }
        }
        return sequences
    }

    // MARK: Checkpoints

    /// The checkpoints of this database's own replications.
    public func checkpoints() throws(CBLiteError) -> [Checkpoint] {
        try checkpoints(in: "kv_checkpoints", arePeers: false)
    }

    /// The checkpoints that are stored for peers.
    public func peerCheckpoints() throws(CBLiteError) -> [Checkpoint] {
        // An upgraded file has both tables; the content of the later one counts.
        var byID: [[UInt8]: Checkpoint] = [:]
        for table in ["kv_peerCheckpoints", #"kv_peer\Checkpoints"#] {
            for checkpoint in try checkpoints(in: table, arePeers: true) {
                byID[Array(checkpoint.id.utf8)] = checkpoint
            }
        }
        return byID.values.sorted { $0.id < $1.id }
    }

    private func checkpoints(
        in table: String,
        arePeers: Bool
    ) throws(CBLiteError) -> [Checkpoint] {
        let names = try Self.names(in: file)
        guard names.contains(Array(table.utf8)) else { return [] }
        let query = try file.prepare(
            "SELECT key, version, body FROM \(Self.quoted(table)) ORDER BY key"
        )
        var checkpoints: [Checkpoint] = []
        while try query.step() {
            guard let body = query.data(2) else { continue }
            let revision = arePeers ? query.text(1) : nil
            checkpoints.append(Checkpoint(id: query.text(0), revision: revision, body: body))
        }
        // Later ones would tell of documents that were not read.
        guard copy.isUnchanged else { throw .inUse }
        return checkpoints
    }

    // MARK: Blobs

    /// The path of a blob's file, whether it exists or not.
    ///
    /// - Parameter name: base64 of the digest with `_` for `/`, and `.blob`.
    /// - Returns: The path.
    public func blobPath(_ name: String) -> String { "\(directory)/Attachments/\(name)" }
}

// MARK: - Tables

extension CBLiteBundle {
    private static func quoted(_ name: String) -> String {
        // By scalars: with a combining accent a quote is another character.
        let scalars = name.unicodeScalars.map { $0 == "\"" ? "\"\"" : String($0) }
        return "\"" + scalars.joined() + "\""
    }

    private static func names(in file: ForeignFile) throws(CBLiteError) -> Set<[UInt8]> {
        let query = try file.prepare("SELECT name FROM sqlite_master WHERE type = 'table'")
        var names: Set<[UInt8]> = []
        while try query.step() { names.insert(query.data(0) ?? []) }
        return names
    }

    /// A collection for each of its tables: the default one, and those with a dot.
    private static func collections(of file: ForeignFile) throws(CBLiteError) -> [Collection] {
        let names = try names(in: file)
        var collections: [Collection] = []
        for bytes in names.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            let name = String(decoding: bytes, as: UTF8.self)
            guard name == "kv_default" || name.hasPrefix("kv_."), !name.contains(":") else {
                continue
            }
            var tables = [try table(name, in: file)]
            let deleted = "kv_del_" + name.dropFirst(3)
            if names.contains(Array(deleted.utf8)) { tables.append(try table(deleted, in: file)) }
            let plain = name.dropFirst(3).replacing("\\", with: "")
            let parts = plain.split(separator: ".", omittingEmptySubsequences: true)
            var collection =
                switch parts.count {
                case 2: Collection(scope: String(parts[0]), name: String(parts[1]), tables: tables)
                case 1 where name == "kv_default":
                    Collection(scope: "_default", name: "_default", tables: tables)
                case 1: Collection(scope: "_default", name: String(parts[0]), tables: tables)
                default: throw .damaged("unexpected table \(name)")
                }
            let query = try file.prepare("SELECT lastSeq FROM kvmeta WHERE name = ?1")
            try query.bind(String(plain), at: 1)
            if try query.step() { collection.lastSequence = UInt64(max(0, query.integer(0))) }
            collections.append(collection)
        }
        return collections
    }

    private static func table(
        _ name: String,
        in file: ForeignFile
    ) throws(CBLiteError) -> DocumentTable {
        let query = try file.prepare("PRAGMA table_info(\(quoted(name)))")
        var columns: [String] = []
        while try query.step() { columns.append(query.text(1)) }
        let needed = ["key", "sequence", "flags", "version", "body"]
        guard needed.allSatisfy({ columns.contains($0) }) else {
            throw .damaged("table \(name) has unexpected columns")
        }
        // Added by later versions, in either order.
        let later = ["expiration", "extra"].map { columns.contains($0) ? $0 : "NULL" }
        return DocumentTable(
            name: quoted(name),
            columns: "key, sequence, flags, version, body, " + later.joined(separator: ", ")
        )
    }
}

extension CBLiteBundle.Facts {
    fileprivate init(of file: ForeignFile) throws(CBLiteError) {
        let query = try file.prepare("SELECT key, body FROM kv_info")
        var values: [[UInt8]: [UInt8]] = [:]
        while try query.step() { values[query.data(0) ?? []] = query.data(1) }
        func value(_ key: String) -> [UInt8]? { values[Array(key.utf8)] }
        guard let publicUUID = value("publicUUID"), publicUUID.count == 16,
            let privateUUID = value("privateUUID"), privateUUID.count == 16
        else { throw .damaged("no UUIDs") }
        self.publicUUID = publicUUID
        self.privateUUID = privateUUID
        let previous = value("previousPrivateUUID")
        previousPrivateUUID = previous?.count == 16 ? previous : nil
        scheme = value("versioning")?.last == 2 ? .vectors : .trees
        do throws(RecordDamage) {
            keys =
                try value("SharedKeys").map { bytes throws(RecordDamage) in
                    try SharedKeys(fleece: bytes)
                } ?? SharedKeys()
            remotes =
                try value("remotes").map { bytes throws(RecordDamage) in
                    try Self.remotes(bytes)
                } ?? []
        } catch {
            throw .damaged(error.description)
        }
    }

    private static func remotes(
        _ bytes: [UInt8]
    ) throws(RecordDamage) -> [(address: String, id: RemoteID)] {
        let fleece = Fleece(bytes)
        guard case .dictionary(let items) = try fleece.root() else {
            throw RecordDamage("the remotes are not a dictionary")
        }
        var remotes: [(address: String, id: RemoteID)] = []
        for index in 0..<items.count {
            guard case .string(let range) = try fleece.item(2 * index, of: items),
                let address = String(validating: bytes[range], as: UTF8.self),
                case .integer(let number) = try fleece.item(2 * index + 1, of: items),
                (1...Int64(CBLiteLimits.remoteCount)).contains(number)
            else { throw RecordDamage("a remote has no number") }
            remotes.append((address, RemoteID(rawValue: UInt32(number))))
        }
        return remotes.sorted { $0.id < $1.id }
    }
}
