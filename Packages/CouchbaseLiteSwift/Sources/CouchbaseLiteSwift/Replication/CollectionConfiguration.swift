/// How a collection is replicated.
public struct CollectionConfiguration: Sendable {
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// The collection, if this configuration was created with one.
    ///
    /// It is implicitly unwrapped, so that code for release 4, where it is not optional, compiles.
    public var collection: Collection!

    /// Resolves conflicts that a pull finds; `nil` means ``ConflictResolver/default``.
    public var conflictResolver: (any ConflictResolverProtocol)?

    /// Selects the documents to push; `nil` pushes all.
    ///
    /// Other documents are skipped without an error.
    @preconcurrency public var pushFilter: ReplicationFilter?

    /// Selects the pulled documents to store; `nil` stores all.
    ///
    /// Other documents are reported with the error 10403.
    @preconcurrency public var pullFilter: ReplicationFilter?

    /// A name for the two filters, such as the text of their condition; `nil` means no name.
    ///
    /// Documents that a filter rejected are not checked again until they change, even if the next replication has
    /// another filter. With another name, all documents are compared again, as with other channels. An addition to the
    /// official API.
    public var filterName: String?

    /// Channels of Sync Gateway to pull from; `nil` or empty means all channels that the user can access.
    public var channels: [String]?

    /// The documents to replicate in both directions; `nil` or empty means all.
    public var documentIDs: [String]?

    /// Creates a configuration to hand to `ReplicatorConfiguration.addCollection(_:config:)`.
    @available(*, deprecated, message: "Use init(collection:)")
    public init() {}

    /// Creates a configuration for `collection`.
    public init(collection: Collection) {
        self.collection = collection
    }

    /// Creates a default configuration for each collection.
    ///
    /// - Precondition: `collections` is not empty.
    public static func fromCollections(_ collections: [Collection]) -> [Self] {
        precondition(!collections.isEmpty, "CollectionConfiguration: no collections; pass one")
        return collections.map { Self(collection: $0) }
    }

    /// Whether it was made for that collection, even if that is no longer valid.
    func isOf(_ other: Collection) -> Bool { collection?.isOfOneLife(with: other) ?? false }
}
