import DivanPlatform
import Foundation

/// The format of an input with documents.
public enum DocumentFormat: Sendable {
    /// One JSON object per line, or one JSON array of objects; the first character decides.
    case json
    /// Comma-separated values (RFC 4180) in UTF-8, whose first record contains the keys.
    case csv(CSVRules)
    /// A response of CouchDB, or the output of pouchdb-dump; with its revision IDs, or without.
    case couch(keepingRevisions: Bool)

    /// Calls `body` for each document of an input, without loading the input into memory.
    ///
    /// - Throws: `ExchangeError` with `invalid` and the place for an input that is not in this format; errors of the
    ///   input and of `body`.
    public func read(
        _ source: ByteSource,
        _ body: (inout DocumentText) throws -> Void
    ) throws {
        switch self {
        case .json:
            var splitter = DocumentSplitter(name: source.name)
            while case let piece = try source.read(), !piece.isEmpty {
                try splitter.receive(piece, body)
            }
            try splitter.finish(body)
        case .csv(let rules):
            try CSVReader.read(source, rules, body)
        case .couch(let keepsRevisions):
            try CouchReader.read(source, keepingRevisions: keepsRevisions, body)
        }
    }

    /// Calls `body` for each file of a directory whose name ends in `.json`, in the order of names.
    ///
    /// Each file contains one JSON object; its name without the suffix is the ID, unless the object contains one.
    ///
    /// - Throws: `ExchangeError` with `notFound` if there are no such files; errors of the files and of `body`.
    public static func readDirectory(
        _ path: String,
        _ body: (inout DocumentText) throws -> Void
    ) throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: path).sorted()
            .filter { $0.hasSuffix(".json") }
        guard !names.isEmpty else {
            throw ExchangeError(
                .notFound,
                at: path,
                "the directory contains no .json files",
                remedy: "give the paths of the files instead"
            )
        }
        for name in names {
            let file = path + "/" + name
            let start = DocumentText.Position(file: file, line: 1, column: 1)
            let bytes = try ByteSource(path: file).rest(limit: ExchangeLimits.documentByteCount)
            var text = DocumentText(
                place: file,
                fileName: String(name.dropLast(".json".count)),
                bytes: bytes[...],
                start: start
            )
            try body(&text)
        }
    }
}
