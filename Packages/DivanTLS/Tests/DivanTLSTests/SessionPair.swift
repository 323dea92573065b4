import DivanTLS

/// A client and a server that communicate in memory, with the bytes split as a test wants.
final class SessionPair {
    let client: TLSSession
    let server: TLSSession
    var clientReceived: [UInt8] = []
    var serverReceived: [UInt8] = []
    var clientError: TLSError?
    var serverError: TLSError?
    /// Bytes of each flight in the order of sending, the client's first.
    var flightByteCounts: [Int] = []

    init(
        client: ClientTLSConfiguration,
        server: ServerTLSConfiguration,
        serverName: String? = "localhost"
    ) throws {
        self.client = try TLSSession(.client(client), serverName: serverName)
        self.server = try TLSSession(.server(server))
    }

    /// Two sessions that share contexts created elsewhere.
    init(
        client: TLSContext,
        server: TLSContext,
        serverName: String? = "localhost",
        resuming resumption: TLSResumption? = nil
    ) throws {
        self.client = try TLSSession(client, serverName: serverName, resuming: resumption)
        self.server = try TLSSession(server)
    }

    /// Exchanges flights until neither side has more to send.
    func run(cutting cut: ([UInt8]) -> [ArraySlice<UInt8>] = { [$0[...]] }) {
        while client.hasOutput || server.hasOutput {
            deliver(from: client, to: server, &serverReceived, &serverError, cut)
            deliver(from: server, to: client, &clientReceived, &clientError, cut)
        }
    }

    private func deliver(
        from sender: TLSSession,
        to receiver: TLSSession,
        _ plaintext: inout [UInt8],
        _ failure: inout TLSError?,
        _ cut: ([UInt8]) -> [ArraySlice<UInt8>]
    ) {
        var flight: [UInt8] = []
        sender.takeOutput(appendingTo: &flight)
        if !flight.isEmpty { flightByteCounts.append(flight.count) }
        for piece in cut(flight) {
            do {
                try receiver.receive(piece.span, appendingTo: &plaintext)
            } catch {
                failure = error
            }
        }
    }
}

extension TLSSession {
    /// Sends text.
    func send(_ text: String) throws {
        try send(Array(text.utf8).span)
    }
}
