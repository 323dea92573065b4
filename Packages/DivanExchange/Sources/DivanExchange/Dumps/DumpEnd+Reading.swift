import DivanCommandLine
import DivanPlatform

extension DumpEnd {
    /// The last line of a dump, after which the next one continues.
    ///
    /// - Throws: `Failure` if the file is not a complete dump.
    static func last(of path: String) throws -> DumpEnd {
        let file = try FileTail(path, byteCount: DumpLimits.endByteCount)
        let hint = "make a full dump, without '--since'"
        guard file.bytes.last == UInt8(ascii: "\n") else {
            throw Failure(
                kind: .invalid,
                sentence: "\(path): the last line is incomplete",
                hint: hint
            )
        }
        let text = file.bytes.dropLast()
        let start = text.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? text.startIndex
        do throws(DumpDamage) {
            if case .end(let end) = try DumpLine(text[start...]) { return end }
            throw DumpDamage("the dump is truncated (end marker missing)")
        } catch {
            throw Failure(kind: .invalid, sentence: "\(path): \(error.problem)", hint: hint)
        }
    }
}

/// The last bytes of a plain file.
private struct FileTail {
    let bytes: [UInt8]

    init(_ path: String, byteCount: Int) throws(Failure) {
        var read: [UInt8] = []
        do throws(SystemError) {
            let descriptor = try FileDescriptor.open(
                path,
                [.readOnly, .closeOnExec, .noControllingTerminal]
            )
            defer { descriptor.close() }
            try descriptor.seek(to: max(0, try descriptor.seekToEnd() - byteCount))
            while case let piece = try descriptor.readWaiting(upTo: byteCount),
                !piece.isEmpty, read.count < 2 * byteCount
            {
                read += piece
            }
        } catch {
            throw .file(path, error.errno)
        }
        bytes = read
    }
}
