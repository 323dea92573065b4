import DivanWebSocket
public import Foundation

/// Where a replicator finds its peer.
@preconcurrency public protocol Endpoint: Sendable {}

/// A peer reached over a WebSocket: Sync Gateway, or another application's `URLEndpointListener`.
public struct URLEndpoint: Endpoint, Sendable {
    /// The peer's address: `ws` or `wss`, and a path that ends in the database's name.
    public let url: URL

    /// Creates an endpoint from an address that is part of the program.
    ///
    /// Any other error in it, such as a path without a database, makes the replicator's start fail with `invalidURL`
    /// (5004).
    ///
    /// - Precondition: The scheme is `ws` or `wss`, and the address contains neither user nor password. Use
    ///   ``init(validating:)`` for an address from outside.
    public init(url: URL) {
        let scheme = url.scheme?.lowercased()
        guard scheme == "ws" || scheme == "wss" else {
            stopForMisuse(
                "URLEndpoint: the URL scheme must be wss or ws"
            )
        }
        guard url.user == nil, url.password == nil else {
            stopForMisuse(
                "URLEndpoint: the URL contains a user name or password; "
                    + "set an authenticator in the configuration"
            )
        }
        self.url = url
    }

    /// Creates an endpoint from text that a person typed or that comes from a file.
    ///
    /// - Throws: `invalidURL` (5004) with a message that says what is wrong.
    public init(validating text: String) throws {
        try translatingErrors { _ = try WebSocketURL(text) }
        guard let url = URL(string: text) else {
            throw ReplicationFailure.invalidURL(text).error
        }
        self.url = url
    }
}

/// Another database in this process: replication without a network.
///
/// Deltas are never used, and a failure is never retried. The two databases must differ.
public struct DatabaseEndpoint: Endpoint, Sendable {
    /// The database at the other end.
    public let database: Database

    /// Creates an endpoint for an open database.
    public init(database: Database) {
        self.database = database
    }
}
