import DivanJSON
import DivanStore
import Foundation

/// Writes documents as JSON: lines or one array in a file, or a file each in a directory.
///
/// A quarter of a megabyte is held at a time.
struct DocumentLines {
    /// How documents stand in the output.
    enum Form: Equatable {
        case lines
        case array
        /// One file for each, in this directory.
        case files(in: String)
    }

    private let form: Form
    private let output: FileHandle
    private let blobs: BlobStore?
    private var pending: [UInt8] = []

    /// Documents written.
    private(set) var count = 0
    /// Bytes of their texts.
    private(set) var byteCount: UInt64 = 0

    /// Begins a file, standard output for `-` and `nil`, or to fill a directory that exists.
    ///
    /// The content of blobs is taken from `blobs`; with `nil` it is left out.
    init(to file: String?, asArray: Bool = false, embedding blobs: BlobStore?) throws {
        self.blobs = blobs
        var isDirectory: ObjCBool = false
        guard let file, file != "-" else {
            form = asArray ? .array : .lines
            output = FileHandle.standardOutput
            return
        }
        if FileManager.default.fileExists(atPath: file, isDirectory: &isDirectory),
            isDirectory.boolValue
        {
            form = .files(in: file)
            output = FileHandle.nullDevice
            return
        }
        form = asArray ? .array : .lines
        output = try Self.create(file)
    }

    /// Writes a document with its ID and further members.
    mutating func add(_ document: StoredDocument, _ members: JSONObject = [:]) throws {
        var body = try JSON(parsing: document.body)
        if let blobs { body = try InlineBlobs.embed(body, from: blobs) }
        var object = body.object ?? JSONObject()
        for (key, value) in members { object[key] = value }
        object["_id"] = .string(document.documentID)
        let bytes = try JSON.object(object).canonicalBytes()
        switch form {
        case .lines:
            pending += bytes
            pending.append(UInt8(ascii: "\n"))
        case .array:
            pending += Array((count == 0 ? "[\n" : ",\n").utf8) + bytes
        case .files(let directory):
            let file = try Self.create(directory + "/" + fileName(document.documentID))
            try file.write(contentsOf: bytes + [UInt8(ascii: "\n")])
            try file.close()
        }
        count += 1
        byteCount += UInt64(bytes.count)
        if pending.count > 1 << 18 { try flush() }
    }

    /// Writes what is left, and the end.
    mutating func finish() throws {
        if form == .array { pending += Array((count == 0 ? "[]\n" : "\n]\n").utf8) }
        try flush()
    }

    private mutating func flush() throws {
        try output.write(contentsOf: pending)
        pending.removeAll(keepingCapacity: true)
    }

    /// A name that no other document's file has; the ID itself stands in the text.
    private func fileName(_ documentID: String) -> String {
        var name = ""
        for byte in documentID.utf8 {
            let letter = Character(Unicode.Scalar(byte))
            let isPlain = letter.isASCII && (letter.isLetter || letter.isNumber)
            name +=
                isPlain || "-_".contains(letter) ? String(letter) : "%" + String(byte, radix: 16)
        }
        // Shorter than what file systems take, 255 bytes.
        return (name.utf8.count <= 240 ? name : "\(name.prefix(200))%%\(count)") + ".json"
    }

    private static func create(_ file: String) throws -> FileHandle {
        guard FileManager.default.createFile(atPath: file, contents: nil),
            let handle = FileHandle(forWritingAtPath: file)
        else {
            throw Failure(
                kind: .failed,
                sentence: "\(file): cannot be written; check its directory"
            )
        }
        return handle
    }
}
