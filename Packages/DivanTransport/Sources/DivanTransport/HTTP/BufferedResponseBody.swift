import DivanHTTP
import Synchronization

/// A long body in memory, passed on in pieces as the client takes it, so that it is held once.
final class BufferedResponseBody: HTTPBodySource {
    /// Shorter bodies are written as a whole.
    static let wholeByteCount = 256 << 10
    static let pieceByteCount = 64 << 10

    private let rest: Mutex<ArraySlice<UInt8>>

    init(_ bytes: [UInt8]) {
        rest = Mutex(bytes[...])
    }

    func next(_ answer: @escaping @Sendable (HTTPBodyPiece) -> Void) {
        let piece = rest.withLock { rest in
            let piece = rest.prefix(Self.pieceByteCount)
            rest = rest.dropFirst(piece.count)
            return Array(piece)
        }
        answer(piece.isEmpty ? .end : .bytes(piece))
    }

    func cancel() {
        rest.withLock { $0 = [] }
    }
}
