import DivanBLIP
import DivanCrypto
import DivanJSON
import DivanTestKit

/// A conversation recorded from running software.
struct Transcript {
    let name: String
    let connections: [Connection]
    /// What was written to the server's databases before.
    let setup: [Write]

    struct Connection {
        let label: String
        /// The subprotocol agreed on in the handshake.
        let subprotocol: String
        /// The subprotocols offered by the client.
        let offered: [String]
        /// The server's database.
        let database: String
        /// Whether the server ended the connection.
        let isEndedByServer: Bool
        let entries: [Entry]

        var messages: [Message] {
            entries.compactMap { entry in
                if case .message(let message) = entry { message } else { nil }
            }
        }
    }

    enum Entry {
        case message(Message)
        /// Raw bytes sent by a client.
        case rawFrame([UInt8])
        /// A write on the server's side at this moment.
        case write(Write)
    }

    /// One message of the recording.
    struct Message {
        let isFromClient: Bool
        let type: String  // REQ, RES, ERR, ACKREQ or ACKRES
        let number: Int
        let isNoReply: Bool
        let isCompressed: Bool
        let properties: [(name: String, value: String)]
        let body: [UInt8]

        subscript(name: String) -> String? { properties.first { $0.name == name }?.value }

        var profile: String { self["Profile"] ?? "" }

        /// Distinguishes requests with the same profile.
        var key: String { (self["id"] ?? "") + (self["digest"] ?? "") }

        var json: JSON? { try? JSON(parsing: body.span) }
    }

    /// One document written, deleted or purged through the server's own interface.
    struct Write {
        let keyspace: String
        let documentID: String
        /// `nil` for a purge.
        let revisionID: String?
        let isTombstone: Bool
        let body: [UInt8]
    }

    /// Reads a recording; `replacing` maps texts in it to their replacements.
    init(_ name: String, replacing: [String: String] = [:]) throws {
        var text = String(
            decoding: try Fixture("transcripts/\(name).json").bytes(),
            as: UTF8.self
        )
        for (old, new) in replacing { text = text.replacing(old, with: new) }
        let root = try JSON(parsing: text)
        self.name = name
        // Sync Gateway 4 sends nothing of a tombstone's body, version 3 sends all of it.
        let keepsTombstones = root["peer"]?.string?.contains("3.3.7") == true
        setup = (root["setup"]?.array ?? []).flatMap {
            Write.all(in: $0, keepsTombstones: keepsTombstones)
        }
        connections = (root["connections"]?.array ?? []).map { Connection($0) }
    }
}

extension Transcript.Connection {
    init(_ entry: JSON) {
        label = entry["label"]?.string ?? ""
        subprotocol = entry["protocol"]?.string ?? ""
        offered = (entry["offered"]?.string ?? "").split(separator: ",").map { name in
            String(name.drop { $0 == " " })
        }
        database = entry["path"]?.string?.split(separator: "/").first.map { String($0) } ?? ""
        let close = entry["close"]
        isEndedByServer = close?["receivedFirst"]?.bool == true || close?["tcp"] != nil
        entries = (entry["messages"]?.array ?? []).flatMap { Transcript.Entry.all(in: $0) }
    }
}

extension Transcript.Entry {
    /// Remarks and WebSocket closes are not messages.
    fileprivate static func all(in entry: JSON) -> [Self] {
        if let message = Transcript.Message(entry) { return [.message(message)] }
        if let hex = entry["rawFrame"]?["hex"]?.string {
            return [.rawFrame([UInt8](hexadecimal: hex))]
        }
        // Our WebSocket layer joins them.
        if let pieces = entry["fragmentedMessage"]?.array {
            return [.rawFrame([UInt8](hexadecimal: pieces.compactMap(\.string).joined()))]
        }
        return Transcript.Write.all(in: entry).map { .write($0) }
    }
}

extension Transcript.Message {
    fileprivate init?(_ entry: JSON) {
        guard let type = entry["type"]?.string, let number = entry["number"]?.int else {
            return nil
        }
        self.type = type
        self.number = Int(number)
        isFromClient = entry["dir"]?.string == "C->S"
        let flags = entry["flags"]?.int ?? 0
        isNoReply = flags & 0x20 != 0
        isCompressed = flags & 0x08 != 0
        properties = (entry["properties"]?.object ?? JSONObject()).map { name, value in
            (name, value.string ?? value.int.map { String($0) } ?? "")
        }
        body = Self.body(entry)
    }

    /// Of a long body the recording has only the start; the rest is generated in the same way.
    private static func body(_ entry: JSON) -> [UInt8] {
        if let count = entry["bodyLength"]?.int ?? entry["body_length"]?.int {
            let start = Array((entry["bodyStart"]?.string ?? "").utf8)
            return continued(start, to: Int(count))
        }
        let encoded = entry["body_base64"]?.string ?? entry["bodyBase64"]?.string
        return encoded.flatMap { Base64.decode($0) } ?? Array((entry["body"]?.string ?? "").utf8)
    }

    /// Lengthens a document's last member, or repeats a text.
    private static func continued(_ start: [UInt8], to count: Int) -> [UInt8] {
        if start.first == UInt8(ascii: "{") {
            let filler = [UInt8](repeating: 0x78, count: count - start.count - 2)
            return start + filler + Array("\"}".utf8)
        }
        let period = (1..<max(2, start.count)).first { period in
            start.dropFirst(period).elementsEqual(start.dropLast(period))
        }
        guard let period, !start.isEmpty else { return [UInt8](repeating: 0, count: count) }
        return (0..<count).map { start[$0 % period] }
    }

    var blipProperties: BLIPProperties {
        var result = BLIPProperties()
        for (name, value) in properties { result.append(name, value) }
        return result
    }
}

extension Transcript.Write {
    /// Reads a call to Sync Gateway's REST interface.
    fileprivate static func all(in entry: JSON, keepsTombstones: Bool = false) -> [Self] {
        guard let call = entry["admin"]?.string ?? entry["public"]?.string else { return [] }
        let words = call.split(separator: " ")
        guard words.count == 2 else { return [] }
        let parts = words[1].split(separator: "?")[0].split(separator: "/")
        guard parts.count == 2 else { return [] }
        let keyspace = String(parts[0])
        switch parts[1] {
        case "_bulk_docs":
            return zip(entry["body"]?["docs"]?.array ?? [], entry["reply"]?.array ?? []).compactMap
            {
                Self(keyspace, $0, $1, isDelete: false, keepsTombstones: keepsTombstones)
            }
        case "_purge":
            return (entry["body"]?.object ?? JSONObject()).map { name, _ in
                Self(
                    keyspace: keyspace,
                    documentID: name,
                    revisionID: nil,
                    isTombstone: false,
                    body: []
                )
            }
        default:
            guard let reply = entry["reply"] else { return [] }
            let body = entry["body"] ?? .object(JSONObject())
            let isDelete = words[0] == "DELETE"
            let write = Self(
                keyspace,
                body,
                reply,
                isDelete: isDelete,
                keepsTombstones: keepsTombstones
            )
            return write.map { [$0] } ?? []
        }
    }

    private init?(
        _ keyspace: String,
        _ body: JSON,
        _ reply: JSON,
        isDelete: Bool,
        keepsTombstones: Bool
    ) {
        guard let id = reply["id"]?.string, let rev = reply["rev"]?.string else { return nil }
        self.keyspace = keyspace
        documentID = id
        revisionID = rev
        isTombstone = isDelete || body["_deleted"]?.bool == true
        var document = body.object ?? JSONObject()
        document.removeAll { $0.key.hasPrefix("_") }
        let kept = isTombstone && !keepsTombstones ? JSONObject() : document
        self.body = (try? JSON.object(kept).canonicalBytes()) ?? []
    }
}

extension [UInt8] {
    init(hexadecimal text: String) {
        let digits = text.utf8.map { UInt8(String(UnicodeScalar($0)), radix: 16) ?? 0 }
        self = stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}
