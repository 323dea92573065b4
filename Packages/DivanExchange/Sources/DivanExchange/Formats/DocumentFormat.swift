public import DivanJSON
import DivanPlatform
import Foundation

/// The format of an input with documents.
public enum DocumentFormat: Sendable {
    /// One JSON object per line, or one JSON array of objects; the first character decides.
    case json
    /// The value at a path in a JSON text: an array of objects, or an object whose keys are the IDs of the documents
    /// below them.
    ///
    /// Several texts can follow each other, such as the pages of an answer.
    case nestedJSON(JSONPointer)
    /// Extended JSON of MongoDB, version 2, as mongoexport writes it: as ``json``, or at a path.
    ///
    /// IDs of objects, dates and UUIDs become strings, numbers become numbers, and binary data becomes blobs. A decimal
    /// with more digits than a number can hold becomes a string, as do infinite numbers and NaN. Other types stay as
    /// they are.
    case mongo(JSONPointer? = nil)
    /// GeoJSON (RFC 7946): a feature collection, or features one after the other.
    ///
    /// Each feature is a document, whose ID is the feature's `id`.
    case geoJSON
    /// Comma-separated values (RFC 4180) in UTF-8, whose first record contains the keys.
    case csv(CSVRules)
    /// A response of CouchDB, or the output of pouchdb-dump; with its revision IDs, or without.
    case couch(keepingRevisions: Bool)

    /// The format that the suffix of a file's name selects, without `.gz` or `.zst`.
    public init(suffixOf name: String, csv rules: CSVRules = CSVRules()) {
        let name = FileCompression.nameInside(name).lowercased()
        self =
            if [".csv", ".tsv"].contains(where: name.hasSuffix) {
                .csv(rules)
            } else if [".geojson", ".geojsonl", ".geojsons"].contains(where: name.hasSuffix) {
                .geoJSON
            } else {
                .json
            }
    }

    /// Calls `body` for each document of an input, without loading the input into memory.
    ///
    /// A gzip or Zstandard file is decompressed; its first bytes decide.
    ///
    /// - Throws: `ExchangeError` with `invalid` and the place for an input that is not in this format, or is damaged;
    ///   errors of the input and of `body`.
    public func read(
        _ source: ByteSource,
        _ body: (inout DocumentText) throws -> Void
    ) throws {
        let source = source.decompressed()
        switch self {
        case .json: try Self.readTexts(source, body)
        case .nestedJSON(let path):
            try NestedSplitter.read(source, NestedSplitter(name: source.name, path: path), body)
        case .mongo(let path):
            let converting = { (entry: inout DocumentText) in
                ExtendedJSON.convert(&entry)
                entry.isForeign = true
                try body(&entry)
            }
            if let path {
                let splitter = NestedSplitter(name: source.name, path: path)
                try NestedSplitter.read(source, splitter, converting)
            } else {
                try Self.readTexts(source, converting)
            }
        case .geoJSON:
            try NestedSplitter.read(source, .features(name: source.name)) { entry in
                entry.isForeign = true
                try body(&entry)
            }
        case .csv(let rules):
            try CSVReader.read(source, rules, body)
        case .couch(let keepsRevisions):
            try CouchReader.read(source, keepingRevisions: keepsRevisions, body)
        }
    }

    /// Reads JSON lines, indented objects, or arrays.
    private static func readTexts(
        _ source: ByteSource,
        _ body: (inout DocumentText) throws -> Void
    ) throws {
        var splitter = DocumentSplitter(name: source.name)
        while case let piece = try source.read(), !piece.isEmpty {
            try splitter.receive(piece, body)
        }
        try splitter.finish(body)
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
                suppliedID: String(name.dropLast(".json".count)),
                bytes: bytes[...],
                start: start
            )
            try body(&text)
        }
    }
}
