import DivanBLIP
import DivanJSON
import DivanReplicator
import DivanStore
import Testing

/// Every pull recorded from Sync Gateway, played against our active side.
///
/// The recorded client was not Couchbase Lite and often did what no client does; here only the server's side counts.
/// After each connection our database must contain what the server sent, our checkpoint must be at the last announced
/// sequence, and nothing may have failed.
@Suite struct SyncGatewayPullTests {
    static let names = [
        "06-subChanges-oneshot", "07-subChanges-continuous", "08-pull-revs", "10-push-revs",
        "11-push-sync-function", "12-push-attachments", "13-pull-attachments",
        "14-deltas-community", "15-revocation-cbmobile2", "15-revocation-cbmobile3",
        "16-channel-removal-cbmobile2", "16-channel-removal-cbmobile3", "20-flow-control",
        "21-collections", "22-cbmobile4", "23-late-answers", "24-account-and-database-events",
        "25-access-grants", "26-norev-and-replacement", "27-server-stop-and-limit", "29-batches",
        "30-conflicts-allowed-sg3.3.7", "31-pull-revs-sg3.3.7",
    ]

    @Test(arguments: names, [true, false])
    func `a pull recorded from Sync Gateway stores the content sent by the server`(
        name: String,
        isFresh: Bool
    ) throws {
        try play(name, isFresh: isFresh, isIndexed: false)
    }

    /// Arriving revisions are answered first and stored later.
    @Test(arguments: names)
    func `a recorded pull into an indexed collection stores the same content`(name: String) throws {
        try play(name, isFresh: false, isIndexed: true)
    }

    private func play(_ name: String, isFresh: Bool, isIndexed: Bool) throws {
        let transcript = try Transcript("sync-gateway-\(name)")
        var kept: Kept?
        for connection in transcript.connections {
            for part in Self.subscriptions(in: connection) {
                let setting = try #require(Self.setting(of: part))
                let before =
                    isFresh || kept?.setting.collections != setting.collections
                    ? try Kept(setting, isIndexed) : try #require(kept)
                kept = try play(part, setting, before)
            }
        }
        #expect(kept != nil, "a recording without a pull proves nothing here")
    }

    /// What the client keeps after a connection.
    private struct Kept {
        let setting: RecordedServer.Setting
        let isIndexed: Bool
        let site: Site
        var model = RecordedModel()
        var checkpoint: [UInt8]?

        init(_ setting: RecordedServer.Setting, _ isIndexed: Bool) throws {
            self.setting = setting
            self.isIndexed = isIndexed
            let paths = setting.collections.compactMap { CollectionPath($0) }
            site = try Site(collections: paths.filter { $0 != .default })
            if isIndexed { for path in paths { try site.makeIndex(in: path) } }
        }
    }

    private func play(
        _ part: Transcript.Connection,
        _ setting: RecordedServer.Setting,
        _ before: Kept
    ) throws -> Kept {
        var after = before
        var replay = try RecordedServer(
            part,
            setting,
            site: before.site,
            model: before.model,
            checkpoint: before.checkpoint
        )
        try replay.run()
        // After a recording that ends in the middle, gathered revisions are stored when time passes.
        if before.isIndexed { replay.server.peer.advance(to: .milliseconds(100)) }
        let saved = try replay.finish()
        after.checkpoint = saved ?? before.checkpoint
        after.model = replay.model
        let label = part.label
        #expect(replay.server.error == nil, "\(label)")
        #expect(replay.server.closeCode == (setting.isContinuous ? nil : 1000), "\(label)")
        #expect(replay.server.requests.filter { !$0.isNoReply }.map(\.profile) == [], "\(label)")
        for (index, name) in setting.collections.enumerated() {
            let key = setting.usesCollections ? String(index) : ""
            let path = try #require(CollectionPath(name))
            let held = try RecordedModel.held(by: before.site, path)
            #expect(held == replay.model.contents[key] ?? [:], "\(label)")
            if index == 0, let last = replay.model.announced[key] {
                let copy = Checkpoint(json: after.checkpoint ?? [])
                #expect(copy.remote?.json == last, "\(label)")
            }
        }
        replay.disconnect()
        return after
    }

    /// The parts of a connection that begin with an accepted subscription.
    private static func subscriptions(
        in connection: Transcript.Connection
    ) -> [Transcript.Connection] {
        let messages = connection.messages
        let accepted = messages.filter { request in
            request.isFromClient && request.profile == "subChanges"
                && messages.contains {
                    $0.type == "RES" && !$0.isFromClient && $0.number == request.number
                }
        }
        guard let first = accepted.first else { return [] }
        // Several collections are subscribed to at the same time.
        let isOne = first["collection"] != nil
        let starts = isOne ? [first.number] : accepted.map(\.number)
        return starts.enumerated().map { place, start in
            let end = place + 1 < starts.count ? starts[place + 1] : Int.max
            return connection.part(fromRequest: start, toRequest: end)
        }
    }

    private static func setting(of part: Transcript.Connection) -> RecordedServer.Setting? {
        var setting = RecordedServer.Setting()
        let subscriptions = part.messages.filter { $0.profile == "subChanges" }
        guard let first = subscriptions.first else { return nil }
        setting.isContinuous = first["continuous"] == "true"
        setting.channels = first["channels"]?.split(separator: ",").map { String($0) } ?? []
        setting.usesCollections = first["collection"] != nil
        // A server of version 4 speaks version 3 with clients that do not offer more.
        let agreed = Subprotocol(part.subprotocol) ?? .version3
        setting.subprotocol = agreed == .version4 ? .version3 : agreed
        if part.database == "coll" {
            let isBoth = subscriptions.count > 1
            setting.collections = isBoth ? ["travel.hotels", "travel.notes"] : ["travel.hotels"]
            setting.indexes = isBoth ? ["0": "0", "2": "1"] : ["0": "0"]
        }
        return setting
    }

    @Test func `a collection that does not exist on Sync Gateway ends the replication`() throws {
        let transcript = try Transcript("sync-gateway-21-collections")
        let reply = try #require(transcript.connections[0].messages.first { $0.type == "RES" })
        let names = ["travel.hotels", "travel.nope", "travel.notes"]
        let paths = names.compactMap { CollectionPath($0) }
        var options = Conversation.Options(pushes: false)
        options.collections = paths.map { .init($0) }
        var server = Counterpart(options.active, try Site(collections: paths))
        let asked = try server.answer("getCollections", String(decoding: reply.body, as: UTF8.self))
        let sent = try JSON(parsing: asked.body.span)["collections"]?.array?.map(\.string)
        #expect(sent == names)
        #expect(server.error?.code == 404)
        #expect(server.error?.message.contains("travel.nope") == true)
    }
}

extension Transcript.Connection {
    /// The messages from one of the client's requests up to another one, whoever sent them.
    fileprivate func part(fromRequest start: Int, toRequest end: Int) -> Self {
        let isRequest = { (entry: Transcript.Entry, number: Int) in
            guard case .message(let message) = entry else { return false }
            return message.isFromClient && message.type == "REQ" && message.number == number
        }
        let from = entries.firstIndex { isRequest($0, start) } ?? entries.startIndex
        let to = entries.firstIndex { isRequest($0, end) } ?? entries.endIndex
        return Self(
            label: label,
            subprotocol: subprotocol,
            offered: offered,
            database: database,
            isEndedByServer: isEndedByServer,
            entries: Array(entries[from..<to])
        )
    }
}
