import DivanWebSocket
public import Foundation

/// The target of a replicator.
@preconcurrency public protocol Endpoint: Sendable {}

/// A peer reached over a WebSocket: Sync Gateway, or another application's `URLEndpointListener`.
public struct URLEndpoint: Endpoint, Sendable {
    /// The peer's URL, with the scheme `ws` or `wss` and a path that ends with the database name.
    public let url: URL

    /// Creates an endpoint from a URL in the program's code.
    ///
    /// For other errors in the URL, such as a missing database name, the replicator fails with `invalidURL` (5004).
    ///
    /// - Precondition: The scheme is `ws` or `wss`, and the URL contains no user name or password. For URLs from users
    ///   or files, use ``init(validating:)``.
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

    /// Creates an endpoint from a URL that a user entered or that was read from a file.
    ///
    /// - Throws: `invalidURL` (5004), with a message that describes the error.
    public init(validating text: String) throws {
        try translatingErrors { _ = try WebSocketURL(text) }
        guard let url = URL(string: text) else {
            throw ReplicationFailure.invalidURL(text).error
        }
        self.url = url
    }
}

/// Another database in this process, for replication without a network.
///
/// Deltas are not used, and failures are not retried. The two databases must be different.
public struct DatabaseEndpoint: Endpoint, Sendable {
    /// The database at the other end.
    public let database: Database

    /// Creates an endpoint for an open database.
    public init(database: Database) {
        self.database = database
    }
}
