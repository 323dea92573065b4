/// Finds the conversations in the packets of a capture.
struct CapturedConnections {
    private struct Pair: Hashable {
        let places: Set<CapturedEndpoint>
    }

    private struct Connection {
        let number: Int
        var conversation: WireConversation
        var client: CapturedEndpoint?
        var streams: [CapturedEndpoint: TCPStream] = [:]
        var ended: Set<CapturedEndpoint> = []
    }

    /// An event and the connection that it belongs to.
    typealias Numbered = (connection: Int, event: WireEvent)

    private let bodyByteCount: Int
    private var connections: [Pair: Connection] = [:]
    private var lastNumber = 0
    private var origin: Double?
    /// Connections that use TLS, or whose beginning the capture does not contain.
    private(set) var hiddenCount = 0
    /// Connections that began while `WireLimits.connectionCount` others were open.
    private(set) var leftOutCount = 0

    init(keeping bodyByteCount: Int) {
        self.bodyByteCount = bodyByteCount
    }

    /// Whether nothing was found.
    var isEmpty: Bool { lastNumber == 0 }

    /// Takes a packet; returns the events that it completes.
    mutating func receive(_ packet: CaptureReader.Packet) -> [Numbered] {
        guard let segment = TCPSegment(packet) else { return [] }
        let time = packet.time - (origin ?? packet.time)
        origin = origin ?? packet.time
        let pair = Pair(places: [segment.source, segment.destination])
        if segment.opens { connections[pair] = nil }
        guard var connection = connections.removeValue(forKey: pair) ?? begun(with: segment) else {
            return []
        }
        take(segment, into: &connection, time)
        let events = connection.conversation.takeEvents().map { (connection.number, $0) }
        let isDone = connection.ended.count == 2 || connection.conversation.isOver
        if !isDone || segment.opens { keep(connection, of: pair) }
        return events
    }

    /// Continues to follow a connection; at the limit, drops a connection without data, or this one.
    private mutating func keep(_ connection: Connection, of pair: Pair) {
        if connections.count >= WireLimits.connectionCount {
            guard let silent = connections.first(where: { $0.value.number == 0 })?.key else {
                leftOutCount += 1
                return
            }
            connections[silent] = nil
        }
        connections[pair] = connection
    }

    /// A connection that begins here, if it is one to follow.
    private mutating func begun(with segment: TCPSegment) -> Connection? {
        let isRequest = segment.payload.starts(with: Array("GET ".utf8))
        guard isRequest || segment.opens else {
            // 0x16: the first TLS record.
            if segment.payload.first == 0x16 { hiddenCount += 1 }
            return nil
        }
        return Connection(
            number: 0,
            conversation: WireConversation(keeping: bodyByteCount),
            client: segment.source
        )
    }

    private mutating func take(
        _ segment: TCPSegment,
        into connection: inout Connection,
        _ time: Double
    ) {
        let sender: WireEnd = segment.source == connection.client ? .client : .server
        var stream = connection.streams.removeValue(forKey: segment.source) ?? TCPStream()
        if segment.synchronizes { stream.begin(at: segment.sequence &+ 1) }
        do {
            let bytes = try stream.receive(segment.sequence, segment.payload)
            if !bytes.isEmpty {
                if connection.number == 0 { name(&connection, bytes) }
                connection.conversation.receive(bytes, from: sender, at: time)
            }
        } catch {
            connection.conversation.lose(from: sender, at: time)
        }
        connection.streams[segment.source] = stream
        if segment.ends, connection.ended.insert(segment.source).inserted, connection.number > 0 {
            connection.conversation.receiveEnd(from: sender, at: time)
        }
    }

    /// Numbers the connection when it turns out to use HTTP.
    private mutating func name(_ connection: inout Connection, _ bytes: [UInt8]) {
        guard bytes.first != 0x16 else {
            hiddenCount += 1
            connection.conversation.ignore()
            return
        }
        lastNumber += 1
        connection = Connection(
            number: lastNumber,
            conversation: connection.conversation,
            client: connection.client,
            streams: connection.streams,
            ended: connection.ended
        )
    }
}
