import DivanBLIP
import DivanCrypto
import DivanJSON
import DivanTestKit

/// A conversation that was recorded from running software.
struct Transcript {
    let connections: [Connection]

    struct Connection {
        let label: String
        let messages: [Message]
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

        /// What tells requests of one profile apart.
        var key: String { (self["id"] ?? "") + (self["digest"] ?? "") }

        var json: JSON? { try? JSON(parsing: body.span) }
    }

    init(_ name: String) throws {
        let root = try JSON(parsing: Fixture("transcripts/\(name).json").bytes())
        connections = (root["connections"]?.array ?? []).map { connection in
            Connection(
                label: connection["label"]?.string ?? "",
                messages: (connection["messages"]?.array ?? []).compactMap { Message($0) }
            )
        }
    }
}

extension Transcript.Message {
    /// Reads an entry; remarks and WebSocket closes are none.
    init?(_ entry: JSON) {
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
        let encoded = entry["body_base64"]?.string ?? entry["bodyBase64"]?.string
        body = encoded.flatMap { Base64.decode($0) } ?? Array((entry["body"]?.string ?? "").utf8)
    }

    var blipProperties: BLIPProperties {
        var result = BLIPProperties()
        for (name, value) in properties { result.append(name, value) }
        return result
    }
}
