import DivanCommandLine
import DivanCrypto

/// Where a dump is written: a file that changes completely or not at all, or standard output.
///
/// A quarter of a megabyte is buffered at a time.
final class DumpOutput {
    private enum Target {
        case results(Terminal)
        case file(OutputFile)
    }

    private let target: Target
    private var pending: [UInt8] = []
    private var hash = SHA256()

    /// Bytes written.
    private(set) var byteCount: UInt64 = 0

    /// Opens a file, or standard output for `-` and `nil`.
    init(_ file: String?, _ terminal: Terminal) throws(Failure) {
        if let file, file != "-" {
            target = .file(try OutputFile(file))
        } else {
            target = .results(terminal)
        }
    }

    /// Writes a line.
    ///
    /// - Throws: `DumpDamage` for one that is too long to be read again, and any error of
    ///   writing.
    func write(_ line: DumpLine) throws {
        try Interruption.check()
        let bytes = try line.bytes()
        guard bytes.count < DumpLimits.lineByteCount else {
            throw DumpDamage(
                "\(Numbers.bytes(bytes.count)) with its revisions, and a line of a dump holds "
                    + "\(Numbers.bytes(DumpLimits.lineByteCount)); put large content into blobs"
            )
        }
        pending += bytes
        pending.append(UInt8(ascii: "\n"))
        byteCount += UInt64(bytes.count) + 1
        if pending.count > 1 << 18 { try flush() }
    }

    /// Ends a section; its last line has the digest of those before.
    func write(_ end: DumpEnd) throws {
        try flush()
        var end = end
        end.digest = Hex.encode(hash.finalize().span)
        hash = SHA256()
        try write(.end(end))
    }

    /// Moves what was written to its place.
    func finish() throws {
        try flush()
        if case .file(let file) = target { try file.finish() }
    }

    private func flush() throws {
        hash.update(pending.span)
        switch target {
        case .results(let terminal):
            terminal.result(json: pending)
            try terminal.requireOutput()
        case .file(let file): try file.write(pending)
        }
        pending.removeAll(keepingCapacity: true)
    }
}
