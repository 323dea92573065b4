import DivanListener
import DivanPlatform
import DivanReplicator
import DivanTransport

/// A client of a listener.
public struct ListenerClient: Sendable {
    /// The authenticated user name; `nil` if the listener does not require one.
    public let user: String?
    /// The certificates that the client presented in the TLS handshake, its own first.
    public let certificates: [TLSCertificate]
    /// The client's IP address, or the address of a proxy in front of the listener.
    public let address: String
    /// The client's port.
    public let port: UInt16
    /// Whether the connection uses TLS.
    public let isSecure: Bool
    /// The bearer token in the client's request, which an authenticator that checks tokens has accepted; a secret.
    public let token: String?

    init(_ client: DivanListener.ListenerClient) {
        user = client.user
        certificates = client.certificates.map { TLSCertificate($0) }
        address = client.address.host
        port = client.address.port
        isSecure = client.isSecure
        token = client.token
    }
}

/// What a client of a listener can access.
///
/// Rights apply per connection: to change them, disconnect the client, or set `isCurrent`. A client that gains the right
/// to read a document gets it with the document's next change, or after `start(reset: true)`; one that loses it keeps the revision that it
/// has.
///
/// An addition to the official API.
public struct ListenerAccess: Sendable {
    /// The collections that the client can access; `nil` means all that the listener shares.
    ///
    /// A client that requests another collection stops with 10404, as if it did not exist.
    public var collections: [Collection]?

    /// Whether the client can only pull; a push ends with 10403.
    public var readOnly = false

    /// Selects the documents that the client can read; `nil` means all.
    ///
    /// For other documents, nothing is sent: no ID, no revision, no blob, no delta. Called on the connection's thread,
    /// so it must return quickly. The body of a tombstone is empty.
    public var readFilter: ReplicationFilter?

    /// Selects the documents that the client can write; `nil` means all.
    ///
    /// It receives the document that would be stored. A rejected document fails with 10403; other documents are still
    /// pushed.
    public var writeFilter: ReplicationFilter? {
        didSet { storedFilter = nil }
    }

    /// Chooses the documents that the client may replace, by their current state; `nil` means all.
    private var storedFilter: ReplicationFilter?

    /// Whether these rights are still valid; `nil` means until the connection ends.
    ///
    /// Called by `URLEndpointListener.disconnectOutdated()`, on any thread; it must return quickly.
    public var isCurrent: (@Sendable () -> Bool)?

    private(set) var refusal: String?

    /// Limits the client to documents that meet a condition in SQL++.
    ///
    /// It cannot read, create, change or delete any others.
    ///
    /// ```swift
    /// let user = Parameters().setString(client.user, forName: "user")
    /// try access.limit(where: "owner = $user", parameters: user)
    /// ```
    ///
    /// It replaces both filters. Deletions are sent to every client, with only the document's ID, unless the condition
    /// mentions `META().deleted`; see `Collection.filter(where:)`.
    ///
    /// - Throws: The same errors as `Collection.filter(where:parameters:)`.
    public mutating func limit(where condition: String, parameters: Parameters? = nil) throws {
        let filter = try Collection.filter(where: condition, parameters: parameters)
        readFilter = filter
        writeFilter = filter
        storedFilter = filter
    }

    /// Creates access to everything that the listener shares.
    public init() {}

    /// Access to everything that the listener shares.
    public static var full: ListenerAccess { ListenerAccess() }

    /// No access: the client stops with 10403, and `explanation` appears in its log.
    public static func refused(_ explanation: String = "you may not use this listener") -> Self {
        var access = ListenerAccess()
        access.refusal = explanation
        return access
    }
}

extension ListenerAccess {
    /// The same rights as the package below expects them, limited to `shared`.
    func decision(
        within shared: PeerConfiguration.PassiveOptions,
        of configuration: [Collection]
    ) -> DivanListener.ListenerAccess {
        if let refusal { return .refused(explanation: refusal) }
        var options = shared
        options.allowsPush = shared.allowsPush && !readOnly
        if let collections {
            let paths = Set(collections.filter { configuration.contains($0) }.map(\.path))
            options.collections = shared.collections.filter { paths.contains($0) }
        }
        for collection in configuration {
            options.readFilters[collection.path] = readFilter.map { collection.engineFilter($0) }
            options.writeFilters[collection.path] = writeFilter.map { collection.engineFilter($0) }
            options.storedFilters[collection.path] = storedFilter.map {
                collection.engineFilter($0)
            }
        }
        options.bindsBlobs = shared.bindsBlobs || collections != nil || readFilter != nil
        return .granted(options, isCurrent: isCurrent)
    }
}
