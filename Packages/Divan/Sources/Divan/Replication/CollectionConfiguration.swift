/// How one collection takes part in a replication.
public struct CollectionConfiguration: Sendable {
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// The collection, when this configuration was made for one.
    ///
    /// Implicitly unwrapped, so that code for release 4, where it is not optional, compiles.
    public var collection: Collection!

    /// Resolves conflicts that a pull finds; `nil` means ``ConflictResolver/default``.
    public var conflictResolver: (any ConflictResolverProtocol)?

    /// Chooses the local documents to send; `nil` sends all.
    ///
    /// A refusal is silent.
    @preconcurrency public var pushFilter: ReplicationFilter?

    /// Chooses the received documents to store; `nil` stores all.
    ///
    /// A refusal is reported as 10403.
    @preconcurrency public var pullFilter: ReplicationFilter?

    /// A name for what the two filters let through, such as the text that they are made of; `nil` gives them none.
    ///
    /// What a filter has refused is not looked at again until it changes, even if the next replication has another
    /// filter. Under another name everything is compared anew, as with other channels. An addition to the official API.
    public var filterName: String?

    /// Channels of Sync Gateway to pull from; `nil` or empty means all that the user may read.
    public var channels: [String]?

    /// The only documents to replicate, both ways; `nil` or empty means all.
    public var documentIDs: [String]?

    /// Creates a configuration to hand to `ReplicatorConfiguration.addCollection(_:config:)`.
    @available(*, deprecated, message: "Use init(collection:)")
    public init() {}

    /// Creates a configuration for `collection`.
    public init(collection: Collection) {
        self.collection = collection
    }

    /// Creates one plain configuration for each collection.
    ///
    /// - Precondition: `collections` is not empty.
    public static func fromCollections(_ collections: [Collection]) -> [Self] {
        precondition(!collections.isEmpty, "CollectionConfiguration: no collections; pass one")
        return collections.map { Self(collection: $0) }
    }

    /// Whether it was made for that collection, even if that is no longer valid.
    func isOf(_ other: Collection) -> Bool { collection?.isOfOneLife(with: other) ?? false }
}
