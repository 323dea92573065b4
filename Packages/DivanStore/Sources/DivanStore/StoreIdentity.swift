public import DivanCrypto
public import DivanRevisions

/// The UUIDs of a database, as they are stored.
@_spi(Database) public struct StoreIdentity: Equatable, Sendable {
    var publicUUID: [UInt8]
    var privateUUID: [UInt8]
    var previousPrivateUUID: [UInt8]?
    /// How revisions are named.
    var scheme = RevisionScheme.trees
    /// The source that writes them, if revisions name one; the public UUID unless that had a double.
    var source: SourceID?
    /// The latest time that was stored for the clock.
    var clockTime: UInt64 = 0
    /// Whether no later time than that was given.
    var isClockExact = false
    /// The last save that was unusually far ahead of all earlier ones.
    var clockJump: ClockJump?

    private enum Key {
        static let scheme = "revisionScheme"
        static let source = "versionSource"
        static let clockTime = "versionClock"
        // The same time if it is exact; a Divan that does not know this key leaves another time here.
        static let exactClockTime = "versionClockExact"
        // Two times in nanoseconds since 1970, separated by a space.
        static let clockJump = "versionClockJump"
        static let publicUUID = "publicUUID"
        static let privateUUID = "privateUUID"
        static let previousPrivateUUID = "previousPrivateUUID"
    }

    /// Creates a new identity.
    public init(random: any RandomSource) {
        publicUUID = random.bytes(16)
        privateUUID = random.bytes(16)
    }

    /// Reads the identity of a database, or gives one to a database without.
    public init(of engine: any StorageEngine, random: any RandomSource) throws {
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
        var identity = StoreIdentity(
            publicUUID: try snapshot.value(Key.publicUUID, in: .database),
            privateUUID: try snapshot.value(Key.privateUUID, in: .database),
            previousPrivateUUID: try snapshot.value(Key.previousPrivateUUID, in: .database)
        )
        if let scheme = try Self.scheme(in: snapshot) { identity?.scheme = scheme }
        identity?.source = try snapshot.value(Key.source, in: .database)
            .flatMap { SourceID(bytes: $0) }
        let time = try snapshot.value(Key.clockTime, in: .database)
        identity?.clockTime = time.flatMap { UInt64(String(decoding: $0, as: UTF8.self)) } ?? 0
        let exactTime = try snapshot.value(Key.exactClockTime, in: .database)
        identity?.isClockExact = time != nil && exactTime == time
        identity?.clockJump = try snapshot.value(Key.clockJump, in: .database)
            .flatMap { ClockJump(stored: $0) }
        return identity
    }

    /// How revisions are named; `nil` if that was never chosen, which means trees.
    static func scheme(in snapshot: any StorageSnapshot) throws(StoreError) -> RevisionScheme? {
        guard let bytes = try snapshot.value(Key.scheme, in: .database) else { return nil }
        let name = String(decoding: bytes, as: UTF8.self)
        guard let scheme = RevisionScheme(rawValue: name) else {
            throw StoreError(.corrupt("unknown revision scheme \(name)"))
        }
        return scheme
    }

    /// The source that this database writes versions as.
    var writer: SourceID { source ?? SourceID(bytes: publicUUID) ?? .me }

    /// Stores how revisions are named, their source, and the clock's time; a database with trees
    /// stores none of this.
    func writeVersioning(to transaction: any StorageTransaction) throws(StoreError) {
        guard scheme != .trees else { return }
        try transaction.setValue(Array(scheme.rawValue.utf8), for: Key.scheme, in: .database)
        try transaction.setValue(source?.bytes, for: Key.source, in: .database)
        let time = Array(String(clockTime).utf8)
        try transaction.setValue(time, for: Key.clockTime, in: .database)
        try transaction.setValue(
            isClockExact ? time : nil,
            for: Key.exactClockTime,
            in: .database
        )
        try transaction.setValue(clockJump?.stored, for: Key.clockJump, in: .database)
        try transaction.formatWriting?.requireFormat(.vectors)
    }

    /// The values of a new identity as SQL expressions, for a file that cannot be opened yet.
    public static func newValues(
        naming scheme: RevisionScheme
    ) -> [(key: String, expression: String)] {
        [
            (Key.publicUUID, "randomblob(16)"), (Key.privateUUID, "randomblob(16)"),
            (Key.scheme, "CAST('\(scheme.rawValue)' AS BLOB)"),
        ]
    }

    /// Stores the identity, and creates the default collection if it is missing.
    public func write(to transaction: any StorageTransaction) throws(StoreError) {
        try transaction.setValue(publicUUID, for: Key.publicUUID, in: .database)
        try transaction.setValue(privateUUID, for: Key.privateUUID, in: .database)
        try transaction.setValue(
            previousPrivateUUID,
            for: Key.previousPrivateUUID,
            in: .database
        )
        if previousPrivateUUID != nil {
            // A copy writes as its own source.
            try transaction.setValue(nil, for: Key.source, in: .database)
        }
        try writeVersioning(to: transaction)
        if try transaction.collection(.default) == nil {
            _ = try transaction.createCollection(.default)
        }
    }

    /// The identity of a copy: new, with a record of where it comes from.
    public func copied(random: any RandomSource) -> StoreIdentity {
        var copy = StoreIdentity(random: random)
        copy.previousPrivateUUID = privateUUID
        copy.scheme = scheme
        copy.clockTime = clockTime
        return copy
    }
}

extension ClockJump {
    fileprivate init?(stored bytes: [UInt8]) {
        let times = String(decoding: bytes, as: UTF8.self).split(separator: " ").map { UInt64($0) }
        guard times.count == 2, let from = times[0], let to = times[1], from < to else {
            return nil
        }
        self.init(from: from, to: to)
    }

    fileprivate var stored: [UInt8] { Array("\(from) \(to)".utf8) }
}
