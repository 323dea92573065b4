import DivanTLS
import Foundation
import Glibc

/// Why an attack could not be carried out.
struct AttackFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// A blocking socket from a source address of the attacker's choice, with TLS if wanted.
///
/// Reads time out after a few seconds, so no attack can hang the program.
final class Wire {
    /// How TLS ended, if the server refused it.
    private(set) var refusal: TLSError?

    private let descriptor: Int32
    private var session: TLSSession?
    private var plaintext: [UInt8] = []

    /// Connects from `source`, any address of 127/8, in clear text.
    init(to port: UInt16, from source: String = "127.0.0.2", timeout: Int = 5) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var wait = timeval(tv_sec: timeout, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            let byteCount = socklen_t(MemoryLayout<timeval>.size)
            setsockopt(descriptor, SOL_SOCKET, option, &wait, byteCount)
        }
        guard Self.with(source, 0, { bind(descriptor, $0, $1) }) == 0,
            Self.with("127.0.0.1", port, { connect(descriptor, $0, $1) }) == 0
        else {
            let problem = String(cString: strerror(errno))
            Glibc.close(descriptor)
            throw AttackFailure("no connection: \(problem)")
        }
    }

    deinit { Glibc.close(descriptor) }

    private static func with<Result>(
        _ host: String,
        _ port: UInt16,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        inet_pton(AF_INET, host, &address.sin_addr)
        // The system reads the address during the call, through the generic type.
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    /// Sends raw bytes, even with TLS.
    func sendRaw(_ bytes: [UInt8]) {
        var sent = 0
        while sent < bytes.count {
            let rest = Array(bytes[sent...])
            let count = Glibc.send(descriptor, rest, rest.count, Int32(MSG_NOSIGNAL))
            guard count > 0 else { return }
            sent += count
        }
    }

    /// The next raw bytes; empty if there are no more.
    func receiveRaw() -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return Array(buffer.prefix(max(0, count)))
    }

    /// Whether the server has ended the connection within the time-out.
    func isEnded() -> Bool {
        // What the server sent before, such as TLS tickets, is skipped.
        var buffer = [UInt8](repeating: 0, count: 4_096)
        for _ in 0..<200 {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count == 0 || (count < 0 && errno == ECONNRESET) { return true }
            if count < 0 { return false }
        }
        return false
    }

    /// Ends the connection with a reset instead of closing it properly.
    func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        let byteCount = socklen_t(MemoryLayout<linger>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, byteCount)
    }

    // MARK: TLS

    /// Performs the handshake; accepts whatever the server presents.
    func startTLS(presenting credential: TLSCredential? = nil) throws {
        let context = try TLSContext.client(
            ClientTLSConfiguration(serverTrust: .callback { _ in true }, credential: credential)
        )
        let session = try TLSSession(context)
        self.session = session
        while session.state == .handshaking {
            flush()
            guard pump() else { throw AttackFailure("TLS was refused") }
        }
        flush()
    }

    func send(_ bytes: [UInt8]) {
        guard let session else { return sendRaw(bytes) }
        try? session.send(bytes.span)
        flush()
    }

    /// The next bytes, decrypted; empty if there are no more.
    func receive() -> [UInt8] {
        guard session != nil else { return receiveRaw() }
        while plaintext.isEmpty {
            guard pump() else { return [] }
        }
        defer { plaintext = [] }
        return plaintext
    }

    private func flush() {
        var output: [UInt8] = []
        session?.takeOutput(appendingTo: &output)
        if !output.isEmpty { sendRaw(output) }
    }

    private func pump() -> Bool {
        let bytes = receiveRaw()
        guard !bytes.isEmpty, let session else { return false }
        do {
            try session.receive(bytes.span, appendingTo: &plaintext)
            flush()
            return session.state != .closed || !plaintext.isEmpty
        } catch {
            refusal = error
            return !plaintext.isEmpty
        }
    }
}
