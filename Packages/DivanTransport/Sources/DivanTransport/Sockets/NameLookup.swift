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
        let completion: @Sendable (Outcome) -> Void
    }

    private struct State {
        var waiting: [Request] = []
        var threadCount = 0
    }

    static let shared = NameLookup()

    /// Threads at most; further names wait, as one dead name server makes all of them slow.
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

    /// Calls `completion` with the addresses, on any thread, possibly at once.
    func find(
        _ host: String,
        port: UInt16,
        _ completion: @escaping @Sendable (Outcome) -> Void
    ) {
        if let address = SocketAddress(host: host, port: port) {
            return completion(.addresses([address]))
        }
        // RFC 6761 §6.4: nobody needs to be asked about these.
        if host.lowercased().hasSuffix(".invalid") { return completion(.unknownHost) }
        let mustStart = state.withLock { state in
            state.waiting.append(Request(host: host, port: port, completion: completion))
            guard state.threadCount < Self.threadLimit else { return false }
            state.threadCount += 1
            return true
        }
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
