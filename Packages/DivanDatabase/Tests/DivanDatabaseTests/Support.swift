import DivanDelta
import DivanRevisions
import DivanSQLite
import DivanTestKit
import Synchronization
import Testing

@testable import DivanDatabase
// Some tests change files where no public call reaches.
@testable import DivanSQLiteEngine
@testable import DivanStorage
@_spi(Database) @testable import DivanStore

/// Both engines, and sealed files; every rule of documents is tested on each.
enum EngineKind: CaseIterable {
    case file
    case sealed
    case memory

    /// Those with files.
    static let onDisk: [EngineKind] = [.file, .sealed]
}

/// A store of either kind with its environment.
final class StoreFixture {
    private(set) var store: Store
    private let home: TemporaryDirectory?

    init(_ kind: EngineKind, archive: BodyArchive = .deltas) throws {
        switch kind {
        case .file, .sealed:
            let home = try TemporaryDirectory()
            let sealing = kind == .sealed ? try TestSealing(1) : nil
            store = try Store.open(
                directory: home.file("room.cblite2"),
                options: StoreOptions(archive: archive, sealing: sealing)
            )
            self.home = home
        case .memory:
            store = Store.inMemory(archive: archive)
            home = nil
        }
    }

    deinit {
        try? store.close()
    }

    /// Reopens a plain file with statistics for the planner that claim a thousand times as many documents
    /// for the tables with `parity`; connections read them when they are opened.
    func makeStatistics(stretching parity: UInt64) throws {
        let path = try #require(home).file("room.cblite2")
        try store.optimize(isThorough: true)
        try store.close()
        try StoreConnection.edit(
            path + "/db.sqlite3",
            """
            UPDATE sqlite_stat1 SET stat = (stat + 0) * 1000 || substr(stat, instr(stat || ' ', ' '))
            WHERE length(tbl) > 0 AND unicode(substr(tbl, -1)) % 2 = \(parity % 2)
            """
        )
        store = try Store.open(directory: path)
    }

    /// Saves a body in the default collection and returns the document.
    @discardableResult
    func save(
        _ documentID: DocumentID,
        _ body: String = "{}",
        isTombstone: Bool = false,
        hasBlobs: Bool = false,
        parent: ExpectedParent = .current
    ) throws -> StoredDocument {
        let outcome = try store.write { writer in
            try writer.save(
                documentID,
                in: .default,
                body: Array(body.utf8),
                isTombstone: isTombstone,
                hasBlobs: hasBlobs,
                parent: parent
            )
        }
        guard case .saved(let document) = outcome else {
            throw Unexpected(outcome: "\(outcome)")
        }
        return document
    }

    /// Stores a received revision in the default collection.
    @discardableResult
    func insert(
        _ documentID: DocumentID,
        _ revisionID: String,
        history: [String] = [],
        body: String = "{}",
        isTombstone: Bool = false,
        hasBlobs: Bool = false,
        remote: RemoteID? = RemoteID(rawValue: 1),
        refusesConflicts: Bool = false
    ) throws -> InsertOutcome {
        let received = RemoteRevision(
            documentID: documentID,
            revisionID: try revision(revisionID),
            history: try history.map { try revision($0) },
            isTombstone: isTombstone,
            body: Array(body.utf8),
            hasBlobs: hasBlobs,
            remote: remote,
            refusesConflicts: refusesConflicts
        )
        return try store.write { try $0.insert(received, in: .default) }
    }

    func document(_ documentID: DocumentID) throws -> StoredDocument? {
        try store.read { try $0.document(documentID, in: .default, includingTombstones: true) }
    }

    func count() throws -> Int {
        try store.read { try $0.count(in: .default) }
    }
}

/// Something that a helper function cannot turn into an expectation.
struct Unexpected: Error {
    let outcome: String
}

/// Reads a revision ID from text.
func revision(_ text: String) throws -> RevisionID {
    try #require(RevisionID(text))
}

extension StoredDocument {
    /// The body as text.
    var text: String { String(decoding: body, as: UTF8.self) }
}

/// The code of the `StoreError` that `body` throws; `nil` if it throws nothing.
func refusal(of body: () throws -> Void) throws -> StoreError.Code? {
    do {
        try body()
        return nil
    } catch let error as StoreError {
        return error.code
    }
}

/// Collects the notifications of observers.
final class Notices: Sendable {
    private let changes = Mutex<[StoreChange]>([])

    func add(_ change: StoreChange) {
        changes.withLock { $0.append(change) }
    }

    func take() -> [StoreChange] {
        changes.withLock { changes in
            defer { changes = [] }
            return changes
        }
    }
}

extension StoreConnection {
    /// Changes a database file that is not open, so that nothing of it remains in a log.
    static func edit(_ file: String, _ sql: String) throws {
        let connection = try StoreConnection(path: file, mode: .readWrite)
        try connection.execute(sql)
        try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }
}
