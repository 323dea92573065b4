import DivanReplicator
import DivanRevisions
import DivanStore
import Testing

/// Every client recorded against Sync Gateway, played against our passive side.
///
/// Our answers must have the same meaning as Sync Gateway's. Where they do not, the difference is listed here with its
/// reason; an unlisted difference fails, and so does a listed one that no longer occurs.
@Suite struct SyncGatewayPushTests {
    private static func collections(of database: String) -> [CollectionPath] {
        switch database {
        case "coll": ["travel.hotels", "travel.notes"].compactMap { CollectionPath($0) }
        case "mixed": [.default] + [CollectionPath("extra")].compactMap(\.self)
        default: [.default]
        }
    }

    @Test(arguments: RecordedDifference.files)
    func `our replies are equivalent to those of the recorded server`(name: String) throws {
        // Couchbase Lite, and therefore Divan, accepts no digest of three digits; these get a fourth.
        let transcript = try Transcript("sync-gateway-\(name)", replacing: ["-abc": "-abcd"])
        var sites: [String: Site] = [:]
        var found: [String] = []
        for connection in transcript.connections {
            let collections = Self.collections(of: connection.database)
            let site = try sites[connection.database] ?? prepared(transcript, connection.database)
            sites[connection.database] = site
            var replay = RecordedClient(connection, site: site, collections: collections)
            try replay.run()
            found += replay.differences + replay.missing
        }
        let allowed = RecordedDifference.all[name] ?? []
        for difference in found {
            let isAllowed = allowed.contains { difference.contains($0.text) }
            #expect(isAllowed, "\(name): \(difference)")
        }
        for entry in allowed {
            let isSeen = found.contains { $0.contains(entry.text) }
            #expect(isSeen, "\(name): no longer so: \(entry.text)")
        }
    }

    private func prepared(_ transcript: Transcript, _ database: String) throws -> Site {
        let collections = Self.collections(of: database)
        let site = try Site(collections: collections.filter { $0 != .default })
        for write in transcript.setup where write.keyspace.split(separator: ".")[0] == database {
            try site.apply(write)
        }
        // Long documents are in the recording only where they were sent.
        let later = transcript.connections.flatMap(\.entries).compactMap { entry in
            if case .write(let write) = entry { write.documentID } else { nil }
        }
        let written = Set(transcript.setup.map(\.documentID) + later)
        let messages = transcript.connections.filter { $0.database == database }.flatMap(\.messages)
        let pushed = Set(messages.filter(\.isFromClient).map { $0["id"] ?? "" })
        for message in messages where message.profile == "rev" && !message.isFromClient {
            let id = message["id"] ?? ""
            guard !written.contains(id), !pushed.contains(id),
                try site.revision(DocumentID(unchecked: id)) == nil
            else {
                continue
            }
            let history = (message["history"] ?? "").split(separator: ",").map { String($0) }
            let body = String(decoding: message.body, as: UTF8.self)
            if message["collection"] == nil {
                try site.put(DocumentID(unchecked: id), [message["rev"] ?? ""] + history, body)
            }
        }
        _ = site.takeChanges()
        return site
    }

    /// A defect that ends the connection there ends it here; others may, because this side is stricter about the layers
    /// below the messages.
    @Test func `malformed frames end the connection whenever they do at Sync Gateway`() throws {
        let stricter = [
            "empty WebSocket message", "compressed flag, empty payload",
            "empty payload, not even a properties length", "properties length beyond the message",
            "properties without the last NUL", "odd number of strings",
            "property value not UTF-8",
        ]
        let transcript = try Transcript("sync-gateway-18-malformed-frames")
        let listener = Conversation.Options().passive
        #expect(transcript.connections.count == 30)
        for connection in transcript.connections {
            var client = Counterpart(listener, try Site())
            for case .rawFrame(let bytes) in connection.entries { client.send(raw: bytes) }
            let isEnded = client.closeCode != nil
            let isStricter = stricter.contains(connection.label)
            #expect(isEnded == (connection.isEndedByServer || isStricter), "\(connection.label)")
        }
    }

    @Test func `the same subprotocol is selected`() throws {
        let transcript = try Transcript("sync-gateway-01-handshake-accepted")
        let listener = Conversation.Options().passive
        for connection in transcript.connections {
            // The newest version that both speak, whatever the client's order; version 4 is not supported here.
            let known = connection.offered.compactMap { Subprotocol($0) }
            let best = known.contains(.version3) ? Subprotocol.version3 : known.first
            #expect(listener.choose(from: connection.offered) == best, "\(connection.label)")
        }
        // Sync Gateway chooses the first that it knows, which is the first that we offer.
        let ours = transcript.connections.first { $0.offered == Subprotocol.offered }
        #expect(ours?.subprotocol == Subprotocol.version3.rawValue)
    }
}
