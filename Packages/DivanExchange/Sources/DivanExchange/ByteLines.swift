import DivanJSON

/// Reads a file line by line, whatever its length; a byte order mark at its beginning is left out.
package final class FileLines {
    /// Maximum bytes of one line; a file with longer ones is not text.
    package static let longestLine = 64 << 20

    /// Bytes of lines that were read, and whose memory is used again.
    private static let keptByteCount = 1 << 20

    private let input: InputFile
    private var pending: [UInt8] = []
    private var start = 0
    private var hasEnded = false
    private var isAtStart = true

    /// Opens the file.
    ///
    /// - Throws: `Failure` if it cannot be read.
    package init(_ path: String) throws(Failure) {
        input = try InputFile(path)
    }

    /// Returns the next line without its end, or `nil` after the last.
    package func next() throws(Failure) -> ArraySlice<UInt8>? {
        var searched = start
        while true {
            if let end = pending[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { start = end + 1 }
                return pending[start..<end]
            }
            searched = pending.count - start
            guard try fill() else { break }
        }
        defer { start = pending.count }
        return start < pending.count ? pending[start...] : nil
    }

    /// Releases the memory of the lines that were read, if it is much.
    package func releaseRead() {
        guard start > Self.keptByteCount else { return }
        pending = Array(pending[start...])
        start = 0
    }

    /// Returns everything that was not read yet.
    package func rest() throws(Failure) -> [UInt8] {
        while try fill() {}
        defer { start = pending.count }
        return Array(pending[start...])
    }

    /// Moves the rest to the front and reads more after it.
    private func fill() throws(Failure) -> Bool {
        pending.removeFirst(start)
        start = 0
        guard !hasEnded else { return false }
        guard pending.count < Self.longestLine else {
            throw Failure(
                kind: .invalid,
                sentence: "\(input.name): a line exceeds 64 MiB",
                hint: "check that it is a text file"
            )
        }
        try readPiece()
        if isAtStart { try dropMark() }
        return !hasEnded || !pending.isEmpty
    }

    private func readPiece() throws(Failure) {
        let piece = try input.read()
        pending += piece
        hasEnded = piece.isEmpty
    }

    private func dropMark() throws(Failure) {
        isAtStart = false
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        while !hasEnded, pending.count < mark.count, mark.starts(with: pending) { try readPiece() }
        pending = Array(pending.withoutByteOrderMark)
    }
}
