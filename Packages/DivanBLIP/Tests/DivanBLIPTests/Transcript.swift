import DivanTestKit
import Foundation

/// A file of recorded conversations, in either recorder's format.
struct Transcript: Decodable {
    static let names = [
        "litecore-push-revtree", "litecore-pull-revtree", "litecore-continuous-revtree",
        "litecore-sg-pull-revtree", "litecore-sg-push-revtree", "sync-gateway-08-pull-revs",
        "sync-gateway-10-push-revs", "sync-gateway-12-push-attachments",
        "sync-gateway-28-whole-sessions-legacy", "sync-gateway-29-batches",
    ]

    let connections: [Connection]

    /// The connections of one file whose frames are complete.
    static func recordings(_ name: String) throws -> [Recording] {
        let transcript = try Fixture("\(name).json").decoded(as: Transcript.self)
        return transcript.connections.compactMap { $0.recording(named: name) }
    }

    struct Connection: Decodable {
        let label: String
        let messages: [Message]

        func recording(named name: String) -> Recording? {
            let messages = messages.filter { $0.type != nil }
            var frames: [(place: Int, frame: Recording.Frame)] = []
            for message in messages {
                let parts = message.frames ?? []
                guard message.frameCount ?? parts.count == parts.count, !parts.isEmpty,
                    let direction = message.dir
                else { return nil }
                for part in parts {
                    guard let bytes = part.bytes, bytes.count == part.len else { return nil }
                    frames.append((part.i, .init(direction: direction, bytes: bytes)))
                }
            }
            return Recording(
                description: "\(name): \(label)",
                frames: frames.sorted { $0.place < $1.place }.map(\.frame),
                messages: messages.compactMap(\.wireMessage)
            )
        }
    }

    struct Frame: Decodable {
        let i: Int
        let len: Int
        let hex: String?

        var bytes: [UInt8]? { hex.flatMap { [UInt8](hex: $0) } }
    }

    struct Message: Decodable {
        let dir: Recording.Direction?
        let type: String?
        let number: UInt64?
        let flags: UInt8?
        let properties: [String: Text]?
        let body: String?
        let bodyBase64: String?
        let bodyBase64Snake: String?
        let bodyLength: Int?
        let bodyLengthSnake: Int?
        let frames: [Frame]?
        let frameCount: Int?

        enum CodingKeys: String, CodingKey {
            case dir, type, number, flags, properties, body, bodyBase64, bodyLength, frames
            case frameCount
            case bodyBase64Snake = "body_base64"
            case bodyLengthSnake = "body_length"
        }

        var wireMessage: WireMessage? {
            guard let dir, let number, let kind = type.flatMap(WireMessage.Kind.init) else {
                return nil
            }
            return WireMessage(
                direction: dir,
                kind: kind,
                number: number,
                isNoReply: kind == .request && (flags ?? 0) & 0x20 != 0,
                properties: (properties ?? [:]).mapValues(\.text),
                body: wireBody
            )
        }

        private var wireBody: WireMessage.Body {
            if let length = bodyLength ?? bodyLengthSnake { return .count(length) }
            if let text = bodyBase64 ?? bodyBase64Snake {
                return .bytes(Data(base64Encoded: text).map { [UInt8]($0) } ?? [])
            }
            return .bytes(Array((body ?? "").utf8))
        }
    }

    /// A property's value: some of the recording client's are JSON numbers.
    struct Text: Decodable {
        let text: String

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let number = try? container.decode(Int.self) {
                text = String(number)
            } else {
                text = try container.decode(String.self)
            }
        }
    }
}
