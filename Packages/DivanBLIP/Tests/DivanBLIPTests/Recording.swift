import DivanBLIP
import Foundation

/// A recorded connection: frames of both directions, and what they mean.
struct Recording: Sendable, CustomStringConvertible {
    enum Direction: String, Decodable, CaseIterable, Sendable {
        case toServer = "C->S"
        case toClient = "S->C"
    }

    struct Frame: Sendable {
        let direction: Direction
        let bytes: [UInt8]
    }

    let description: String
    /// In wire order.
    let frames: [Frame]
    let messages: [WireMessage]

    /// Passes one direction to a new receiver and returns what it delivered, sorted.
    ///
    /// The receiver first sends the other direction's requests, so that replies are expected.
    func received(_ direction: Direction) throws(BLIPError) -> [WireMessage] {
        var connection = BLIPConnection()
        let asked = messages.filter { $0.kind == .request && $0.direction != direction }
        for request in asked.sorted(by: { $0.number < $1.number }) {
            connection.send(BLIPRequest(properties: [:], isNoReply: request.isNoReply))
        }
        let events = try connection.events(
            of: frames.filter { $0.direction == direction }.map(\.bytes)
        )
        return events.compactMap { WireMessage($0, direction) }.sorted()
    }

    /// What the recording contains for one direction, sorted.
    func expected(_ direction: Direction) -> [WireMessage] {
        messages.filter { $0.direction == direction }.sorted()
    }
}

/// A request or reply with the values that a test compares.
struct WireMessage: Equatable, Comparable, Sendable {
    enum Kind: String, Sendable {
        case request = "REQ"
        case reply = "RES"
        case error = "ERR"
    }

    let direction: Recording.Direction
    let kind: Kind
    let number: UInt64
    let isNoReply: Bool
    let properties: [String: String]
    let body: Body

    /// Of long bodies only the length is recorded.
    enum Body: Sendable {
        case bytes([UInt8])
        case count(Int)

        var byteCount: Int {
            switch self {
            case .bytes(let bytes): bytes.count
            case .count(let count): count
            }
        }
    }

    static func == (left: WireMessage, right: WireMessage) -> Bool {
        guard left.direction == right.direction, left.kind == right.kind,
            left.number == right.number, left.isNoReply == right.isNoReply,
            left.properties == right.properties
        else { return false }
        if case .bytes(let mine) = left.body, case .bytes(let others) = right.body {
            return mine == others
        }
        return left.body.byteCount == right.body.byteCount
    }

    static func < (left: WireMessage, right: WireMessage) -> Bool {
        let isReply = (left.kind != .request, right.kind != .request)
        return isReply.0 == isReply.1 ? left.number < right.number : isReply.1
    }
}

extension WireMessage {
    init?(_ event: BLIPEvent, _ direction: Recording.Direction) {
        self.direction = direction
        switch event {
        case .request(let request):
            kind = .request
            number = request.id.rawValue
            isNoReply = request.isNoReply
            properties = dictionary(request.properties)
            body = .bytes(request.body)
        case .reply(let number, let reply):
            kind = reply.error == nil ? .reply : .error
            self.number = number.rawValue
            isNoReply = false
            properties = dictionary(reply.properties)
            body = .bytes(reply.body)
        default: return nil
        }
    }
}

private func dictionary(_ properties: BLIPProperties) -> [String: String] {
    Dictionary(properties.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
}
