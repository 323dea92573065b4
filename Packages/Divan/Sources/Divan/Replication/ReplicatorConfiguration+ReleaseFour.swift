/// What gives ``ReplicatorConfiguration`` the property `collections` of release 4, which has another type
/// there: the compiler takes the one that the code around asks for, and that of release 3 where both fit.
///
/// New code has `collectionConfigs` for it.
public protocol CollectionConfigurationList {
    /// The configuration of each collection.
    var collectionConfigs: [CollectionConfiguration] { get }
}

extension CollectionConfigurationList {
    /// The configuration of each collection, under its name of release 4.
    public var collections: [CollectionConfiguration] { collectionConfigs }
}

extension ReplicatorConfiguration: CollectionConfigurationList {}
