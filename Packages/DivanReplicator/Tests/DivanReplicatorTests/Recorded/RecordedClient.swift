import DivanBLIP
import DivanJSON
import DivanReplicator
import DivanRevisions
import DivanStore
import Testing

/// Plays the client's side of a recorded connection against one of our passive peers, and records where our answers
/// differ in meaning from those of the recorded server.
struct RecordedClient {
    private(set) var client: Counterpart
    /// `label #number profile: theirs, ours` for each answer that differs.
    private(set) var differences: [String] = []
    /// What the recorded server sent and ours did not, or sent in another form.
    private(set) var missing: [String] = []

    private let connection: Transcript.Connection
    private let site: Site
    private var replies: [Int: BLIPIncomingReply] = [:]
    private var numbers: [Int: BLIPRequestNumber] = [:]
    /// Maps checkpoint revisions of the recording to ours.
    private var revisions: [String: String] = [:]
    /// Pairs of the recorded server's sequences and ours at the time of an announcement.
    private var sequences: [(theirs: UInt64, ours: UInt64)] = []

    init(_ connection: Transcript.Connection, site: Site, collections: [CollectionPath]) {
        self.connection = connection
        self.site = site
        var options = Conversation.Options()
        options.offered = collections
        // A database of trees treats version 4 like version 3.
        let agreed = Subprotocol(connection.subprotocol) ?? .version3
        client = Counterpart(
            options.passive,
            site,
            version: agreed == .version4 ? .version3 : agreed
        )
    }

    mutating func run() throws {
        for entry in connection.entries {
            switch entry {
            case .write(let write):
                try site.apply(write)
            case .rawFrame(let bytes):
                client.send(raw: bytes)
            case .message(let message):
                try play(message)
            }
            for change in site.takeChanges() { client.peer.storeChanged(change, at: .zero) }
            client.exchange()
        }
    }

    private mutating func play(_ message: Transcript.Message) throws {
        switch (message.isFromClient, message.type) {
        case (true, "REQ"): ask(message)
        case (true, "RES"), (true, "ERR"): try answerLists()
        case (false, "REQ"):
            try note(message)
            // Answers that come later in the recording are sent then.
            if message.profile != "changes" { try answerLists() }
            expect(message)
        case (false, "RES"), (false, "ERR"): compare(message)
        default: break  // acknowledgements are the message layer's business
        }
        try answerBlobs()
    }

    private mutating func note(_ message: Transcript.Message) throws {
        guard message.profile == "changes" else { return }
        for entry in message.json?.array ?? [] {
            guard let items = entry.array, let number = items[0].int else { continue }
            let id = items[1].string ?? ""
            let document = try site.store.read { reader in
                try reader.document(
                    DocumentID(unchecked: id),
                    in: .default,
                    includingTombstones: true
                )
            }
            if let document { sequences.append((UInt64(number), document.sequence)) }
        }
    }

    private mutating func ask(_ message: Transcript.Message) {
        var properties = message.blipProperties
        if message.profile == "setCheckpoint", let ours = revisions[message["rev"] ?? ""] {
            properties["rev"] = ours
        }
        if message.profile == "subChanges", let since = message["since"].flatMap({ UInt64($0) }) {
            properties["since"] = String(ourSequence(for: since))
        }
        numbers[message.number] = client.send(
            properties,
            message.body,
            isNoReply: message.isNoReply,
            isCompressed: message.isCompressed
        )
    }

    /// The position of our feed when the recorded one was at `since`.
    private func ourSequence(for since: UInt64) -> UInt64 {
        let known = sequences.filter { $0.theirs <= since }
        return known.map(\.ours).max() ?? (since > 1_000 ? since : 0)
    }

    /// Answers our peer's lists like the recorded client answered those of the recorded server.
    private mutating func answerLists() throws {
        while client.requests.contains(where: { $0.profile == "changes" && !$0.isNoReply }) {
            let request = try client.take("changes", where: { !$0.isNoReply })
            let entries = try JSON(parsing: request.body.span).array ?? []
            let answers = entries.map { recordedAnswer(to: $0.array ?? []) }
            let body = try JSON.array(answers).canonicalBytes()
            client.answer(request, bytes: body, recordedTerms)
        }
    }

    private mutating func answerBlobs() throws {
        while client.requests.contains(where: { $0.profile == "getAttachment" }) {
            let request = try client.take("getAttachment", where: { _ in true })
            let reply = recordedReply(to: request.properties["digest"] ?? "")
            if let reply, reply.type == "RES" {
                client.answer(request, bytes: reply.body)
            } else {
                client.refuse(request, "HTTP", 404)
            }
        }
        for profile in ["rev", "norev"] {
            for request in client.requests where request.profile == profile && !request.isNoReply {
                client.acknowledge(request)
            }
        }
    }

    private var recordedTerms: BLIPProperties {
        let reply = connection.messages.first { $0.isFromClient && $0.type == "RES" }
        return reply?.blipProperties ?? BLIPProperties()
    }

    /// The recorded client's answer to an announcement of this revision.
    private func recordedAnswer(to entry: [JSON]) -> JSON {
        var answer: JSON = 0
        for list in connection.messages where list.profile == "changes" && !list.isFromClient {
            let reply = connection.messages.first {
                $0.isFromClient && $0.type == "RES" && $0.number == list.number
            }
            let verdicts = reply?.json?.array ?? []
            for (place, recorded) in (list.json?.array ?? []).enumerated()
            where recorded.array?[1] == entry[1] && recorded.array?[2] == entry[2]
                && place < verdicts.count
            {
                answer = verdicts[place]
            }
        }
        return answer
    }

    private func recordedReply(to digest: String) -> Transcript.Message? {
        let request = connection.messages.first {
            !$0.isFromClient && $0.profile == "getAttachment" && $0["digest"] == digest
        }
        return request.flatMap { request in
            connection.messages.first {
                $0.isFromClient && $0.type != "REQ" && $0.number == request.number
            }
        }
    }

    private mutating func compare(_ message: Transcript.Message) {
        guard let number = numbers[message.number],
            let request = connection.messages.first(where: {
                $0.isFromClient && $0.type == "REQ" && $0.number == message.number
            })
        else { return }
        if request.profile.hasSuffix("Checkpoint"), let theirs = message["rev"] {
            revisions[theirs] = client.reply(to: number)?.properties["rev"]
        }
        let theirs = Self.meaning(of: message, to: request)
        let ours = client.reply(to: number).map { Self.meaning(of: $0, to: request) } ?? "silence"
        guard theirs != ours else { return }
        differences.append(
            "\(connection.label) #\(message.number) \(request.profile): \(theirs), ours \(ours)"
        )
    }

    /// Looks for a message of the recorded server among those of our peer.
    private mutating func expect(_ message: Transcript.Message) {
        guard message.profile == "rev" || message.profile == "norev" else { return }
        let place = client.requests.firstIndex { request in
            request.profile == message.profile && request.properties["id"] == message["id"]
                && request.properties["rev"] == message["rev"]
        }
        let name = "\(connection.label): \(message.profile) \(message["id"] ?? "")"
        guard let place else {
            missing.append(name)
            return
        }
        let request = client.remove(at: place)
        guard message.profile == "rev" else { return }
        for property in ["history", "replacedRev"]
        where request.properties[property] != message[property] {
            missing.append("\(name) \(property): \(request.properties[property] ?? "none")")
        }
        if request.properties.bool("deleted") != (message["deleted"] != nil) {
            missing.append("\(name) deleted")
        }
        let body = try? JSON(parsing: request.body.span)
        if RecordedModel.text(body) != RecordedModel.text(message.json) {
            missing.append("\(name) body")
        }
    }
}

// MARK: - The meaning of an answer

extension RecordedClient {
    private static func meaning(
        of reply: Transcript.Message,
        to request: Transcript.Message
    ) -> String {
        guard reply.type == "RES" else {
            return "\(reply["Error-Domain"] ?? "")/\(reply["Error-Code"] ?? "")"
        }
        return meaning(of: reply.body, to: request)
    }

    private static func meaning(
        of reply: BLIPIncomingReply,
        to request: Transcript.Message
    ) -> String {
        if let error = reply.error { return "\(error.domain)/\(error.code)" }
        return meaning(of: reply.body, to: request)
    }

    private static func meaning(of body: [UInt8], to request: Transcript.Message) -> String {
        let json = try? JSON(parsing: body.span)
        switch request.profile {
        case "proposeChanges", "changes":
            let count = request.json?.array?.count ?? 0
            let items = json?.array ?? []
            return (0..<count).map { $0 < items.count ? text(items[$0]) : "0" }
                .joined(separator: " ")
        case "getCollections":
            return (json?.array ?? []).map { item in
                var object = item.object
                object?["rev"] = nil
                object?["_rev"] = nil
                return object.map { text(.object($0)) } ?? "null"
            }.joined(separator: " ")
        case "getCheckpoint", "getRev": return json.map { text($0) } ?? ""
        case "getAttachment": return "\(body.count) bytes"
        default: return "fine"
        }
    }

    private static func text(_ value: JSON) -> String {
        String(decoding: (try? value.canonicalBytes()) ?? [], as: UTF8.self)
    }
}

extension Site {
    /// Repeats what was written on the recorded server.
    func apply(_ write: Transcript.Write) throws {
        let path = Self.path(ofKeyspace: write.keyspace)
        guard let revision = write.revisionID else {
            try store.write { _ = try $0.purge(DocumentID(unchecked: write.documentID), in: path) }
            return
        }
        let tree = try store.read {
            try $0.tree(of: DocumentID(unchecked: write.documentID), in: path)
        }
        let parent = tree?.current?.id.description
        try put(
            DocumentID(unchecked: write.documentID),
            [revision] + [parent].compactMap(\.self),
            String(decoding: write.body, as: UTF8.self),
            isTombstone: write.isTombstone,
            in: path
        )
    }

    /// `db` or `coll.travel.hotels`.
    static func path(ofKeyspace keyspace: String) -> CollectionPath {
        let name = keyspace.split(separator: ".").dropFirst().joined(separator: ".")
        return CollectionPath(name) ?? .default
    }
}
