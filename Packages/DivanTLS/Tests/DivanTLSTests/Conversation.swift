import DivanTLS

/// A session of ours, its socket, and the foreign process at the other end.
final class Conversation {
    let session: TLSSession
    let process: OpenSSLProcess
    private let socket: LoopbackSocket
    private(set) var plaintext: [UInt8] = []

    init(_ session: TLSSession, _ socket: LoopbackSocket, _ process: OpenSSLProcess) {
        self.session = session
        self.socket = socket
        self.process = process
    }

    /// Transfers bytes until the session is in `state`, or the other side has gone.
    func reach(_ state: TLSSession.State) throws {
        try socket.drive(session, &plaintext) { _ in session.state == state }
    }

    /// Transfers bytes until a whole line has arrived, and returns it.
    func line() throws -> String {
        try socket.drive(session, &plaintext) { $0.contains(10) }
        let line = plaintext.prefix { $0 != 10 }
        plaintext.removeFirst(min(line.count + 1, plaintext.count))
        return String(decoding: line, as: UTF8.self)
    }

    /// Sends a line.
    func say(_ line: String) throws {
        try session.send(line + "\n")
        socket.flush(session)
    }

    /// The error with which the session ends while it waits for a line.
    func failure() throws -> TLSError? {
        do {
            _ = try line()
            return nil
        } catch let error as TLSError {
            return error
        }
    }
}
