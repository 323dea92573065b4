import DivanPlatform
import DivanTLS
import Foundation

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

    private let socket: Socket
    private var session: TLSSession?
    private var plaintext: [UInt8] = []

    /// Connects from `source`, any address of 127/8, in clear text.
    init(to port: UInt16, from source: String = "127.0.0.2", timeout: Int = 5) throws {
        socket = try Socket(family: .ipv4, isBlocking: true)
        socket.setTimeouts(receiving: timeout, sending: timeout)
        guard let own = SocketAddress(host: source, port: 0),
            let server = SocketAddress(host: "127.0.0.1", port: port)
        else { throw AttackFailure("no address: \(source)") }
        do {
            try socket.bind(to: own)
            try socket.connectBlocking(to: server)
        } catch {
            throw AttackFailure("no connection: \(error)")
        }
    }

    deinit { socket.close() }

    /// Sends raw bytes, even with TLS.
    func sendRaw(_ bytes: [UInt8]) {
        socket.sendAll(bytes)
    }

    /// The next raw bytes; empty if there are no more.
    func receiveRaw() -> [UInt8] {
        socket.receive(upTo: 65_536)
    }

    /// Whether the server has ended the connection within the time-out.
    func isEnded() -> Bool {
        // What the server sent before, such as TLS tickets, is skipped.
        var buffer = [UInt8](repeating: 0, count: 4_096)
        for _ in 0..<200 {
            switch buffer.withUnsafeMutableBytes({ socket.receive(into: $0) }) {
            case .bytes(0): return true
            case .bytes: continue
            case .failed(let error): return error.errno == .connectionReset
            case .wouldBlock: return false
            }
        }
        return false
    }

    /// Ends the connection with a reset instead of closing it properly.
    func reset() {
        socket.resetAtClose()
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
