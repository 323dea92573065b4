import DivanBLIP
import DivanCommandLine

/// A conversation whose directions were recorded separately, as plain bytes without times.
///
/// The events of both are arranged in a possible order: the server accepts after the client's request,
/// and a reply follows its request.
struct PlainRecording {
    let events: [WireEvent]

    /// Reads the client's file and the server's, in any order; the server's may be missing.
    ///
    /// - Throws: `Failure` if a file cannot be read, or does not contain the bytes of a peer.
    init(_ files: [InputFile], _ start: [UInt8], keeping bodyByteCount: Int) throws(Failure) {
        var contents: [WireEnd: [UInt8]] = [:]
        for (index, file) in files.enumerated() {
            let rest = try file.rest(limit: Self.fileByteLimit)
            let bytes = index == 0 ? start + rest : rest
            let sender: WireEnd? =
                bytes.starts(with: Array("GET ".utf8))
                ? .client : bytes.starts(with: Array("HTTP/1.1 ".utf8)) ? .server : nil
            guard let sender, contents[sender] == nil else {
                throw Failure(
                    kind: .invalid,
                    sentence: "\(file.name): neither a capture nor the raw bytes of a connection",
                    hint: "a client's bytes begin with GET, a server's with HTTP/1.1"
                )
            }
            contents[sender] = bytes
        }
        guard let client = contents[.client] else {
            throw Failure.usage(
                "cannot decode the server's bytes alone",
                hint: "add the file with the client's bytes"
            )
        }
        var conversation = WireConversation(keeping: bodyByteCount)
        // Only the head first: what follows it comes after the server's response.
        let head =
            HeaderRedactor.end(of: Array(client.prefix(WireLimits.headByteCount))) ?? client.count
        conversation.receive(Array(client[..<head]), from: .client, at: nil)
        if let server = contents[.server] {
            conversation.receive(server, from: .server, at: nil)
        } else {
            conversation.assumeAcceptance()
        }
        conversation.receive(Array(client[head...]), from: .client, at: nil)
        events = Self.ordered(conversation.takeEvents())
    }

    private static let fileByteLimit = 1 << 30

    private static func ordered(_ events: [WireEvent]) -> [WireEvent] {
        var waiting: [WireEnd: ArraySlice<WireEvent>] = [
            .client: events.filter { $0.sender == .client }[...],
            .server: events.filter { $0.sender == .server }[...],
        ]
        var order = Order(hasAnswer: waiting[.server]?.isEmpty == false)
        var ordered: [WireEvent] = []
        while let sender = order.next(waiting) {
            guard let event = waiting[sender]?.popFirst() else { break }
            ordered.append(order.took(event))
        }
        return ordered
    }

    /// What has been sent, and thus what can follow.
    private struct Order {
        var hasAnswer: Bool
        private var profiles: [WireEnd: [UInt64: String]] = [:]
        private var hasOpened = false

        init(hasAnswer: Bool) {
            self.hasAnswer = hasAnswer
        }

        /// The next sender: the client, unless its next event is a reply to a later request.
        func next(_ waiting: [WireEnd: ArraySlice<WireEvent>]) -> WireEnd? {
            let ready = [WireEnd.client, .server].filter { sender in
                waiting[sender]?.first.map(isPossible) ?? false
            }
            return ready.first
                ?? [.client, .server].first { waiting[$0]?.isEmpty == false }
        }

        private func isPossible(_ event: WireEvent) -> Bool {
            switch event.content {
            case .asked, .accepted, .refused: true
            case .message(let message) where message.kind != .request:
                hasOpened && profiles[event.sender.other]?[message.number] != nil
            default: hasOpened || !hasAnswer
            }
        }

        /// Records an event; a reply is linked to its request.
        mutating func took(_ event: WireEvent) -> WireEvent {
            if case .accepted = event.content { hasOpened = true }
            guard case .message(var message) = event.content else { return event }
            if message.kind == .request {
                let profile = message.properties["Profile"] ?? ""
                profiles[event.sender, default: [:]][message.number] = profile
                return event
            }
            let profile = profiles[event.sender.other]?[message.number]
            message.question = profile.map { .init(profile: $0, delay: nil) }
            return WireEvent(sender: event.sender, time: nil, content: .message(message))
        }
    }
}
