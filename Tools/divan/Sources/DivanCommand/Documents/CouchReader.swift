import DivanCommandLine
import DivanJSON

/// Reads what CouchDB and PouchDB give out: `_all_docs`, `_find`, `_bulk_docs` and `_changes`, as one
/// object with an array of documents, as an array, or as a line for each.
///
/// `_id` stays the ID. `_rev` and what else CouchDB keeps under an underscore belongs to its own history,
/// and is left out; an attachment becomes a blob under `attachments`, if its content came along
/// (`?attachments=true`). Design documents are programs for CouchDB, and are left out, too.
///
/// Source: the HTTP API reference of CouchDB 3.
struct CouchReader {
    /// Calls `body` for each document of the file at `path` (`-` is standard input).
    static func read(_ path: String, _ body: (DocumentReader.Entry) throws -> Void) throws {
        let file = try InputFile(path)
        var finder = ArrayFinder()
        var splitter = DocumentSplitter(name: file.name)
        while case let piece = try file.read(), !piece.isEmpty {
            let bytes = try finder.receive(piece, name: file.name)
            try splitter.receive(bytes) { try pass($0, body) }
        }
        try splitter.receive(try finder.finish(name: file.name)) { try pass($0, body) }
        try splitter.finish { try pass($0, body) }
    }

    /// Hands a row on as the document that it holds, if any.
    private static func pass(
        _ entry: DocumentReader.Entry,
        _ body: (DocumentReader.Entry) throws -> Void
    ) throws {
        guard let row = try? JSON(parsing: entry.bytes).object else { return try body(entry) }
        guard let document = try document(of: row, entry.place) else { return }
        var changed = entry
        changed.bytes = Array(JSON.object(document).canonicalText.utf8)[...]
        try body(changed)
    }

    /// The document in a row, in the words of `divan import`; `nil` where there is none for us.
    private static func document(of row: JSONObject, _ place: String) throws -> JSONObject? {
        guard let id = (row["_id"] ?? row["id"])?.string else { return row }
        if id.hasPrefix("_design/") || id.hasPrefix("_local/") { return nil }
        let isDeleted =
            row["deleted"]?.bool == true || row["_deleted"]?.bool == true
            || row["value"]?.object?["deleted"]?.bool == true
            || row["doc"]?.object?["_deleted"]?.bool == true
        if isDeleted { return ["_id": .string(id), "_deleted": true] }
        let isRow = row["_id"] == nil
        guard let whole = isRow ? row["doc"]?.object : row else {
            throw Failure(
                kind: .invalid,
                sentence: "\(place): only the ID of \"\(id)\"; dump with ?include_docs=true"
            )
        }
        var document = JSONObject()
        for (key, value) in whole where !key.hasPrefix("_") { document[key] = value }
        document["_id"] = .string(id)
        guard let attachments = whole["_attachments"]?.object else { return document }
        guard document["attachments"] == nil else {
            throw Failure(
                kind: .invalid,
                sentence: "\(place): \"\(id)\" has attachments, and a property of that name"
            )
        }
        document["attachments"] = .object(try blobs(attachments, id, place))
        return document
    }

    private static func blobs(
        _ attachments: JSONObject,
        _ id: String,
        _ place: String
    ) throws -> JSONObject {
        var blobs = JSONObject()
        for (name, value) in attachments {
            guard let data = value.object?["data"] else {
                throw Failure(
                    kind: .invalid,
                    sentence: "\(place): the attachment \(name) of \"\(id)\" came without its "
                        + "content; dump with ?attachments=true"
                )
            }
            blobs[name] = [
                "@type": "blob", "data": data,
                "content_type": value.object?["content_type"] ?? "application/octet-stream",
            ]
        }
        return blobs
    }
}

/// Finds the array of documents in an answer of CouchDB, and passes it on alone.
///
/// An answer is one object whose member `rows`, `docs` or `results` is an array. Anything else passes as it
/// is: an array, or lines, whose first is a document and not an answer.
private struct ArrayFinder {
    private enum State {
        /// Nothing but white space and the beginning of an object came.
        case beginning
        /// In the object, before the array.
        case searching
        case inArray
        case behindArray
        case passing
    }

    private static let keys = ["rows", "docs", "results"]
    /// What no answer has, and every document or row.
    private static let rowKeys = ["_id", "id", "seq"]
    /// What an answer tells before its array: two numbers, a cursor.
    private static let searchByteLimit = 64 << 10

    private var state = State.beginning
    private var held: [UInt8] = []  // what came before it was known what it is
    private var depth = 0
    private var isInString = false
    private var isEscaped = false
    private var text: [UInt8] = []  // the string that ended last

    mutating func receive(_ bytes: [UInt8], name: String) throws(Failure) -> [UInt8] {
        if state == .passing { return bytes }
        var passed: [UInt8] = []
        for byte in bytes { step(byte, &passed) }
        guard held.count <= Self.searchByteLimit else {
            throw Failure(
                kind: .invalid,
                sentence: "\(name): no answer of CouchDB, which has its rows, docs or results early"
            )
        }
        return passed
    }

    /// What is left when the file ends: an object that was no answer, but a document.
    mutating func finish(name: String) throws(Failure) -> [UInt8] {
        if state == .inArray {
            throw Failure(
                kind: .invalid,
                sentence: "\(name): the array is not closed; is the file complete?"
            )
        }
        defer { held = [] }
        return held
    }

    private mutating func step(_ byte: UInt8, _ passed: inout [UInt8]) {
        switch state {
        case .passing: passed.append(byte)
        case .behindArray: break
        case .beginning:
            held.append(byte)
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"):
                break
            case 0xEF, 0xBB, 0xBF: break  // a byte order mark
            case UInt8(ascii: "{"):
                state = .searching
                depth = 1
            default: passAll(&passed)
            }
        case .searching:
            held.append(byte)
            search(byte, &passed)
        case .inArray:
            passed.append(byte)
            follow(byte)
            if depth == 0 { state = .behindArray }
        }
    }

    private mutating func search(_ byte: UInt8, _ passed: inout [UInt8]) {
        let wasInString = isInString
        follow(byte)
        let key = String(decoding: text, as: UTF8.self)
        if !wasInString, byte == UInt8(ascii: "["), depth == 2, Self.keys.contains(key) {
            state = .inArray
            depth = 1
            held = []
            passed.append(byte)
        } else if depth == 0 || wasInString && !isInString && Self.rowKeys.contains(key) {
            // A document or a row: the first of many lines, or the only one.
            passAll(&passed)
        }
    }

    private mutating func passAll(_ passed: inout [UInt8]) {
        state = .passing
        passed += held
        held = []
    }

    /// Keeps count of brackets and strings.
    private mutating func follow(_ byte: UInt8) {
        if isInString {
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isInString = false
                return
            }
            if state == .searching, text.count < 16 { text.append(byte) }
            return
        }
        switch byte {
        case UInt8(ascii: "\""):
            isInString = true
            text = []
        case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
        case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
        default: break
        }
    }
}
