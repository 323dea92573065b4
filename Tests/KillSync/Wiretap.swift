import DivanTestKit
import DivanWebSocket
import Foundation
import Glibc

/// Relays between two processes on its own port: forwards everything, counts the revisions
/// that pass, and cuts the connections when told to.
final class Wiretap: @unchecked Sendable {
    // Unchecked: mutable state is accessed only under the lock of `changed`.
    private let changed = NSCondition()
    private var counted = 0
    private var problem: (any Error)?
    private var descriptors: Set<Int32> = []
    private let listening: Int32
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
        for descriptor in descriptors { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }

    private func acceptAll() {
        while true {
            let client = accept(listening, nil, nil)
            guard client >= 0 else { return }
            guard let server = Loopback.connect(to: target) else {
                close(client)
                continue
            }
            changed.lock()
            descriptors.formUnion([client, server])
            changed.unlock()
            let ending = Ending()
            Thread.detachNewThread { [self] in pass(from: client, to: server, .client, ending) }
            Thread.detachNewThread { [self] in pass(from: server, to: client, .server, ending) }
        }
    }

    /// Forwards one direction until it ends; the second to end closes both sockets.
    private func pass(from: Int32, to: Int32, _ sender: Role, _ ending: Ending) {
        var counter = RevisionCounter(sender: sender)
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(from, &buffer, buffer.count, 0)
            guard count > 0, Loopback.send(buffer[..<count], to: to) else { break }
            note(Result { try counter.receive(buffer[..<count]) })
        }
        for descriptor in [from, to] { shutdown(descriptor, Int32(SHUT_RDWR)) }
        changed.lock()
        defer { changed.unlock() }
        guard ending.isSecond() else { return }
        descriptors.subtract([from, to])
        for descriptor in [from, to] { close(descriptor) }
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
