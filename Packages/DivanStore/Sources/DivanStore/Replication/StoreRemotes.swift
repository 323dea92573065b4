public import DivanRevisions

/// A remote that the database has replicated with.
public struct StoredRemote: Equatable, Sendable {
    /// The text that identifies it, usually its URL.
    public var name: String
    /// The number by which revision trees refer to it.
    public var id: RemoteID
}

extension Store {
    /// The number of a remote; `nil` for one never mentioned, which is not recorded by this call.
    public func knownRemoteID(for url: String) throws -> RemoteID? {
        try read { try $0.remoteID(for: url) }
    }
}

extension StoreReader {
    /// Every remote that was ever mentioned, ascending by number.
    public func remotes() throws(StoreError) -> [StoredRemote] {
        var remotes: [StoredRemote] = []
        for (name, text) in try current().values(in: .remotes) {
            remotes.append(StoredRemote(name: name, id: try remoteID(text)))
        }
        return remotes.sorted { $0.id < $1.id }
    }
}
