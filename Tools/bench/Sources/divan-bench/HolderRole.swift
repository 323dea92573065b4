import DivanTransport
import Foundation
import Synchronization

/// Opens connections, reports when they are open, and keeps them until its input ends.
struct HolderRole {
    private let ports: [(port: UInt16, isSecure: Bool, count: Int)]

    /// Takes the words `CLEAR-PORT COUNT SECURE-PORT COUNT`.
    init(_ words: [String]) throws {
        let numbers = words.compactMap { Int($0) }
        guard numbers.count == 4, let clear = UInt16(exactly: numbers[0]),
            let secure = UInt16(exactly: numbers[2])
        else { throw BenchFailure("a holder needs two ports with counts") }
        ports = [(clear, false, numbers[1]), (secure, true, numbers[3])]
    }

    func run() throws {
        let client = try BenchClient()
        var held: [WebSocketClientTransport] = []
        let opened = Openings()
        for (port, isSecure, count) in ports {
            for _ in 0..<count {
                opened.waitForRoom()
                let transport = client.transport(to: port, isSecure: isSecure, path: "/echo")
                held.append(transport)
                transport.start(opened)
            }
        }
        opened.waitForAll()
        say("\(held.count - opened.failureCount)")
        ProcessRole.answer { _ in Double(opened.failureCount) }
    }
}

/// Opens a few connections at a time, and counts them.
private final class Openings: MessageReceiver {
    private static let openingCount = 64

    private let room = DispatchSemaphore(value: openingCount)
    private let failures = Mutex(0)

    var failureCount: Int { failures.withLock { $0 } }

    func waitForRoom() { room.wait() }

    func waitForAll() {
        for _ in 0..<Self.openingCount { room.wait() }
        for _ in 0..<Self.openingCount { room.signal() }
    }

    func transportDidOpen(_ peer: TransportPeer) { room.signal() }
    func transportDidReceive(_ message: ArraySlice<UInt8>) {}
    func transportDidDrainInput() {}
    func transportDidBecomeWritable() {}

    func transportDidClose(_ close: TransportClose) {
        // One that closes before it opens frees its place, so that a run cannot hang.
        failures.withLock { $0 += 1 }
        room.signal()
    }
}
