import CouchbaseLiteSwift
import Foundation

// A small application in current style: Swift 6 mode, everything on the main actor unless marked otherwise.

/// What one screen of the application shows; on the main actor, like everything here.
final class Screen {
    private(set) var changedIDs: [String] = []
    private(set) var transferredIDs: [String] = []
    private(set) var activities: [Replicator.ActivityLevel] = []
    private(set) var titleChangeCount = 0
    private var tokens: [ListenerToken] = []

    /// Shows a collection and a replicator from now on.
    func show(_ collection: Collection, _ replicator: Replicator) {
        tokens = [
            collection.addChangeListener(on: MainActor.self) { change in
                self.changedIDs += change.documentIDs
            },
            collection.addDocumentChangeListener(id: "title", on: MainActor.self) { _ in
                self.titleChangeCount += 1
            },
            replicator.addChangeListener(on: MainActor.self) { change in
                self.activities.append(change.status.activity)
            },
            replicator.addDocumentReplicationListener(on: MainActor.self) { replication in
                self.transferredIDs += replication.documents.map(\.id)
            },
        ]
    }

    func leave() {
        for token in tokens { token.remove() }
    }

    /// Waits until the main queue has delivered everything posted before.
    func settle() async {
        await withCheckedContinuation { continuation in
            DispatchQueue.main.async { continuation.resume() }
        }
    }
}

/// Keeps the document with the greater `n`; called on the library's threads.
nonisolated final class GreaterWins: ConflictResolverProtocol {
    func resolve(conflict: Conflict) -> Document? {
        guard let local = conflict.localDocument, let remote = conflict.remoteDocument else {
            return nil
        }
        return local.int(forKey: "n") > remote.int(forKey: "n") ? local : remote
    }
}

/// Counts log lines, from any thread.
nonisolated final class LineCounter: LogSinkProtocol {
    private let count = Tally()

    var total: Int { count.total }

    func writeLog(level: LogLevel, domain: LogDomain, message: String) { count.add() }
}
