/// Adds the property `collections` of release 4, which has another type, to ``ReplicatorConfiguration``.
///
/// The compiler selects the property by its type, and prefers that of release 3.
///
/// In new code, use `collectionConfigs`.
public protocol CollectionConfigurationList {
    /// The configuration of each collection.
    var collectionConfigs: [CollectionConfiguration] { get }
}

extension CollectionConfigurationList {
    /// The configuration of each collection, with the name of release 4.
    public var collections: [CollectionConfiguration] { collectionConfigs }
}

extension ReplicatorConfiguration: CollectionConfigurationList {}
