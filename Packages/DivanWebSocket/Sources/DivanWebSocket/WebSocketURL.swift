/// The URL of a database on a sync server or listener: `ws[s]://host[:port]/[path/]database`.
///
/// Source: `websocket-and-urls.md` §1.
public struct WebSocketURL: Hashable, Sendable {
    /// Host, port and the target `/path/database/_blipsync`.
    public let endpoint: WebSocketEndpoint
    /// The last component of the path.
    public let database: String

    /// Parses a URL that a user entered.
    ///
    /// - Throws: `WebSocketURLError` with the part that is wrong.
    public init(_ text: String) throws(WebSocketURLError) {
        let given = try WebSocketEndpoint(text)
        guard !given.target.contains("?") else { throw WebSocketURLError(text, .query) }
        var path = given.target[...]
        if path.hasSuffix("/") { path = path.dropLast() }
        guard let slash = path.lastIndex(of: "/") else { throw WebSocketURLError(text, .database) }
        let database = path[path.index(after: slash)...]
        guard !database.isEmpty, database.utf8.count < 240 else {
            throw WebSocketURLError(text, .database)
        }
        guard database != "_blipsync" else { throw WebSocketURLError(text, .endpointPath) }
        self.database = String(database)
        endpoint = WebSocketEndpoint(
            isSecure: given.isSecure,
            host: given.host,
            port: given.port,
            target: "\(path)/_blipsync"
        )
    }

    /// The URL that identifies the remote database, with its port and `/_blipsync`.
    ///
    /// It is the key of checkpoints and remote ancestors, so its form must never change.
    public var effectiveText: String { endpoint.description }
}
