import Foundation

extension FileHandle {
    /// Waits for something to read; empty at the end, and when nothing can be read any more.
    func nextPiece() -> Data {
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Glibc.read(fileDescriptor, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            return Data(piece.prefix(max(0, count)))
        }
    }
}
