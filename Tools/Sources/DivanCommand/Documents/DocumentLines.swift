import DivanJSON
import DivanStore
import Foundation

/// Writes documents as JSON lines, a quarter of a megabyte at a time.
struct DocumentLines {
    private let output: FileHandle
    private let blobs: BlobStore?
    private var pending: [UInt8] = []

    /// Lines written.
    private(set) var count = 0

    /// Begins a file, or standard output for `-` and `nil`.
    ///
    /// The content of blobs is taken from `blobs`; with `nil` it is left out.
    init(to file: String?, embedding blobs: BlobStore?) throws {
        self.blobs = blobs
        guard let file, file != "-" else {
            output = FileHandle.standardOutput
            return
        }
        guard FileManager.default.createFile(atPath: file, contents: nil),
            let handle = FileHandle(forWritingAtPath: file)
        else {
            throw Failure(
                kind: .failed,
                sentence: "\(file): cannot be written; check its directory"
            )
        }
        output = handle
    }

    /// Writes a document with its ID and further members.
    mutating func add(_ document: StoredDocument, _ members: JSONObject = [:]) throws {
        var body = try JSON(parsing: document.body)
        if let blobs { body = try InlineBlobs.embed(body, from: blobs) }
        var object = body.object ?? JSONObject()
        for (key, value) in members { object[key] = value }
        object["_id"] = .string(document.documentID)
        pending += try JSON.object(object).canonicalBytes()
        pending.append(UInt8(ascii: "\n"))
        count += 1
        if pending.count > 1 << 18 { try finish() }
    }

    /// Writes what is left.
    mutating func finish() throws {
        try output.write(contentsOf: pending)
        pending.removeAll(keepingCapacity: true)
    }
}
