/// The parts of a URL that cookies depend on.
public struct CookieLocation: Sendable, Equatable {
    /// Host name or IP address, in lower case, without brackets.
    public let host: String
    /// The path, with its leading slash and without a query.
    public let path: String
    /// Whether the connection is encrypted.
    public let isSecure: Bool

    /// Creates the location of a request.
    public init(host: String, path: String, isSecure: Bool) {
        let text =
            host.hasPrefix("[") && host.hasSuffix("]") ? host.dropFirst().dropLast() : host[...]
        self.host = text.lowercased()
        self.path = path
        self.isSecure = isSecure
    }
}
