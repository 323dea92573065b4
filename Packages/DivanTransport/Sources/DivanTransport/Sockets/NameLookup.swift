import Glibc
import Synchronization

/// Looks host names up without making a loop wait.
///
/// `getaddrinfo` blocks, for seconds when a name server is gone; so a few threads call it, which
/// come and go with the work.
final class NameLookup: Sendable {
    /// What became of a look-up.
    enum Outcome: Sendable, Equatable {
        /// At least one address, best first (RFC 6724).
        case addresses([SocketAddress])
        /// The name does not exist.
        case unknownHost
        /// Nobody could be asked; the code is that of `getaddrinfo`.
        case failed(code: Int32)
    }

    private struct Request: Sendable {
        let host: String
        let port: UInt16
        let client: Departure?
        let completion: @Sendable (Outcome) -> Void

        var isVain: Bool { client?.isOver == true }
    }

    private struct State {
        var waiting: [Request] = []
        var threadCount = 0
    }

    static let shared = NameLookup()

    /// Threads at most; further names wait, as one dead name server makes all of them slow, and leave the
    /// line once their clients have given up.
    private static let threadLimit = 4

    private let state = Mutex(State())
    private let startThread: @Sendable (_ body: @escaping @Sendable () -> Void) -> Bool

    /// Creates one with threads of the system's, or of a test's; `false` says that there is none left.
    init(
        startThread: @escaping @Sendable (_ body: @escaping @Sendable () -> Void) -> Bool = {
            DivanTransport.startThread(name: "divan-names", $0)
        }
    ) {
        self.startThread = startThread
    }

    /// How many names wait for a thread.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Calls `completion` with the addresses, on any thread, possibly at once; not once `client` has gone.
    func find(
        _ host: String,
        port: UInt16,
        unlessGone client: Departure? = nil,
        _ completion: @escaping @Sendable (Outcome) -> Void
    ) {
        if let address = SocketAddress(host: host, port: port) {
            return completion(.addresses([address]))
        }
        // RFC 6761 §6.4: nobody needs to be asked about these.
        if host.lowercased().hasSuffix(".invalid") { return completion(.unknownHost) }
        let request = Request(host: host, port: port, client: client, completion: completion)
        let (mustStart, line) = state.withLock { state -> (Bool, [Request]) in
            // Handed out: what a request holds goes outside the lock.
            let line = state.waiting
            state.waiting = line.filter { !$0.isVain } + [request]
            guard state.threadCount < Self.threadLimit else { return (false, line) }
            state.threadCount += 1
            return (true, line)
        }
        withExtendedLifetime(line) {}
        if mustStart, !startThread({ self.work() }) { threadIsMissing() }
    }

    /// The threads that there are do the work; without any, nobody waits for what never comes.
    private func threadIsMissing() {
        let abandoned = state.withLock { state -> [Request] in
            state.threadCount -= 1
            guard state.threadCount == 0 else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for request in abandoned { request.completion(.failed(code: EAI_MEMORY)) }
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
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_ADDRCONFIG | AI_NUMERICSERV
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, String(port), &hints, &list)
        guard status == 0 else {
            return status == EAI_NONAME || status == noAddress
                ? .unknownHost : .failed(code: status)
        }
        defer { freeaddrinfo(list) }
        var addresses: [SocketAddress] = []
        // The list is the system's; its elements live until it is freed above.
        var element = list
        while let current = element {
            if let address = SocketAddress(current.pointee.ai_addr, current.pointee.ai_addrlen),
                !addresses.contains(address)
            {
                addresses.append(address)
            }
            element = current.pointee.ai_next
        }
        return addresses.isEmpty ? .unknownHost : .addresses(addresses)
    }

    /// `EAI_NODATA` of glibc: the name exists and has no address.
    private static let noAddress: Int32 = -5
}
