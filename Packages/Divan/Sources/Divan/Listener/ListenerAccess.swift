import DivanListener
import DivanReplicator
import DivanTransport

/// A client of a listener that has proven who it is, as far as it was asked to.
public struct ListenerClient: Sendable {
    /// The user's name; `nil` without an authenticator that asks for one.
    public let user: String?
    /// What the client presented in the TLS handshake, its own certificate first.
    public let certificates: [TLSCertificate]
    /// The client's IP address, or that of a proxy in front.
    public let address: String
    /// The client's port.
    public let port: UInt16
    /// Whether the connection has TLS.
    public let isSecure: Bool

    init(_ client: DivanListener.ListenerClient) {
        user = client.user
        certificates = client.certificates.map { TLSCertificate($0) }
        address = client.address.host
        port = client.address.port
        isSecure = client.isSecure
    }
}

/// What one client of a listener may do, within what the listener shares.
///
/// Rights hold for a connection: to change them, disconnect the client. A client that could not read
/// a document and now may gets it with its next change, or after `start(reset: true)`; one that may
/// no longer read a document keeps the revision that it has.
///
/// An addition to the official API.
public struct ListenerAccess: Sendable {
    /// The only collections that the client may use; `nil` means all that the listener shares.
    ///
    /// A client that asks for another stops with 10404, as if it were not there.
    public var collections: [Collection]?

    /// Whether the client may only pull; a push stops with 10403.
    public var readOnly = false

    /// Chooses the documents that the client may see; `nil` means all.
    ///
    /// Nothing of the others leaves: no ID, no revision, no blob, no difference that was made from
    /// one. Called on the connection's own thread, so be quick; the body of a tombstone is empty.
    public var readFilter: ReplicationFilter?

    /// Chooses the documents that the client may store; `nil` means all.
    ///
    /// It sees what would be stored. A refusal is 10403 for the document; the others go on.
    public var writeFilter: ReplicationFilter? {
        didSet { storedFilter = nil }
    }

    /// Chooses the documents that the client may replace, as they are now; `nil` means all.
    private var storedFilter: ReplicationFilter?

    private(set) var refusal: String?

    /// Limits the client to the documents that meet a condition in SQL++: it sees no others, stores
    /// no others, and can neither change nor delete one that is another's.
    ///
    /// ```swift
    /// let user = Parameters().setString(client.user, forName: "user")
    /// try access.limit(where: "owner = $user", parameters: user)
    /// ```
    ///
    /// It replaces both filters. That a document was deleted is told to every client, and only its
    /// ID, unless the condition speaks of `META().deleted`; see `Collection.filter(where:)`.
    ///
    /// - Throws: As `Collection.filter(where:parameters:)`.
    public mutating func limit(where condition: String, parameters: Parameters? = nil) throws {
        let filter = try Collection.filter(where: condition, parameters: parameters)
        readFilter = filter
        writeFilter = filter
        storedFilter = filter
    }

    /// Creates access to everything that the listener shares.
    public init() {}

    /// Everything that the listener shares.
    public static var full: ListenerAccess { ListenerAccess() }

    /// Nothing: the client stops with 10403, and `explanation` goes into its log.
    public static func refused(_ explanation: String = "you may not use this listener") -> Self {
        var access = ListenerAccess()
        access.refusal = explanation
        return access
    }
}

extension ListenerAccess {
    /// The same in the terms of the package below, within `shared`.
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
        return .granted(options)
    }
}
