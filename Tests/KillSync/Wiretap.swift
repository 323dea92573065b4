import DivanPlatform
import DivanTestKit
import DivanWebSocket
import Foundation

/// Relays between two processes on its own port: forwards everything, counts the revisions
/// that pass, and cuts the connections when told to.
final class Wiretap: @unchecked Sendable {
    // Unchecked: mutable state is accessed only under the lock of `changed`.
    private let changed = NSCondition()
    private var counted = 0
    private var problem: (any Error)?
    private var sockets: Set<Socket> = []
    private let listening: Socket
    private let target: UInt16

    /// The port to connect to.
    let port: UInt16

    /// Listens; `target` is the local port that connections are forwarded to.
    init(to target: UInt16) throws {
        self.target = target
        (listening, port) = try Loopback.listen()
        Thread.detachNewThread { [self] in acceptAll() }
    }

    /// Waits until this many revisions have passed, in both directions together.
    ///
    /// - Throws: `KillSyncFailure` if none passes for a minute, and any error of the conversation.
    func wait(forRevisions goal: Int) throws {
        changed.lock()
        defer { changed.unlock() }
        while counted < goal {
            let isInTime = changed.wait(until: Date(timeIntervalSinceNow: 60))
            if let problem { throw problem }
            guard isInTime else { throw KillSyncFailure("\(counted) of \(goal): nothing moves") }
        }
    }

    /// Revisions so far, including those that never arrived.
    var revisionCount: Int {
        changed.lock()
        defer { changed.unlock() }
        return counted
    }

    /// Ends every connection for both sides, whatever is under way.
    func cut() {
        changed.lock()
        defer { changed.unlock() }
        for socket in sockets { socket.shutdownBoth() }
    }

    private func acceptAll() {
        while true {
            guard let client = try? listening.acceptBlocking() else { return }
            guard let server = Loopback.connect(to: target) else {
                client.close()
                continue
            }
            changed.lock()
            sockets.formUnion([client, server])
            changed.unlock()
            let ending = Ending()
            Thread.detachNewThread { [self] in pass(from: client, to: server, .client, ending) }
            Thread.detachNewThread { [self] in pass(from: server, to: client, .server, ending) }
        }
    }

    /// Forwards one direction until it ends; the second to end closes both sockets.
    private func pass(from: Socket, to: Socket, _ sender: Role, _ ending: Ending) {
        var counter = RevisionCounter(sender: sender)
        while case let piece = from.receive(upTo: 65_536), !piece.isEmpty, to.sendAll(piece) {
            note(Result { try counter.receive(piece[...]) })
        }
        for socket in [from, to] { socket.shutdownBoth() }
        changed.lock()
        defer { changed.unlock() }
        guard ending.isSecond() else { return }
        sockets.subtract([from, to])
        for socket in [from, to] { socket.close() }
    }

    private func note(_ result: Result<Int, any Error>) {
        changed.lock()
        defer { changed.unlock() }
        switch result {
        case .success(0): return
        case .success(let count): counted += count
        case .failure(let error): problem = problem ?? error
        }
        changed.broadcast()
    }
}

/// Records which of the two directions of a connection ends last; called under one lock.
private final class Ending: @unchecked Sendable {
    // Unchecked: under the lock of the wiretap.
    private var isBegun = false

    func isSecond() -> Bool {
        defer { isBegun = true }
        return isBegun
    }
}
