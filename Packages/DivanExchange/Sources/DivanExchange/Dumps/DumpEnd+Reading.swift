import DivanPlatform

extension DumpEnd {
    /// Reads the last line of a dump, after which the next one continues.
    ///
    /// - Throws: `ExchangeError` with `notContinuable` if the file is not a complete dump, or with `reading`.
    public static func last(ofFile path: String) throws(ExchangeError) -> DumpEnd {
        let bytes = try lastBytes(of: path)
        guard bytes.last == UInt8(ascii: "\n") else {
            throw .notContinuable("the last line is incomplete", at: path)
        }
        let text = bytes.dropLast()
        let start = text.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? text.startIndex
        do throws(DumpDamage) {
            if case .end(let end) = try DumpLine(text[start...]) { return end }
            throw DumpDamage("the dump is truncated (end marker missing)")
        } catch {
            throw .notContinuable(error.problem, at: path)
        }
    }

    /// The last bytes of a plain file, enough for the last line.
    private static func lastBytes(of path: String) throws(ExchangeError) -> [UInt8] {
        let byteCount = ExchangeLimits.endByteCount
        var read: [UInt8] = []
        do throws(SystemError) {
            let descriptor = try FileDescriptor.open(
                path,
                [.readOnly, .closeOnExec, .noControllingTerminal]
            )
            defer { descriptor.close() }
            try descriptor.seek(to: max(0, try descriptor.seekToEnd() - byteCount))
            while case let piece = try descriptor.read(upTo: byteCount),
                !piece.isEmpty, read.count < 2 * byteCount
            {
                read += piece
            }
        } catch {
            throw ExchangeError(reading: path, error)
        }
        return read
    }
}

extension ExchangeError {
    /// A dump that cannot continue from the previous one.
    static func notContinuable(_ problem: String, at place: String? = nil) -> ExchangeError {
        ExchangeError(
            .notContinuable,
            at: place,
            problem,
            remedy: "make a full dump"
        )
    }
}
