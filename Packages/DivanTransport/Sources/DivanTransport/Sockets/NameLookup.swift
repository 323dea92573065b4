import DivanPlatform
import Synchronization

/// Looks up host names without blocking a loop.
///
/// `getaddrinfo` blocks, for seconds when a name server is down; so a few threads call it, which are started on demand
/// and end when there is no more work.
final class NameLookup: Sendable {
    /// The result of a look-up.
    enum Outcome: Sendable, Equatable {
        /// At least one address, best first (RFC 6724).
        case addresses([SocketAddress])
        /// The name does not exist.
        case unknownHost
        /// No name server could be asked.
        case failed(LookupError)
    }

    private struct Request: Sendable {
        let host: String
        let port: UInt16
        let client: DisconnectSignal?
        let completion: @Sendable (Outcome) -> Void

        var isVain: Bool { client?.isOver == true }
    }

    private struct State {
        var waiting: [Request] = []
        var threadCount = 0
    }

    static let shared = NameLookup()

    /// The most threads; further names wait, because one dead name server makes all of them slow, and they leave the
    /// line once their clients have given up.
    private static let threadLimit = 4

    private let state = Mutex(State())
    private let startThread: @Sendable (_ body: @escaping @Sendable () -> Void) -> Bool

    /// Creates one with system threads, or a test's; `startThread` returns `false` if there is none left.
    init(
        startThread: @escaping @Sendable (_ body: @escaping @Sendable () -> Void) -> Bool = {
            DivanPlatform.startThread(name: "divan-names", $0)
        }
    ) {
        self.startThread = startThread
    }

    /// How many names are waiting for a thread.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Calls `completion` with the addresses, on any thread, possibly at once; not after `client` has gone.
    func find(
        _ host: String,
        port: UInt16,
        unlessGone client: DisconnectSignal? = nil,
        _ completion: @escaping @Sendable (Outcome) -> Void
    ) {
        if let address = SocketAddress(host: host, port: port) {
            return completion(.addresses([address]))
        }
        // RFC 6761 §6.4: no name server need be asked about these.
        if host.lowercased().hasSuffix(".invalid") { return completion(.unknownHost) }
        let request = Request(host: host, port: port, client: client, completion: completion)
        let (mustStart, line) = state.withLock { state -> (Bool, [Request]) in
            // Moved out: what a request holds is released outside the lock.
            let line = state.waiting
            state.waiting = line.filter { !$0.isVain } + [request]
            guard state.threadCount < Self.threadLimit else { return (false, line) }
            state.threadCount += 1
            return (true, line)
        }
        withExtendedLifetime(line) {}
        if mustStart, !startThread({ self.work() }) { threadIsMissing() }
    }

    /// The existing threads do the work; if there is none, nobody must wait in vain.
    private func threadIsMissing() {
        let abandoned = state.withLock { state -> [Request] in
            state.threadCount -= 1
            guard state.threadCount == 0 else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for request in abandoned { request.completion(.failed(.noMemory)) }
    }

    private func work() {
        while let request = next() {
            guard !request.isVain else { continue }
            request.completion(Self.ask(request.host, request.port))
        }
    }

    private func next() -> Request? {
        state.withLock { state in
            if state.waiting.isEmpty {
                state.threadCount -= 1
                return nil
            }
            return state.waiting.removeFirst()
        }
    }

    private static func ask(_ host: String, _ port: UInt16) -> Outcome {
        do {
            let options: SocketAddress.ResolveOptions = [.configured, .numericPort]
            var addresses: [SocketAddress] = []
            for address in try SocketAddress.resolve(host, port: port, options: options)
            where !addresses.contains(address) {
                addresses.append(address)
            }
            return addresses.isEmpty ? .unknownHost : .addresses(addresses)
        } catch {
            return error.isUnknownHost ? .unknownHost : .failed(error)
        }
    }
}
