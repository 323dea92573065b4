import DivanCommandLine
import DivanExchange

/// The file of an export, compressed if its name ends in `.gz` or `.zst`.
///
/// It changes completely, or not at all, as any ``OutputFile``.
final class ExportFile {
    private let file: OutputFile
    private let compressed: CompressedOutput?

    /// Begins to write; nothing is visible before `finish`.
    ///
    /// - Throws: `Failure` if the place cannot be written to; `ExchangeError` if zstd is required and not installed.
    init(_ path: String) throws {
        let file = try OutputFile(path)
        self.file = file
        compressed = try FileCompression(suffixOf: path).map {
            try CompressedOutput($0, name: path, to: file.write)
        }
    }

    /// Adds bytes.
    func write(_ bytes: [UInt8]) throws {
        if let compressed { try compressed.write(bytes) } else { try file.write(bytes) }
    }

    /// Refuses to write next to the files of another database; see `OutputFile`.
    func requireNothing(beside endings: [String]) throws(Failure) {
        // Nothing reads a compressed file as a database.
        if compressed == nil { try file.requireNothing(beside: endings) }
    }

    /// Writes the end, and replaces the file.
    func finish() throws {
        try compressed?.finish()
        try file.finish()
    }
}
