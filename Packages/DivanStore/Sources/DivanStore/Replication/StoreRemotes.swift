public import DivanRevisions

/// A remote that the database has replicated with.
public struct StoredRemote: Equatable, Sendable {
    /// The text that identifies it, usually its URL.
    public var name: String
    /// The number that revision trees use for it.
    public var id: RemoteID
}

extension Store {
    /// The number of a remote; `nil` if the remote is unknown.
    ///
    /// Does not assign a number.
    public func knownRemoteID(for url: String) throws -> RemoteID? {
        try read { try $0.remoteID(for: url) }
    }
}

extension StoreReader {
    /// All known remotes, ascending by number.
    public func remotes() throws(StoreError) -> [StoredRemote] {
        var remotes: [StoredRemote] = []
        for (name, text) in try current().values(in: .remotes) {
            remotes.append(StoredRemote(name: name, id: try remoteID(text)))
        }
        return remotes.sorted { $0.id < $1.id }
    }
}
