import DivanPlatform

/// The input of a command at a path given by the user: a file, a pipe, or standard input.
///
/// Closed input, a directory and anything else that cannot be read are failures, never an empty text.
package final class InputFile {
    /// Bytes read at a time.
    package static let pieceByteCount = 1 << 18

    /// Its name in messages.
    package let name: String
    private let descriptor: FileDescriptor
    private let isOwn: Bool
    private let interruption: Interruption?

    /// Opens a file; `-` is standard input.
    ///
    /// On `interruption` reading fails, even while it waits for the other end to write.
    package init(_ path: String, until interruption: Interruption? = nil) throws(Failure) {
        self.interruption = interruption
        guard path != "-" else {
            name = StandardStreams.input
            descriptor = Streams.current.input
            isOwn = false
            return
        }
        name = path
        isOwn = true
        descriptor = try Failure.wrapping(
            FileDescriptor.open(path, [.readOnly, .closeOnExec, .noControllingTerminal]),
            at: path
        )
    }

    deinit {
        if isOwn { descriptor.close() }
    }

    /// Reads at most `byteCount` bytes; none at the end.
    package func read(upTo byteCount: Int = pieceByteCount) throws(Failure) -> [UInt8] {
        try (interruption ?? Interruption.current)?.waitToRead(from: descriptor)
        do {
            return try descriptor.readWaiting(upTo: byteCount)
        } catch {
            // A closed stream was replaced by one that cannot be read.
            throw .file(name, error.errno)
        }
    }

    /// Reads to the end.
    ///
    /// - Throws: `Failure` if there are more than `limit` bytes.
    package func rest(limit: Int) throws(Failure) -> [UInt8] {
        var bytes: [UInt8] = []
        while case let piece = try read(), !piece.isEmpty {
            bytes += piece
            guard bytes.count <= limit else {
                throw Failure(
                    kind: .invalid,
                    sentence: "\(name): longer than \(Numbers.bytes(limit))",
                    hint: "check that it is the right file"
                )
            }
        }
        return bytes
    }

    /// Reads the first line, without its end; does not wait for what follows.
    ///
    /// - Throws: `Failure` if the line is longer than `limit` bytes or not UTF-8.
    package func firstLine(limit: Int) throws(Failure) -> String {
        var bytes: [UInt8] = []
        let ends = [UInt8(ascii: "\n"), UInt8(ascii: "\r")]
        while !bytes.contains(where: ends.contains), bytes.count <= limit {
            let piece = try read(upTo: limit)
            if piece.isEmpty { break }
            bytes += piece
        }
        let line = bytes.prefix { !ends.contains($0) }
        guard line.count <= limit, let text = String(validating: line, as: UTF8.self) else {
            throw Failure(
                kind: .invalid,
                sentence: "\(name): the first line is not valid UTF-8, or exceeds "
                    + Numbers.bytes(limit),
                hint: "check that it is the right file"
            )
        }
        return text
    }

    /// Whether the path, or the target of a link there, is a directory.
    package static func isDirectory(_ path: String) -> Bool {
        (try? FileStatus(of: path))?.kind == .directory
    }
}
