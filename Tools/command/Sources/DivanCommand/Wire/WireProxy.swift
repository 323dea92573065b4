import Dispatch
import DivanCommandLine
import DivanPlatform
import DivanTLS
import DivanWebSocket
import Foundation
import Synchronization

/// Accepts connections, connects each to a server, and prints the messages; one thread each.
final class WireProxy: Sendable {
    /// The state that the connections share: only one writes a line at a time.
    private struct Stage {
        let listing: WireListing
        var recorder: CaptureWriter?
        var connectionCount = 0
        var openCount = 0
    }

    /// The port that clients connect to.
    let port: UInt16

    private let listening: Socket
    private let wake: (reading: FileDescriptor, writing: FileDescriptor)
    private let endpoint: WebSocketEndpoint
    private let tls: TLSContext?
    private let bodyByteCount: Int
    private let terminal: Terminal
    private let begin = ContinuousClock.now
    private let hasEnded = DispatchSemaphore(value: 0)
    private let stage: Mutex<Stage>

    /// Threads at a time; further connections wait in the queue.
    private static let connectionLimit = 64

    /// Listens; clients are accepted by `run`.
    init(
        listeningOn place: (host: String, port: UInt16),
        towards endpoint: WebSocketEndpoint,
        tls: TLSContext?,
        recorder: sending CaptureWriter?,
        listing: WireListing,
        bodyByteCount: Int,
        _ terminal: Terminal
    ) throws(Failure) {
        wake = try Failure.wrapping(FileDescriptor.pipe(), at: "pipe")
        listening = try ProxySocket.listen(place.host, place.port)
        port = listening.localAddress()?.port ?? 0
        self.endpoint = endpoint
        self.tls = tls
        self.bodyByteCount = bodyByteCount
        self.terminal = terminal
        stage = Mutex(Stage(listing: listing, recorder: recorder))
    }

    deinit {
        for descriptor in [listening.descriptor, wake.reading, wake.writing] { descriptor.close() }
    }

    /// Stops everything; may be called from any thread.
    func stop() {
        try? wake.writing.writeAll([0])
    }

    /// Accepts clients until `stop`; returns when the last connection is over.
    func run() {
        while true {
            let isFull = stage.withLock { $0.openCount >= Self.connectionLimit }
            var polled = [
                PolledDescriptor(wake.reading, .reading),
                PolledDescriptor(listening.descriptor, isFull ? [] : .reading),
            ]
            _ = try? PolledDescriptor.wait(&polled, milliseconds: isFull ? 100 : -1)
            if !polled[0].received.isEmpty || terminal.lostResult != nil { break }
            guard !polled[1].received.isEmpty else { continue }
            let accepted: (Socket, SocketAddress)?
            do {
                accepted = try listening.accept()
            } catch {
                // Without a free descriptor the client stays in the queue, and retrying at once would spin.
                _ = try? wake.reading.wait(for: .reading, milliseconds: 500)
                continue
            }
            guard let (client, address) = accepted else { continue }
            let number = stage.withLock { stage in
                stage.connectionCount += 1
                stage.openCount += 1
                return stage.connectionCount
            }
            let thread = Thread { [self] in
                serve(client, address.port, number)
                stage.withLock { $0.openCount -= 1 }
                hasEnded.signal()
            }
            thread.name = "divan-wire-\(number)"
            thread.start()
        }
        for _ in 0..<stage.withLock({ $0.connectionCount }) { hasEnded.wait() }
    }

    private func serve(_ client: Socket, _ port: UInt16, _ number: Int) {
        defer { client.close() }
        var watcher = Watcher(number: number, port: port, bodyByteCount: bodyByteCount)
        do {
            let server = try ProxySocket.connect(endpoint.lookupName, endpoint.port)
            defer { server.close() }
            record(port) { recorder throws(Failure) in try recorder.begin(port) }
            // Both run on this thread, one after the other.
            var connection = try ProxyConnection(
                client: client,
                server: server,
                endpoint: endpoint,
                tls: tls,
                wake: wake.reading
            ) { sender, bytes in
                watcher.take(bytes, from: sender, at: self.elapsed)
                self.show(&watcher)
            }
            try connection.run()
        } catch {
            watcher.fail((error as? Failure)?.line ?? "\(error)", at: elapsed)
            show(&watcher)
        }
    }

    private var elapsed: Double { (ContinuousClock.now - begin).inSeconds }

    private func show(_ watcher: inout Watcher) {
        let (number, port) = (watcher.number, watcher.port)
        let events = watcher.takeEvents()
        let pieces = watcher.takeRecords()
        stage.withLock { stage in
            for event in events { stage.listing.write(event, connection: number) }
        }
        for (sender, bytes) in pieces {
            record(port) { recorder throws(Failure) in
                if let bytes {
                    try recorder.record(bytes, from: sender, port)
                } else {
                    try recorder.end(sender, port)
                }
            }
        }
        if terminal.lostResult != nil { stop() }
    }

    /// Records, unless that failed before: a full disk must not end the connection.
    private func record(_ port: UInt16, _ body: (CaptureWriter) throws(Failure) -> Void) {
        stage.withLock { stage in
            guard let recorder = stage.recorder else { return }
            do throws(Failure) {
                try body(recorder)
            } catch {
                stage.recorder = nil
                terminal.warn("recording stopped: \(error.line)")
            }
        }
    }

    /// Observes one connection.
    private struct Watcher {
        let number: Int
        let port: UInt16
        private var conversation: WireConversation
        private var blankers: [WireEnd: HeaderRedactor] = [.client: .init(), .server: .init()]
        private var records: [(WireEnd, [UInt8]?)] = []
        private var failure: WireEvent?

        init(number: Int, port: UInt16, bodyByteCount: Int) {
            self.number = number
            self.port = port
            conversation = WireConversation(keeping: bodyByteCount)
        }

        mutating func take(_ bytes: [UInt8]?, from sender: WireEnd, at time: Double) {
            guard !conversation.isOver else { return }
            guard let bytes else {
                conversation.receiveEnd(from: sender, at: time)
                records.append((sender, nil))
                return
            }
            conversation.receive(bytes, from: sender, at: time)
            // Bytes that do not belong to the protocol may contain anything, even a password.
            guard sender == .server || !conversation.isOver else { return }
            let safe = blankers[sender]?.pass(bytes) ?? []
            if !safe.isEmpty { records.append((sender, safe)) }
        }

        mutating func fail(_ sentence: String, at time: Double) {
            failure = WireEvent(sender: .server, time: time, content: .problem(sentence))
        }

        mutating func takeEvents() -> [WireEvent] {
            defer { failure = nil }
            return conversation.takeEvents() + [failure].compactMap { $0 }
        }

        mutating func takeRecords() -> [(WireEnd, [UInt8]?)] {
            defer { records = [] }
            return records
        }
    }
}
