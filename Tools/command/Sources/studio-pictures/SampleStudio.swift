import DivanDatabase
import DivanJSON
import DivanRevisions
import DivanStudio

/// A database with something for each page, served by a studio.
final class SampleStudio {
    /// The name of the database.
    static let name = "kitchen"

    private let store = Store.inMemory()
    private let studio: StudioServer
    /// The address to open, with the token.
    let address: String

    init() throws {
        studio = StudioServer(
            StudioConfiguration(
                store: store,
                name: Self.name,
                mayWrite: true,
                peers: { [Self.process] }
            )
        )
        address = try studio.start()
        try cook()
        try makeConflict()
    }

    deinit { studio.stop() }

    /// `http://127.0.0.1:PORT`.
    var origin: String { String(address.prefix { $0 != "?" }.dropLast()) }

    private func cook() throws {
        let soups = [
            "Borscht", "Gazpacho", "Minestrone", "Miso", "Pho", "Ramen", "Tom yum", "Goulash",
        ]
        for (number, name) in soups.enumerated() {
            let id = name.lowercased().replacing(" ", with: "-")
            for salt in 0..<3 {
                let soup: JSON = [
                    "minutes": JSON(20 + 7 * number), "name": .string(name), "salt": JSON(salt),
                    "spicy": .bool(number % 2 == 0),
                ]
                try put(id, String(decoding: soup.canonicalBytes(), as: UTF8.self))
            }
        }
    }

    private func put(_ id: String, _ body: String) throws {
        let revision = LocalRevision(DocumentID(unchecked: id), body: Array(body.utf8))
        _ = try store.save(revision, in: .default)
    }

    /// A chair that two sides changed: the color here, the price there.
    private func makeConflict() throws {
        let base = "1-5d1f0a3b7c9e2d4f6a8b0c1d3e5f7a9b"
        try receive(base, #"{"color":"red","name":"chair","price":1}"#)
        try put("chair", #"{"color":"blue","name":"chair","price":1}"#)
        let theirs = "2-9c4e1b7a3f5d2e8c6b0a4d1f7e3c5b9a"
        try receive(theirs, #"{"color":"red","name":"chair","price":2}"#, history: [base])
    }

    /// Stores a revision of the chair as a pull does.
    private func receive(_ revision: String, _ body: String, history: [String] = []) throws {
        guard let revisionID = RevisionID(revision) else { return }
        let received = RemoteRevision(
            documentID: DocumentID(unchecked: "chair"),
            revisionID: revisionID,
            history: history.compactMap { RevisionID($0) },
            body: Array(body.utf8),
            remote: try store.remoteID(for: "wss://server/kitchen")
        )
        _ = try store.write { try $0.insert(received, in: .default) }
    }

    /// What a serving process reports about itself.
    private static let process: JSON = [
        "verb": "serve", "pid": 4711, "urls": ["wss://kitchen.local:4984/kitchen"],
        "connections": ["open": 3], "documents": ["sent": 1204, "received": 87],
        "rates": ["documents": 12, "bytes": 5400], "deltas": ["bytesSaved": 182_000],
        "peers": [
            [
                "user": "anna", "address": "192.168.0.7", "active": true,
                "documentsSent": 800, "documentsReceived": 61,
            ],
            [
                "user": "bo", "address": "192.168.0.9", "active": false,
                "documentsSent": 304, "documentsReceived": 20,
            ],
            [
                "certificate": "CN=fridge", "address": "192.168.0.20", "active": true,
                "documentsSent": 100, "documentsReceived": 6,
            ],
        ],
    ]
}
