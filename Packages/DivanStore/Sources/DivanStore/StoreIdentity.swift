internal import DivanCrypto

/// The UUIDs of a database, as they are stored.
struct StoreIdentity: Equatable, Sendable {
    var publicUUID: [UInt8]
    var privateUUID: [UInt8]
    var previousPrivateUUID: [UInt8]?

    private enum Key {
        static let publicUUID = "publicUUID"
        static let privateUUID = "privateUUID"
        static let previousPrivateUUID = "previousPrivateUUID"
    }

    /// Makes a new identity.
    init(random: any RandomSource) {
        publicUUID = random.bytes(16)
        privateUUID = random.bytes(16)
    }

    /// Reads the identity of a database, and gives one to a database that has none yet.
    init(of engine: any StorageEngine, random: any RandomSource) throws {
        if let stored = try engine.read({ try Self.read($0) }) {
            self = stored
        } else {
            let made = StoreIdentity(random: random)
            try engine.write { try made.write(to: $0) }
            self = made
        }
    }

    private init?(
        publicUUID: [UInt8]?,
        privateUUID: [UInt8]?,
        previousPrivateUUID: [UInt8]?
    ) {
        guard let publicUUID, let privateUUID else { return nil }
        self.publicUUID = publicUUID
        self.privateUUID = privateUUID
        self.previousPrivateUUID = previousPrivateUUID
    }

    private static func read(_ snapshot: any StorageSnapshot) throws(StoreError) -> Self? {
        StoreIdentity(
            publicUUID: try snapshot.value(Key.publicUUID, in: .database),
            privateUUID: try snapshot.value(Key.privateUUID, in: .database),
            previousPrivateUUID: try snapshot.value(Key.previousPrivateUUID, in: .database)
        )
    }

    /// Stores the identity and sees to it that there is a default collection.
    func write(to transaction: any StorageTransaction) throws(StoreError) {
        try transaction.setValue(publicUUID, for: Key.publicUUID, in: .database)
        try transaction.setValue(privateUUID, for: Key.privateUUID, in: .database)
        try transaction.setValue(
            previousPrivateUUID,
            for: Key.previousPrivateUUID,
            in: .database
        )
        if try transaction.collection(.default) == nil {
            _ = try transaction.createCollection(.default)
        }
    }

    /// The identity of a copy: new, and aware of where it comes from.
    func copied(random: any RandomSource) -> StoreIdentity {
        var copy = StoreIdentity(random: random)
        copy.previousPrivateUUID = privateUUID
        return copy
    }
}
