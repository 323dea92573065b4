import DivanJSON
import Foundation

/// Conversations recorded from LiteCore and Sync Gateway, reduced to what one side of them sent.
///
/// Their provenance is documented next to them, in the replicator's fixtures.
enum Transcripts {
    /// Shorter conversations try one thing, which longer ones and the typical ones contain too.
    private static let leastCount = 6
    /// Messages of one conversation; longer ones repeat themselves.
    private static let messageCount = 60
    private static let bodyByteCount = 4_096

    /// What the side that sends in `direction` sent on each connection.
    static func acts(of direction: String) throws -> [Conversation] {
        let folder = Fixtures.path("DivanReplicator", "transcripts")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        var conversations: [Conversation] = []
        for name in names where name.hasSuffix(".json") && !name.contains("-vectors") {
            let transcript = try Fixtures.json("DivanReplicator", "transcripts/\(name)")
            for connection in transcript["connections"]?.array ?? [] {
                let messages = connection["messages"]?.array ?? []
                let acts = acts(messages, direction)
                if acts.count >= leastCount { conversations.append(Conversation(acts)) }
            }
        }
        return conversations
    }

    private static func acts(_ messages: [JSON], _ direction: String) -> [Conversation.Act] {
        // Which request a reply is for: the other side numbered it.
        var profiles: [Int64: String] = [:]
        var acts: [Conversation.Act] = []
        for message in messages {
            let number = message["number"]?.int ?? 0
            let properties = properties(message)
            if message["dir"]?.string != direction {
                if message["type"]?.string == "REQ" {
                    profiles[number] = properties.first { $0.name == "Profile" }?.value
                }
                continue
            }
            guard acts.count < messageCount, let kind = kind(message) else { continue }
            var act = Conversation.Act(kind: kind, properties: properties)
            if kind != .asks, let profile = profiles[number] {
                act.properties.insert(.init(name: Conversation.place, value: profile), at: 0)
            }
            let flags = message["flags"]?.int ?? 0
            if flags & 0x08 != 0 { act.manner.insert(.compresses) }
            if flags & 0x20 != 0 { act.manner.insert(.wantsNoAnswer) }
            act.body = Array((message["body"]?.string ?? "").utf8.prefix(bodyByteCount))
            acts.append(act)
        }
        return acts
    }

    private static func kind(_ message: JSON) -> Conversation.Kind? {
        switch message["type"]?.string {
        case "REQ": .asks
        case "RES": .answers
        case "ERR": .refuses
        default: nil
        }
    }

    private static func properties(_ message: JSON) -> [Conversation.Property] {
        (message["properties"]?.object ?? JSONObject()).map { member in
            let value = member.value.string ?? member.value.int.map { "\($0)" } ?? ""
            return Conversation.Property(name: member.key, value: value)
        }
    }
}
