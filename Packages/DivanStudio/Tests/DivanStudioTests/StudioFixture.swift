import DivanDatabase
import DivanJSON
import DivanRevisions
import DivanStudio
import DivanTestKit

/// A store behind a studio.
final class StudioFixture {
    let store: Store
    let studio: StudioServer
    /// The address to open, with the token.
    let address: String

    /// Opens a studio; `directory` is where the database is created, in memory without one.
    init(
        directory: String? = nil,
        mayWrite: Bool = true,
        peers: [JSON] = [],
        neighbours: [JSON] = []
    ) throws {
        let options = StoreOptions(create: true)
        store = try directory.map { try Store.open(directory: $0, options: options) } ?? .inMemory()
        studio = StudioServer(
            StudioConfiguration(
                store: store,
                name: "kitchen",
                mayWrite: mayWrite,
                peers: { peers },
                neighbours: { neighbours }
            )
        )
        address = try studio.start()
    }

    deinit { studio.stop() }

    /// `http://127.0.0.1:PORT`.
    var origin: String { String(address.prefix { $0 != "?" }.dropLast()) }
    var port: UInt16 { UInt16(origin.split(separator: ":").last ?? "") ?? 0 }
    var token: String { String(address.split(separator: "=").last ?? "") }

    @discardableResult
    func put(_ id: String, _ body: String, hasBlobs: Bool = false) throws -> RevisionID? {
        let name = DocumentID(unchecked: id)
        let revision = LocalRevision(name, body: Array(body.utf8), hasBlobs: hasBlobs)
        let outcome = try store.save(revision, in: .default)
        guard case .saved(let document) = outcome else { return nil }
        return document.revisionID
    }

    func body(of id: String) throws -> String? {
        let document = try store.read { try $0.document(DocumentID(unchecked: id), in: .default) }
        return document.map { String(decoding: $0.body, as: UTF8.self) }
    }

    /// A document that two sides changed, the color here and the price there, or that both deleted.
    func makeConflict(_ id: String, isDeleted: Bool = false) throws {
        let base = "1-5d1f0a3b7c9e2d4f6a8b0c1d3e5f7a9b"
        try receive(id, base, #"{"color":"red","name":"chair","price":1}"#)
        let theirs = "2-9c4e1b7a3f5d2e8c6b0a4d1f7e3c5b9a"
        if isDeleted {
            let deletion = LocalRevision(deleting: DocumentID(unchecked: id))
            _ = try store.save(deletion, in: .default)
            return try receive(id, theirs, "{}", history: [base], isTombstone: true)
        }
        try put(id, #"{"color":"blue","name":"chair","price":1}"#)
        try receive(id, theirs, #"{"color":"red","name":"chair","price":2}"#, history: [base])
    }

    /// Stores a revision as a pull does.
    private func receive(
        _ id: String,
        _ revision: String,
        _ body: String,
        history: [String] = [],
        isTombstone: Bool = false
    ) throws {
        guard let revisionID = RevisionID(revision) else { return }
        let received = RemoteRevision(
            documentID: DocumentID(unchecked: id),
            revisionID: revisionID,
            history: history.compactMap { RevisionID($0) },
            isTombstone: isTombstone,
            body: Array(body.utf8),
            remote: try store.remoteID(for: "wss://server/kitchen")
        )
        _ = try store.write { try $0.insert(received, in: .default) }
    }
}

extension HTTPTestClient.Answer {
    func json() throws -> JSON { try JSON(parsing: body) }
}

extension Browser {
    /// Opens an address, and waits until the studio shows it.
    func open(_ address: String) throws {
        try open(address, until: "document.getElementById('main')?.dataset.shown")
    }
}
