import DivanCommandLine
import Foundation

/// Reads documents from files, one after another, without loading a whole file into memory.
///
/// A file holds either one JSON object per line, or one JSON array of objects; its first character
/// tells. A directory holds one object in each `*.json` file.
struct DocumentReader {
    /// Calls `body` for each document of the file or directory at `path` (`-` is standard input).
    static func read(
        _ path: String,
        until interruption: Interruption? = nil,
        _ body: (inout DocumentText) throws -> Void
    ) throws {
        if path != "-", InputFile.isDirectory(path) { return try readDirectory(path, body) }
        let file = try InputFile(path, until: interruption)
        var splitter = DocumentSplitter(name: file.name)
        while case let piece = try file.read(), !piece.isEmpty {
            try splitter.receive(piece, body)
        }
        try splitter.finish(body)
    }

    private static func readDirectory(
        _ path: String,
        _ body: (inout DocumentText) throws -> Void
    ) throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: path).sorted()
            .filter { $0.hasSuffix(".json") }
        guard !names.isEmpty else {
            throw Failure(
                kind: .notFound,
                sentence: "\(path): the directory contains no .json files",
                hint: "give the paths of the files instead"
            )
        }
        for name in names {
            let file = path + "/" + name
            let documentID = String(name.dropLast(".json".count))
            let start = DocumentText.Position(file: file, line: 1, column: 1)
            var text = DocumentText(
                place: file,
                fileName: documentID,
                bytes: try InputFile(file).rest(limit: DocumentText.longest)[...],
                start: start
            )
            try body(&text)
        }
    }
}
