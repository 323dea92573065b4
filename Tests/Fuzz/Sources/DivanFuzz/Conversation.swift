/// What a peer that follows no rules sends, act by act, and its encoding in an input.
///
/// `options · [order · [name SOH value SOH]… NUL · body · 0xFF]…`. In an answer, a name `@` gives the
/// profile of the answered request; without it, or if none is open, the oldest is answered.
struct Conversation: Equatable {
    /// What is done.
    enum Kind: UInt8, CaseIterable {
        /// Sends a request.
        case asks
        /// Answers a request.
        case answers
        /// Refuses a request.
        case refuses
        /// Answers the newest request, or one that was already answered.
        case answersAgain
        /// Leaves a request unanswered.
        case forgets
        /// Closes, with the `code` of the properties and the body as the reason.
        case closes
        /// Sends the body as a separate WebSocket message.
        case message
        /// Sends the body as bytes between frames.
        case bytes
    }

    /// How it is done.
    struct Manner: OptionSet {
        let rawValue: UInt8
        /// A request without a reply.
        static let wantsNoAnswer = Manner(rawValue: 8)
        /// The body is compressed.
        static let compresses = Manner(rawValue: 16)
        /// The same frame is sent twice; a request gets another number.
        static let repeats = Manner(rawValue: 32)
        /// The next act does not wait until the other end has processed this one.
        static let hurries = Manner(rawValue: 64)
        /// The message consists of several frames, of which the last is never sent.
        static let breaksOff = Manner(rawValue: 128)
        static let all: Manner = [wantsNoAnswer, compresses, repeats, hurries, breaksOff]
    }

    struct Act: Equatable {
        var kind: Kind
        var manner: Manner = []
        var properties: [Property] = []
        var body: [UInt8] = []

        /// The first value of a name.
        subscript(_ name: String) -> String? {
            properties.first { $0.name == name }?.value
        }
    }

    struct Property: Equatable {
        var name: String
        var value: String
    }

    /// The name of the property that says which request is answered.
    static let place = "@"

    private static let separator: UInt8 = 1
    private static let actEnd: UInt8 = 0xFF
    private static let kindBits: UInt8 = 7

    /// What else the target does; each target has its own options.
    var options: UInt8 = 0
    var acts: [Act] = []

    init(options: UInt8 = 0, _ acts: [Act]) {
        self.options = options
        self.acts = acts
    }

    /// Parses an input; every input is a conversation.
    init(_ input: [UInt8]) {
        var reader = InputReader(input)
        options = reader.byte()
        while !reader.isAtEnd {
            let order = reader.byte()
            var rest = InputReader(reader.bytes(until: Self.actEnd))
            let kind = Kind(rawValue: order & Self.kindBits) ?? .asks
            var act = Act(kind: kind, manner: Manner(rawValue: order & ~Self.kindBits))
            act.properties = Self.properties(rest.bytes(until: 0))
            act.body = rest.remainder()
            acts.append(act)
        }
    }

    private static func properties(_ bytes: [UInt8]) -> [Property] {
        let parts = bytes.split(separator: separator, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        return stride(from: 0, to: parts.count - 1, by: 2).map {
            Property(name: parts[$0], value: parts[$0 + 1])
        }
    }

    /// The input that encodes this conversation.
    var bytes: [UInt8] {
        var bytes = [options]
        for act in acts {
            bytes.append(act.kind.rawValue | act.manner.rawValue)
            for property in act.properties {
                bytes += Array(property.name.utf8) + [Self.separator]
                bytes += Array(property.value.utf8) + [Self.separator]
            }
            bytes.append(0)
            bytes += act.body.filter { $0 != Self.actEnd }
            bytes.append(Self.actEnd)
        }
        return bytes
    }
}

extension Conversation.Act {
    /// A request.
    static func ask(
        _ profile: String,
        _ properties: [(String, String)],
        _ body: String = ""
    ) -> Self {
        let all = [("Profile", profile), ("collection", "0")] + properties
        return Self(
            kind: .asks,
            properties: all.map { Conversation.Property(name: $0, value: $1) },
            body: Array(body.utf8)
        )
    }

    /// An answer to the oldest request with this profile.
    static func answer(
        _ profile: String,
        _ body: String = "",
        _ properties: [(String, String)] = []
    ) -> Self {
        let all = [(Conversation.place, profile)] + properties
        return Self(
            kind: .answers,
            properties: all.map { Conversation.Property(name: $0, value: $1) },
            body: Array(body.utf8)
        )
    }

    /// A refusal of the oldest request with this profile.
    static func refusal(_ profile: String, _ domain: String, _ code: String) -> Self {
        var act = answer(profile, "no", [("Error-Domain", domain), ("Error-Code", code)])
        act.kind = .refuses
        return act
    }
}
