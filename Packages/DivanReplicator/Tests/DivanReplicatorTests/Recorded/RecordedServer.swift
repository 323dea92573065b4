import DivanBLIP
import DivanJSON
import DivanReplicator
import DivanRevisions
import DivanStore
import Testing

/// Plays the server's side of a recorded connection against one of our active peers, whatever the recorded client was.
///
/// The server's messages are sent in the recorded order; our peer's requests are matched by profile. A revision is sent
/// only if our peer requested it, and one that our peer requested and the recorded client did not is answered with
/// `norev`, like by a server that lost the body. What our database must contain afterwards is computed from the
/// messages.
struct RecordedServer {
    /// The settings of one connection.
    struct Setting {
        var collections: [String] = ["_default"]
        /// The recording's indexes of these collections.
        var indexes: [String: String] = ["0": "0"]
        var usesCollections = false
        var isContinuous = false
        var channels: [String] = []
        var subprotocol = Subprotocol.version3
    }

    let label: String
    let site: Site
    var model: RecordedModel
    private(set) var server: Counterpart
    private let setting: Setting
    private let messages: [Transcript.Message]
    private var asked: Set<RecordedModel.Asked> = []

    init(
        _ connection: Transcript.Connection,
        _ setting: Setting,
        site: Site,
        model: RecordedModel,
        checkpoint: [UInt8]?
    ) throws {
        label = connection.label
        messages = connection.messages
        self.setting = setting
        self.site = site
        self.model = model
        var options = Conversation.Options(pushes: false, isContinuous: setting.isContinuous)
        options.collections = setting.collections.compactMap { CollectionPath($0) }.map { path in
            var collection = PeerConfiguration.CollectionOptions(path)
            collection.channels = setting.channels
            return collection
        }
        server = Counterpart(options.active, site, version: setting.subprotocol)
        try handshake(checkpoint)
    }

    /// The server has our checkpoint, or none.
    private mutating func handshake(_ checkpoint: [UInt8]?) throws {
        if setting.usesCollections {
            let copies = setting.collections.indices.map { index in
                guard index == 0, let checkpoint else { return "{}" }
                return #"{"_rev":"0-1","# + String(decoding: checkpoint.dropFirst(), as: UTF8.self)
            }
            try server.answer("getCollections", "[\(copies.joined(separator: ","))]")
        } else {
            if setting.subprotocol == .version3 { try server.refuse("getCollections", "BLIP", 404) }
            if let checkpoint {
                let text = String(decoding: checkpoint, as: UTF8.self)
                try server.answer("getCheckpoint", text, ["rev": "0-1"])
            } else {
                try server.refuse("getCheckpoint", "HTTP", 404)
            }
        }
        for _ in setting.collections { try server.answer("subChanges") }
    }

    /// Plays one subscription, from its acceptance to the next one or to the end.
    mutating func run() throws {
        for message in messages where !message.isFromClient && message.type == "REQ" {
            switch message.profile {
            case "changes": try announce(message)
            case "rev": try send(message)
            case "norev": sayMissing(message)
            default: break  // what a server asks of a client that pushes
            }
        }
        for missing in asked.sorted(by: { $0.sequence < $1.sequence }) {
            server.ask("norev", properties(of: missing), isNoReply: true)
        }
        asked = []
    }

    /// Answers what is left, and returns the last checkpoint that our peer saved for the first collection.
    mutating func finish() throws -> [UInt8]? {
        var saved: [UInt8]?
        for _ in 0..<10 {
            while server.requests.contains(where: { $0.profile == "setCheckpoint" }) {
                let request = try server.answer("setCheckpoint", "", ["rev": "0-2"])
                if (request.properties["collection"] ?? "0") == "0" { saved = request.body }
            }
            guard let deadline = server.peer.deadline else { break }
            server.now = deadline
            server.peer.advance(to: deadline)
            server.exchange()
        }
        return saved
    }

    mutating func disconnect() {
        server.peer.disconnected(at: server.now)
    }

    private func properties(of message: Transcript.Message) -> BLIPProperties {
        var properties = BLIPProperties()
        for (name, value) in message.properties where name != "Profile" {
            properties.append(name, name == "collection" ? setting.indexes[value] ?? value : value)
        }
        return properties
    }

    private func properties(of missing: RecordedModel.Asked) -> BLIPProperties {
        var properties: BLIPProperties = [
            "id": missing.documentID, "rev": missing.revision, "sequence": missing.sequence,
            "error": "404", "reason": "missing",
        ]
        if !missing.collection.isEmpty { properties["collection"] = missing.collection }
        return properties
    }

    private mutating func announce(_ message: Transcript.Message) throws {
        let properties = properties(of: message)
        let reply = server.ask(
            "changes",
            properties,
            String(decoding: message.body, as: UTF8.self),
            isNoReply: message.isNoReply
        )
        guard !message.isNoReply else { return }
        let answer = try #require(reply, "\(label): changes \(message.number) is not answered")
        #expect(answer.error == nil, "\(label): changes \(message.number)")
        #expect(answer.properties["maxHistory"] == "50")
        #expect(answer.properties["blobs"] == "true")
        let collection = properties["collection"] ?? ""
        let wanted = try JSON(parsing: answer.body.span).array ?? []
        let announced = model.announce(message.json?.array ?? [], in: collection)
        #expect(wanted.count <= announced.count, "\(label): a long answer ends the connection")
        for (index, entry) in announced.enumerated() {
            let item = index < wanted.count ? wanted[index] : 0
            #expect((item.array != nil) == entry.isNews, "\(label): \(entry.asked) gets \(item)")
            if item.array != nil { asked.insert(entry.asked) }
        }
    }

    private mutating func send(_ message: Transcript.Message) throws {
        let properties = properties(of: message)
        let wanted = RecordedModel.Asked(
            collection: properties["collection"] ?? "",
            documentID: properties["id"] ?? "",
            revision: properties["replacedRev"] ?? properties["rev"] ?? "",
            sequence: properties["sequence"] ?? ""
        )
        guard asked.remove(wanted) != nil else { return }
        server.ask(
            "rev",
            properties,
            String(decoding: message.body, as: UTF8.self),
            isNoReply: message.isNoReply
        )
        var hasAttachments = true
        while server.requests.contains(where: { $0.profile == "getAttachment" }) {
            let digest = try server.next("getAttachment").properties["digest"] ?? ""
            if let content = content(of: digest) {
                try server.answer("getAttachment", bytes: content)
            } else {
                hasAttachments = false
                try server.refuse("getAttachment", "HTTP", 404)
            }
        }
        if hasAttachments { model.receive(message, wanted.collection) }
    }

    private mutating func sayMissing(_ message: Transcript.Message) {
        let properties = properties(of: message)
        asked = asked.filter { wanted in
            wanted.documentID != properties["id"] || wanted.revision != properties["rev"]
        }
        server.ask("norev", properties, isNoReply: message.isNoReply)
    }

    /// The recorded server's content for this digest.
    private func content(of digest: String) -> [UInt8]? {
        for request in messages
        where request.profile == "getAttachment" && request["digest"] == digest {
            let reply = messages.first {
                $0.type == "RES" && $0.number == request.number
                    && $0.isFromClient != request.isFromClient
            }
            if let reply { return reply.body }
        }
        return nil
    }
}
