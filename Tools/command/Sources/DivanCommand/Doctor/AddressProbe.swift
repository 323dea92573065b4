import DivanPlatform
import Foundation

/// Looks up a host name and connects to its addresses.
enum AddressProbe {
    /// An address and the result of connecting to it.
    struct ConnectionAttempt: Sendable {
        let address: String
        let milliseconds: Int
        /// The error; `nil` if the connection was accepted.
        let problem: Errno?
    }

    /// Looks a name up; returns the addresses as text.
    static func lookUp(_ name: String, _ port: UInt16) -> Result<[String], LookupError> {
        Result { () throws(LookupError) in
            try SocketAddress.resolve(name, port: port).map { $0.numericHost ?? "" }
        }
    }

    /// Connects to an address as text, and closes at once.
    static func reach(_ address: String, _ port: UInt16, seconds: Int) -> ConnectionAttempt {
        let begin = DispatchTimeStamp.now()
        let options = SocketAddress.ResolveOptions.numericHost
        guard
            let found = try? SocketAddress.resolve(address, port: port, options: options).first
        else {
            return ConnectionAttempt(
                address: address,
                milliseconds: 0,
                problem: .addressNotAvailable
            )
        }
        var problem: Errno?
        do {
            try connect(to: found, seconds)
        } catch {
            problem = error.errno
        }
        return ConnectionAttempt(
            address: address,
            milliseconds: begin.milliseconds,
            problem: problem
        )
    }

    private static func connect(to address: SocketAddress, _ seconds: Int) throws(SystemError) {
        let socket = try Socket(family: address.family)
        defer { socket.close() }
        if try socket.connect(to: address) { return }
        let milliseconds = Int32(clamping: seconds * 1_000)
        let events = try? socket.descriptor.wait(for: .writing, milliseconds: milliseconds)
        guard events?.isEmpty == false else { throw SystemError("connect", .timedOut) }
        try socket.checkConnected()
    }
}

/// A start time, to measure durations.
struct DispatchTimeStamp: Sendable {
    private let instant: ContinuousClock.Instant

    static func now() -> DispatchTimeStamp { DispatchTimeStamp(instant: .now) }

    /// Milliseconds since then.
    var milliseconds: Int { Int(((ContinuousClock.now - instant) / .milliseconds(1)).rounded()) }
}
