/// The name under which a database remembers a peer.
enum PeerURL {
    /// The URL as a person types it.
    static func text(_ remote: String) -> String {
        let suffix = "/_blipsync"
        return remote.hasSuffix(suffix) ? String(remote.dropLast(suffix.count)) : remote
    }
}
