import DivanHTTP

/// The answer to a request of an authenticated client, for a log of who did what.
public struct RESTAnswer: Sendable {
    /// The client.
    public let client: RESTClient
    /// The method.
    public let method: String
    /// The path as sent, without the query, which may contain data.
    public let path: String
    /// The HTTP status of the answer.
    public let status: Int
    /// Whether the request was to change something; false for queries and other reads.
    public let isWriting: Bool

    init(_ request: HTTPRequest, by client: RESTClient, status: Int) {
        self.client = client
        self.status = status
        method = request.method
        path = request.target.path
        isWriting =
            switch request.method {
            case "GET", "HEAD", "OPTIONS": false
            default: (try? RESTRoute(request.target))?.endpoint.isQuery != true
            }
    }
}
