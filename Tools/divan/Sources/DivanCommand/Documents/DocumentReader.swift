import DivanCommandLine
import Foundation

/// Reads documents out of files, one after another, without holding a whole file.
///
/// A file holds either one JSON object a line, or one JSON array of objects; its first character
/// tells. A directory holds one object in each `*.json` file.
struct DocumentReader {
    /// The text of one document and where it stood.
    struct Entry {
        /// `file:line` or the file's path.
        var place: String
        /// The file's name without its suffix, when the file holds this document alone.
        var fileName: String?
        /// The JSON text.
        var bytes: ArraySlice<UInt8>
    }

    /// Most bytes of one document's text; more is refused before it fills the memory.
    static let longestDocument = 64 << 20

    /// Calls `body` for each document of the file or directory at `path` (`-` is standard input).
    static func read(_ path: String, _ body: (Entry) throws -> Void) throws {
        if path != "-", InputFile.isDirectory(path) { return try readDirectory(path, body) }
        let file = try InputFile(path)
        var splitter = DocumentSplitter(name: file.name)
        while case let piece = try file.read(), !piece.isEmpty {
            try splitter.receive(piece, body)
        }
        try splitter.finish(body)
    }

    private static func readDirectory(_ path: String, _ body: (Entry) throws -> Void) throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: path).sorted()
        for name in names where name.hasSuffix(".json") {
            let file = path + "/" + name
            let bytes = try InputFile(file).rest(limit: longestDocument)
            let documentID = String(name.dropLast(".json".count))
            try body(Entry(place: file, fileName: documentID, bytes: bytes[...]))
        }
    }
}

/// Cuts a stream of JSON lines, or of one JSON array, into the texts of its documents.
struct DocumentSplitter {
    private enum Form {
        case unknown
        case lines
        case array
    }

    private let name: String
    private var form = Form.unknown
    private var pending: [UInt8] = []
    private var line = 1
    private var firstLine = 1
    private var depth = 0
    private var isInString = false
    private var isEscaped = false

    /// - Parameter name: What the places of errors begin with.
    init(name: String) {
        self.name = name
    }

    /// Takes the next bytes of the stream; calls `body` for each document that is complete.
    mutating func receive(
        _ bytes: some Sequence<UInt8>,
        _ body: (DocumentReader.Entry) throws -> Void
    ) throws {
        for byte in bytes {
            if form == .unknown { chooseForm(byte) }
            switch form {
            case .unknown: if byte == UInt8(ascii: "\n") { line += 1 }
            case .lines: try takeLine(byte, body)
            case .array: try takeItem(byte, body)
            }
        }
    }

    /// Takes the end of the stream.
    mutating func finish(_ body: (DocumentReader.Entry) throws -> Void) throws {
        switch form {
        case .unknown: return
        case .lines: try takeLine(UInt8(ascii: "\n"), body)
        case .array:
            guard depth == 0 else {
                throw Failure(
                    kind: .invalid,
                    sentence: "\(name):\(line): the array is not closed; is the file complete?"
                )
            }
        }
    }

    private mutating func chooseForm(_ byte: UInt8) {
        switch byte {
        case _ where Self.isSpace(byte): return
        // A byte order mark is no part of the text.
        case 0xEF, 0xBB, 0xBF: return
        case UInt8(ascii: "["): form = .array
        default: form = .lines
        }
        firstLine = line
    }

    private mutating func takeLine(
        _ byte: UInt8,
        _ body: (DocumentReader.Entry) throws -> Void
    ) throws {
        guard byte == UInt8(ascii: "\n") else { return try append(byte) }
        defer {
            line += 1
            pending.removeAll(keepingCapacity: true)
        }
        if pending.isEmpty { return }
        try body(DocumentReader.Entry(place: "\(name):\(line)", bytes: pending[...]))
    }

    private mutating func takeItem(
        _ byte: UInt8,
        _ body: (DocumentReader.Entry) throws -> Void
    ) throws {
        if byte == UInt8(ascii: "\n") { line += 1 }
        if isInString {
            try append(byte)
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isInString = false
            }
            return
        }
        switch byte {
        case UInt8(ascii: "["), UInt8(ascii: "{"):
            depth += 1
            if depth > 1 { try append(byte) }
        case UInt8(ascii: "]"), UInt8(ascii: "}"):
            depth -= 1
            if depth > 0 { try append(byte) } else { try endItem(body) }
        case UInt8(ascii: ",") where depth == 1:
            try endItem(body)
        default:
            if byte == UInt8(ascii: "\"") { isInString = true }
            try append(byte)
        }
    }

    private mutating func endItem(_ body: (DocumentReader.Entry) throws -> Void) throws {
        defer { pending.removeAll(keepingCapacity: true) }
        if pending.isEmpty { return }
        try body(DocumentReader.Entry(place: "\(name):\(firstLine)", bytes: pending[...]))
    }

    private mutating func append(_ byte: UInt8) throws {
        if pending.isEmpty, Self.isSpace(byte) { return }
        if pending.isEmpty { firstLine = line }
        guard pending.count < DocumentReader.longestDocument else {
            throw Failure(
                kind: .invalid,
                sentence: "\(name):\(firstLine): a document of more than 64 MiB; "
                    + "put large content into blobs"
            )
        }
        pending.append(byte)
    }

    private static func isSpace(_ byte: UInt8) -> Bool { " \t\r\n".utf8.contains(byte) }
}
