import DivanBLIP
import DivanLog
import DivanRevisions
import DivanStore

/// Agrees on the collections that both sides have, and how far each is: an active peer's first exchange.
///
/// One request asks for all collections and their checkpoints. A peer without collections is asked for the checkpoint
/// of the default collection instead (legacy mode), immediately if its subprotocol implies it, otherwise after it has
/// refused.
///
/// Source: `replication.md` §1.
final class CollectionNegotiation {
    /// The collections, by the number that requests carry.
    private(set) var collections: [ActiveCollection] = []

    private let options: PeerConfiguration.ActiveOptions
    private let connection: Connection
    private let make: (Int) throws -> ActiveCollection
    private let begun: () -> Void
    /// Whether the other side has accepted a request that names its collection.
    private var isModeProven = false
    /// The refusal that caused the restart: the peer may have meant the request itself, not the collection.
    private var firstRefusal: SyncError?

    /// When a continuous replication offers and requests again, over another connection, what could not be accepted.
    var nextOffer: Duration? {
        guard options.isContinuous, let since = collections.compactMap(\.failedSince).min() else {
            return nil
        }
        return since + connection.limits.longestSilence
    }

    /// The reason for doing so now.
    var dueOffer: SyncError? {
        guard let nextOffer, connection.now >= nextOffer else { return nil }
        return .http(
            .serviceUnavailable,
            "some changes could not be stored, locally or on the peer"
        )
    }

    init(
        _ options: PeerConfiguration.ActiveOptions,
        over connection: Connection,
        make: @escaping (Int) throws -> ActiveCollection,
        begun: @escaping () -> Void
    ) {
        self.options = options
        self.connection = connection
        self.make = make
        self.begun = begun
    }

    /// Requests the peer's copies of the checkpoints.
    func begin(_ version: Subprotocol) {
        do {
            let identity = options.remoteIdentity
            connection.metBefore = try connection.store.knownRemoteID(for: identity) != nil
            connection.remote = try connection.store.remoteID(for: identity)
            try makeCollections()
        } catch {
            connection.end(storage: error, .normal)
            return
        }
        // A peer that speaks only version 2 is older than collections.
        if version.version == .two, isDefaultOnly {
            askForCheckpoint()
        } else {
            connection.mode = .collections
            askForCollections()
        }
    }

    private func makeCollections() throws {
        collections = try options.collections.indices.map(make)
    }

    private var isDefaultOnly: Bool {
        collections.count == 1 && collections[0].path == .default
    }

    private func askForCheckpoint() {
        connection.mode = .legacy
        collections[0].checkpointer.ask(isForSave: false)
        connection.noteFirstWords()
    }

    private func askForCollections() {
        var properties = BLIPProperties.profile("getCollections", collection: nil)
        properties.append("uuid", Self.uuidText(connection.store.publicUUID))
        let body = CollectionsMessage.write(
            names: collections.map(\.path.wireName),
            checkpointIDs: collections.map(\.checkpointer.askedID)
        )
        connection.ask(BLIPRequest(properties: properties, body: .bytes(body)), for: .collections)
        connection.noteFirstWords()
    }

    /// The form `25947c2a-3fbf-48c9-8abe-48643cde3c32`.
    private static func uuidText(_ bytes: [UInt8]) -> String {
        var text = ""
        for (index, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(index) { text += "-" }
            let digits = String(byte, radix: 16)
            text += digits.utf8.count == 1 ? "0" + digits : digits
        }
        return text
    }

    /// Starts over in legacy mode if `reply` refuses the first request that names a collection.
    ///
    /// Listeners of version 3 that offer only the default collection answer `getCollections` and then refuse such
    /// requests. Returns whether it was such a refusal.
    ///
    /// Source: `replication.md` §1, "LC passive rules".
    func startsOver(after reply: BLIPIncomingReply, to purpose: Purpose) -> Bool {
        guard isDefaultOnly, connection.mode == .collections, !isModeProven,
            purpose.namesCollection
        else { return false }
        guard let refusal = reply.error, refusal.status == .badRequest else {
            isModeProven = reply.error == nil
            return false
        }
        firstRefusal = SyncError(refusal)
        connection.log.info("the peer only supports requests without a collection; starting over")
        connection.startOver()
        do {
            try makeCollections()
            askForCheckpoint()
        } catch {
            connection.end(storage: error, .normal)
        }
        return true
    }

    /// Handles the answer to `getCollections`.
    func received(collections reply: BLIPIncomingReply) {
        if let failure = reply.error, failure.domain == "BLIP", failure.status == .notFound,
            isDefaultOnly
        {
            askForCheckpoint()
            return
        }
        do throws(SyncError) {
            if let failure = reply.error { throw SyncError(failure) }
            let answers = try CollectionsMessage.parseAnswer(reply.body, count: collections.count)
            for (collection, answer) in zip(collections, answers) {
                switch answer {
                case .unknownCollection:
                    let name = collection.path.wireName
                    throw .http(.notFound, "collection \(name) does not exist on the server")
                case .noCheckpoint:
                    collection.checkpointer.received(peerCopy: nil, revision: "")
                case .checkpoint(let body, let revision):
                    collection.checkpointer.received(peerCopy: body, revision: revision)
                }
            }
            startCollections()
        } catch {
            connection.fail(error)
            connection.close(.doNotRetry, error: error)
        }
    }

    /// Handles the answer to `getCheckpoint`, in legacy mode.
    func received(checkpoint reply: BLIPIncomingReply) {
        if let failure = reply.error {
            var error = SyncError(failure)
            guard error.wireCode == .http(.notFound) else {
                if failure.status == .badRequest, let firstRefusal { error = firstRefusal }
                connection.fail(error)
                connection.close(.doNotRetry, error: error)
                return
            }
            collections[0].checkpointer.received(peerCopy: nil, revision: "")
        } else {
            let revision = reply.properties["rev"] ?? ""
            collections[0].checkpointer.received(peerCopy: reply.body, revision: revision)
        }
        startCollections()
    }

    /// Both copies of the checkpoints are known: starts push and pull.
    private func startCollections() {
        connection.handle(.checkpointsCompared)
        do {
            for collection in collections { try collection.start(options) }
            begun()
        } catch {
            connection.end(storage: error, .normal)
        }
    }
}
