import DivanBLIP
import DivanCrypto
import DivanJSON
import DivanReplicator
import DivanRevisions
import DivanStore
import DivanTestKit
import Synchronization
import Testing

/// A recording that describes what was done to several databases, and how they synced: here all are Divan databases,
/// which do the same at the same times, each playing its part against the recorded other side.
///
/// Differences from the recording are collected: on the wire, and in the databases after each connection.
final class RecordedScenario {
    private(set) var differences: [String] = []
    private let transcript: Transcript
    private let connections: [JSON]
    /// The recorded state of the databases at the end.
    private let finalState: JSONObject?
    private let sources: [String: String]
    private let path: CollectionPath
    private var databases: [String: ScenarioDatabase] = [:]

    init(_ name: String) throws {
        transcript = try Transcript("litecore-" + name)
        let bytes = try Fixture("transcripts/litecore-\(name).json").bytes()
        let root = try JSON(parsing: String(decoding: bytes, as: UTF8.self))
        connections = root["connections"]?.array ?? []
        finalState = root["databases_after"]?.object
        let opening = transcript.connections.lazy.flatMap(\.messages).first {
            $0.profile == "getCollections" && $0.type == "REQ"
        }
        let collection = opening?.json?["collections"]?.array?.first?.string
        path = collection.flatMap { $0 == "_default" ? nil : CollectionPath($0) } ?? .default
        sources = (root["sources"]?.object ?? JSONObject()).reduce(into: [:]) { sources, member in
            sources[member.key] = member.value.string
        }
    }

    /// Repeats the actions, plays every connection from both ends, and compares the results.
    func play() throws {
        for (index, connection) in connections.enumerated() {
            for text in connection["before"]?.array ?? [] {
                guard let text = text.string else { continue }
                try perform(text, before: index)
            }
            let label = connection["label"]?.string ?? ""
            let ends = [connection["client"]?.string, connection["server"]?.string]
            for (name, isActive) in zip(ends, [true, false]) {
                guard let name, let database = databases[name] else { continue }
                let other = (isActive ? ends[1] : ends[0]) ?? ""
                try play(index, database, against: other, isActive: isActive)
            }
            for name in ends.compactMap(\.self) {
                guard let database = databases[name] else { continue }
                let expected = connection["databases_after"]?[name]?.array ?? []
                differences += try database.differences(from: expected).map {
                    "\(label), \(name) after: \($0)"
                }
            }
        }
    }

    // MARK: Before a connection

    /// `A: doc saved {…}`, `A: conflict of doc resolved: local` and the like.
    private func perform(_ text: String, before index: Int) throws {
        let parts = text.split(separator: ": ", maxSplits: 1).map { String($0) }
        try #require(parts.count == 2)
        let (name, deed) = (parts[0], parts[1])
        if let copy = deed.wrapped(by: "copied to ", " (") {
            databases[copy] = try databases[name]?.copy(copy, source: sources[copy] ?? "")
            return
        }
        if deed.hasPrefix("new database") {
            databases[name] = try ScenarioDatabase(
                name,
                scheme: deed.hasSuffix("trees") ? .trees : .vectors,
                source: sources[name] ?? "",
                at: path
            )
            return
        }
        let database = try #require(databases[name], "\(text)")
        if deed.hasPrefix("opened with version vectors") {
            try database.site.store.upgradeToVersionVectors()
        } else if let id = deed.wrapped(by: "conflict of ", " resolved: ") {
            let answer = String(deed.drop { $0 != ":" }.dropFirst(2))
            try database.resolve(id, answer, at: time(of: id, name, from: index))
        } else if deed.hasSuffix(" purged") {
            try database.site.purge(DocumentID(unchecked: String(deed.prefix { $0 != " " })))
        } else if let id = deed.wrapped(by: "", " saved ") {
            let words = String(deed.dropFirst(id.count + 7))
            let body =
                words.hasPrefix("{") ? words : try recordedBody(of: id, name, words, from: index)
            try database.save(id, body, at: time(of: id, name, text, from: index))
        } else if deed.hasSuffix(" deleted") {
            let id = String(deed.dropLast(8))
            try database.save(id, nil, at: time(of: id, name, text, from: index))
        } else {
            throw Unknown(text: text)
        }
    }

    /// An action unknown to the test.
    private struct Unknown: Error { var text: String }

    /// The time of an action: the next recorded time, or slightly earlier if another action follows that was not
    /// recorded separately.
    private func time(
        of id: String,
        _ name: String,
        _ text: String,
        from index: Int
    ) throws -> UInt64? {
        let deeds = (connections[index]["before"]?.array ?? []).compactMap(\.string)
            .filter { $0.hasPrefix("\(name): \(id) ") }
        guard let time = time(of: id, name, from: index) else { return nil }
        let laterCount = deeds.count - 1 - (deeds.firstIndex(of: text) ?? deeds.count - 1)
        return laterCount == 0 ? time : (time >> 16 - UInt64(laterCount)) << 16
    }

    /// When the recorded database next wrote the document: the first of its own times that is later than all its known
    /// writes.
    private func time(of id: String, _ name: String, from index: Int) -> UInt64? {
        guard let source = sources[name].flatMap({ Version("1ffffffffffff@" + $0)?.source }),
            let database = databases[name]
        else { return nil }
        let states = connections[index...].map { $0["databases_after"]?.object } + [finalState]
        for state in states {
            for (_, list) in state ?? JSONObject() {
                let times = (list.array ?? list["documents"]?.array ?? []).filter {
                    $0["id"]?.string == id
                }
                .compactMap { $0["history"]?.string.flatMap { MixedVector(lenient: $0) } }
                .map { $0.vector.time(of: source) }
                .filter { $0 > database.latestTime(of: id) }
                if let time = times.min() { return time }
            }
        }
        return nil
    }

    /// The body that an action wrote, if only its changes are recorded.
    private func recordedBody(
        of id: String,
        _ name: String,
        _ words: String,
        from index: Int
    ) throws -> String {
        if let count = words.firstRange(of: "visits ").flatMap({ Int64(words[$0.upperBound...]) }) {
            let messages = transcript.connections.flatMap(\.messages)
            let full = messages.first {
                $0.profile == "rev" && $0["id"] == id && $0["deltaSrc"] == nil
                    && $0.json?["visits"] != nil
            }
            var body = full?.json?.object ?? JSONObject()
            body["visits"] = .init(count)
            return String(decoding: try JSON.object(body).canonicalBytes(), as: UTF8.self)
        }
        if words == "the same", let database = databases[name], let body = database.lastBody {
            return body
        }
        for connection in connections[index...] {
            for item in connection["databases_after"]?[name]?.array ?? []
            where item["id"]?.string == id {
                guard let body = item["body"] else { continue }
                return String(decoding: try body.canonicalBytes(), as: UTF8.self)
            }
        }
        return "{}"
    }

    // MARK: Connections

    private func play(
        _ index: Int,
        _ database: ScenarioDatabase,
        against other: String,
        isActive: Bool
    ) throws {
        let connection = transcript.connections[index]
        guard let subprotocol = Subprotocol(connection.subprotocol) else { return }
        let mode = connections[index]["active_mode"]?.string ?? ""
        var options = Conversation.Options(
            pushes: !mode.hasPrefix("pull"),
            pulls: !mode.hasPrefix("push"),
            isContinuous: mode.contains("continuous")
        )
        options.isReset = mode.contains("reset")
        options.usesDeltas = !mode.contains("deltas off")
        options.remoteIdentity = "ws://\(other):4984/db/_blipsync"
        options.collections = [.init(database.path)]
        var configuration = isActive ? options.active : options.passive
        configuration.scheme = database.site.store.scheme
        try storeBlobs(connection, isActive: isActive, in: database)
        _ = database.site.takeChanges()
        var replay = Replay(
            configuration.makePeer(store: database.site.store),
            playsServer: isActive,
            label: connection.label + (isActive ? ", client" : ", server")
        )
        replay.subprotocol = subprotocol
        replay.site = database.site
        replay.collects = true
        replay.checkpoint = isActive ? database.checkpoints[other] : nil
        database.setClockPastAll()
        if mode.contains("continuous") {
            replay.onMessage = { [self] message in
                guard message.isFromClient == isActive else { return }
                try write(what: message, tellsOf: connection, into: database)
            }
        }
        try replay.run(connection)
        if isActive, let saved = replay.requests("setCheckpoint").last?.body {
            database.checkpoints[other] = saved
        }
        differences += replay.differences
        if let error = replay.error { differences.append("\(replay.label): ends with \(error)") }
    }

    /// Writes what the recorded database wrote while connected, when it is about to mention it.
    private func write(
        what message: Transcript.Message,
        tellsOf connection: Transcript.Connection,
        into database: ScenarioDatabase
    ) throws {
        let place = ["proposeChanges": 0, "changes": 1][message.profile]
        guard let place else { return }
        for entry in message.json?.array ?? [] {
            guard let items = entry.array, items.count > place + 1, let id = items[place].string,
                let text = items[place + 1].string, let version = Version(text),
                version.source == database.site.store.source,
                version.time > database.latestTime(of: id),
                let rev = connection.messages.first(where: {
                    $0.profile == "rev" && $0["id"] == id && $0["rev"] == text
                })
            else { continue }
            let isTombstone = rev["deleted"] != nil
            let body = String(decoding: rev.body, as: UTF8.self)
            try database.save(id, isTombstone ? nil : body, at: version.time)
            database.setClockPastAll()
        }
    }

    private func storeBlobs(
        _ connection: Transcript.Connection,
        isActive: Bool,
        in database: ScenarioDatabase
    ) throws {
        for message in connection.messages
        where message.isFromClient == isActive && message.type == "RES" && !message.body.isEmpty
            && message.json == nil
        {
            _ = try database.site.store.blobs.write(message.body)
        }
    }
}

extension String {
    /// The text after a prefix and before the first `end`.
    fileprivate func wrapped(by start: String, _ end: String) -> String? {
        guard hasPrefix(start), let range = firstRange(of: end) else { return nil }
        return String(self[index(startIndex, offsetBy: start.count)..<range.lowerBound])
    }
}

extension MixedVector {
    /// Reads the text of a recorded database.
    init?(lenient text: String) {
        let first = text.prefix { $0 != "," && $0 != ";" }
        guard let id = RevisionID(ofAnyScheme: String(first)) else { return nil }
        let history = String(text.dropFirst(first.count).drop { " ,;".contains($0) })
        guard let mixed = try? MixedVector(id, history: history) else { return nil }
        self = mixed
    }
}
