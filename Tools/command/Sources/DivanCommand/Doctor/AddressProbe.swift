import Foundation
import Glibc

/// Looks up a host name and connects to its addresses.
enum AddressProbe {
    /// An address and the result of connecting to it.
    struct Reach: Sendable {
        let address: String
        let milliseconds: Int
        /// The errno; `nil` if the connection was accepted.
        let problem: Int32?
    }

    /// Looks a name up.
    ///
    /// - Returns: The addresses as text, or the code of `getaddrinfo`.
    static func lookUp(_ name: String, _ port: UInt16) -> Result<[String], LookupProblem> {
        var (hints, found) = (addrinfo(), UnsafeMutablePointer<addrinfo>?.none)
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        let status = getaddrinfo(name, String(port), &hints, &found)
        defer { if let found { freeaddrinfo(found) } }
        guard status == 0 else { return .failure(LookupProblem(code: status)) }
        let addresses = sequence(first: found, next: { $0?.pointee.ai_next })
            .compactMap { $0 }.map { text(of: $0.pointee) }
        return .success(addresses)
    }

    /// A code of `getaddrinfo`.
    struct LookupProblem: Error {
        let code: Int32

        var text: String { String(cString: gai_strerror(code)) }
    }

    /// Connects to an address as text, and closes at once.
    static func reach(_ address: String, _ port: UInt16, seconds: Int) -> Reach {
        let begin = DispatchTimeStamp.now()
        var (hints, found) = (addrinfo(), UnsafeMutablePointer<addrinfo>?.none)
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_NUMERICHOST
        let status = getaddrinfo(address, String(port), &hints, &found)
        defer { if let found { freeaddrinfo(found) } }
        guard status == 0, let found else {
            return Reach(address: address, milliseconds: 0, problem: EADDRNOTAVAIL)
        }
        let problem = connected(to: found.pointee, seconds)
        return Reach(
            address: address,
            milliseconds: begin.milliseconds,
            problem: problem == 0 ? nil : problem
        )
    }

    /// The errno of a connection attempt, 0 on success.
    private static func connected(to address: addrinfo, _ seconds: Int) -> Int32 {
        let kind = address.ai_socktype | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = socket(address.ai_family, kind, address.ai_protocol)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        if connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 { return 0 }
        guard errno == EINPROGRESS else { return errno }
        var poller = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard poll(&poller, 1, Int32(clamping: seconds * 1_000)) > 0 else { return ETIMEDOUT }
        var (problem, byteCount) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &problem, &byteCount)
        return problem
    }

    private static func text(of address: addrinfo) -> String {
        var buffer = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        getnameinfo(
            address.ai_addr,
            address.ai_addrlen,
            &buffer,
            socklen_t(buffer.count),
            nil,
            0,
            NI_NUMERICHOST
        )
        return String(
            decoding: buffer.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) },
            as: UTF8.self
        )
    }
}

/// A start time, to measure durations.
struct DispatchTimeStamp: Sendable {
    private let instant: ContinuousClock.Instant

    static func now() -> DispatchTimeStamp { DispatchTimeStamp(instant: .now) }

    /// Milliseconds since then.
    var milliseconds: Int { Int(((ContinuousClock.now - instant) / .milliseconds(1)).rounded()) }
}
