import Divan
import DivanJSON

/// What a run moved.
struct SyncTally: Sendable {
    var pushedCount: UInt64 = 0
    var pulledCount: UInt64 = 0
    var deletedCount: UInt64 = 0
    var errorCount: UInt64 = 0
    var blobCount = 0
    var byteCount: UInt64 = 0
    var seconds = 0.0
    /// What this side compressed with; `nil` when it never connected.
    var compression: String?

    /// Documents that arrived, in either direction.
    var documentCount: UInt64 { pushedCount + pulledCount }

    mutating func add(_ document: ReplicatedDocument, isPush: Bool) {
        if document.error != nil {
            errorCount += 1
        } else if isPush {
            pushedCount += 1
        } else {
            pulledCount += 1
        }
        if document.flags.contains(.deleted) { deletedCount += 1 }
    }

    var json: JSON {
        [
            "documents": JSON(documentCount), "pushed": JSON(pushedCount),
            "pulled": JSON(pulledCount), "deleted": JSON(deletedCount),
            "errors": JSON(errorCount), "blobs": JSON(blobCount), "bytes": JSON(byteCount),
            "seconds": .double(seconds), "compression": compression.map { .string($0) } ?? .null,
        ]
    }

    /// The last line that a person sees.
    func sentence(_ direction: ReplicatorType) -> String {
        var parts: [String] = []
        if direction != .push { parts.append("pulled \(Numbers.count(pulledCount, "document"))") }
        if direction != .pull { parts.append("pushed \(Numbers.count(pushedCount, "document"))") }
        if blobCount > 0 { parts.append("fetched \(Numbers.count(blobCount, "blob"))") }
        let text = parts.joined(separator: ", ")
        let rate = seconds > 0 ? Double(documentCount) / seconds : 0
        let speed = documentCount > 0 ? " (\(Numbers.grouped(UInt64(rate))) documents/s)" : ""
        return text.prefix(1).uppercased() + text.dropFirst()
            + "; \(Numbers.bytes(byteCount)) in \(Numbers.seconds(seconds))\(speed)"
    }
}
