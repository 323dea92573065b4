import Divan
import Foundation

/// A database that syncs with those of all peers in the room, which are found by DNS-SD.
actor Room {
    private let database: Database
    private let notes: DocumentCollection
    private let listener: Listener
    private let password: String
    private let pins: Pins
    private let report: @Sendable (String) -> Void
    private var neighbours: [String: (peer: Neighbour, sync: Task<Void, Never>)] = [:]

    /// Listens, and advertises the listener.
    init(
        directory: URL,
        name: String,
        password: String,
        report: @escaping @Sendable (String) -> Void
    ) async throws {
        self.password = password
        self.report = report
        pins = try Pins(directory: directory)
        database = try await Database.open("room", in: directory)
        notes = try database.documents
        try await notes.save(Document(id: name, ["text": DocumentValue("hello from \(name)")]))
        var options = Listener.Options()
        options.identityStorage = .directory(directory.appending(path: "identities"))
        options.advertisedName = name
        listener = try await Listener.start(
            sharing: database,
            users: .passwords(["room": password]),
            options: options
        )
        report("listens")
    }

    /// Syncs with all other peers until the task is cancelled.
    func run() async throws {
        async let arrivals: Void = reportArrivals()
        for try await peers in Discovery.network.peers { meet(peers) }
        try await arrivals
    }

    func close() async throws {
        for neighbour in neighbours.values { neighbour.sync.cancel() }
        await listener.stop()
        try await database.close()
    }

    private func reportArrivals() async throws {
        for await change in notes.changes {
            for id in change.ids where try await notes.contains(id) { report("has \(id)") }
        }
    }

    /// Handles peers that are new, that have left, or that have moved to another address.
    private func meet(_ peers: [Discovery.Peer]) {
        // Our own advertisement is found too, under another name if ours was used.
        let own = listener.certificate?.fingerprint
        let others = peers.filter { $0.database == "room" && $0.fingerprint != own }
        for (name, neighbour) in neighbours where !others.contains(where: { $0.name == name }) {
            neighbour.sync.cancel()
            neighbours[name] = nil
            report("lost \(name)")
        }
        for peer in others {
            let former = neighbours[peer.name]
            guard let url = peer.url,
                former?.peer.url != url || former?.peer.fingerprint != peer.fingerprint
            else { continue }
            former?.sync.cancel()
            let neighbour = Neighbour(
                name: peer.name,
                url: url,
                fingerprint: peer.fingerprint,
                database: database,
                password: password,
                pins: pins,
                report: report
            )
            neighbours[peer.name] = (neighbour, Task { await neighbour.meet() })
        }
    }
}
