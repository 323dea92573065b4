/// The versions of the replication protocol that this package speaks.
///
/// Source: `replication.md`, first lines; `websocket-and-urls.md` §2.
public enum Subprotocol: String, Sendable, CaseIterable {
    /// Revision trees, flags in `changes`; Couchbase Lite 3, Sync Gateway 3 and later.
    case version3 = "BLIP_3+CBMobile_3"
    /// Revision trees; Couchbase Lite 2.
    case version2 = "BLIP_3+CBMobile_2"

    /// Reads the name that a handshake agreed on.
    public init?(_ name: String) {
        self.init(rawValue: name)
    }

    /// What a client offers, the best first.
    public static let offered = Self.allCases.map(\.rawValue)
}
