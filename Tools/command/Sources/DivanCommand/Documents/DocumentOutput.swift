import DivanCommandLine
import DivanExchange
import DivanPlatform

/// Where documents are exported: standard output, a file, or a file for each in an existing directory.
enum DocumentOutput {
    case results(Terminal)
    case file(ExportFile)
    case files(in: String)

    /// Opens a file, standard output for `-`, or prepares to fill an existing directory.
    init(_ file: String, _ terminal: Terminal) throws {
        if file == "-" {
            self = .results(terminal)
        } else if InputFile.isDirectory(file) {
            self = .files(in: file)
        } else {
            self = .file(try ExportFile(file))
        }
    }

    /// Begins an export to it.
    func export(
        asArray: Bool = false,
        embeddingBlobs embedsBlobs: Bool,
        _ progress: @escaping ProgressHandler
    ) -> DocumentExport {
        let sink: ByteSink
        switch self {
        case .results(let terminal): sink = terminal.write(json:)
        case .file(let file): sink = file.write
        case .files(let directory):
            var count = 0
            let write: DocumentExport.FileSink = { name, text in
                try Self.write(text, to: "\(directory)/\(name)", after: count)
                count += 1
            }
            return DocumentExport(
                eachTo: write,
                embeddingBlobs: embedsBlobs,
                progress: progress
            )
        }
        return DocumentExport(
            asArray ? .array : .lines,
            embeddingBlobs: embedsBlobs,
            to: sink,
            progress: progress
        )
    }

    /// Moves a file to its place; several are synced together, because one sync per file would take a hundred
    /// times as long.
    func finish() throws {
        switch self {
        case .results: break
        case .file(let file): try file.finish()
        case .files(let directory): try Self.sync(directory)
        }
    }

    private static func write(
        _ text: [UInt8],
        to file: String,
        after count: Int
    ) throws(Failure) {
        do throws(Failure) {
            let output = try OutputFile(file, .init(isSynced: false, isOneOfMany: true))
            try output.write(text)
            try output.write([UInt8(ascii: "\n")])
            try output.finish()
        } catch {
            var failure = error
            failure.sentence += "; exported \(Numbers.count(count, "document")) before it"
            throw failure
        }
    }

    /// Syncs the files of a directory to the disk.
    private static func sync(_ directory: String) throws(Failure) {
        do {
            FileSystem.syncAll()
            try FileSystem.syncDirectory(directory)
        } catch {
            throw .writing(directory, error.errno)
        }
    }
}
