import DivanJSON

/// Reads an input line by line, whatever its length; a byte order mark at its beginning is left out.
public final class ByteLines {
    /// Bytes of lines that were read, and whose memory is used again.
    private static let keptByteCount = 1 << 20

    private let source: ByteSource
    private var pending: [UInt8] = []
    private var start = 0
    private var hasEnded = false
    private var isAtStart = true

    /// Begins to read an input.
    public init(_ source: ByteSource) {
        self.source = source
    }

    /// Returns the next line without its end, or `nil` after the last.
    ///
    /// - Throws: `ExchangeError` with `invalid` for a line longer than ``ExchangeLimits/lineByteCount``; errors of
    ///   the source.
    public func next() throws -> ArraySlice<UInt8>? {
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
    func releaseRead() {
        guard start > Self.keptByteCount else { return }
        pending = Array(pending[start...])
        start = 0
    }

    /// Returns everything that was not read yet.
    ///
    /// - Throws: As ``next()``.
    public func rest() throws -> [UInt8] {
        while try fill() {}
        defer { start = pending.count }
        return Array(pending[start...])
    }

    /// Moves the rest to the front and reads more after it.
    private func fill() throws -> Bool {
        pending.removeFirst(start)
        start = 0
        guard !hasEnded else { return false }
        guard pending.count < ExchangeLimits.lineByteCount else {
            throw ExchangeError(
                .invalid,
                at: source.name,
                "a line exceeds 64 MiB",
                remedy: "check that it is a text file"
            )
        }
        try readPiece()
        if isAtStart { try dropMark() }
        return !hasEnded || !pending.isEmpty
    }

    private func readPiece() throws {
        let piece = try source.read()
        pending += piece
        hasEnded = piece.isEmpty
    }

    private func dropMark() throws {
        isAtStart = false
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        while !hasEnded, pending.count < mark.count, mark.starts(with: pending) { try readPiece() }
        pending = Array(pending.withoutByteOrderMark)
    }
}
