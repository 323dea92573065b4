import DivanTestKit
import Testing

/// `checkpoints.json`: names recorded from Fleece's encoder, bodies from the protocol sheet.
struct CheckpointVectors: Decodable {
    let ids: [ID]
    let bodies: [Body]

    struct ID: Decodable, Sendable, CustomTestStringConvertible {
        let name: String
        let inputs: Inputs
        let checkpointID: String

        var testDescription: String { name }
    }

    struct Inputs: Decodable, Sendable {
        let url: String
        let privateUUID: String
        let scope: String?
        let collection: String?
        let pull: Bool?
        let push: Bool?
        let channels: [String]?
        let docIDs: [String]?
    }

    struct Body: Decodable, Sendable, CustomTestStringConvertible {
        let state: String
        let json: Content

        var testDescription: String { state }

        struct Content: Decodable, Sendable {
            let time: Int64
            let local: UInt64?
            let localCompleted: [UInt64]?
            let remote: Remote?
        }
    }

    /// An integer or a text.
    enum Remote: Decodable, Sendable {
        case number(UInt64)
        case text(String)

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let number = try? container.decode(UInt64.self) {
                self = .number(number)
            } else {
                self = .text(try container.decode(String.self))
            }
        }

        var json: String {
            switch self {
            case .number(let number): String(number)
            case .text(let text): "\"\(text)\""
            }
        }
    }

    static func load() throws -> CheckpointVectors {
        try Fixture("checkpoints.json").decoded(as: CheckpointVectors.self)
    }
}
