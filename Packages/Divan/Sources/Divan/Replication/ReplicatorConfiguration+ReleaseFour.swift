/// Gives ``ReplicatorConfiguration`` the property `collections` of release 4, which has a different type there: the
/// compiler picks the one that the surrounding code needs, and that of release 3 if both fit.
///
/// New code uses `collectionConfigs`.
public protocol CollectionConfigurationList {
    /// The configuration of each collection.
    var collectionConfigs: [CollectionConfiguration] { get }
}

extension CollectionConfigurationList {
    /// The configuration of each collection, under its name of release 4.
    public var collections: [CollectionConfiguration] { collectionConfigs }
}

extension ReplicatorConfiguration: CollectionConfigurationList {}
