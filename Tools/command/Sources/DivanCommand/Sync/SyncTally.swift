import CouchbaseLiteSwift
import DivanCommandLine
import DivanJSON

/// The documents, blobs and bytes that a run transferred.
struct SyncTally: Sendable {
    /// Documents of one collection, or of all.
    struct Counts: Equatable, Sendable {
        var pushed: UInt64 = 0
        var pulled: UInt64 = 0
        var deleted: UInt64 = 0
        var errors: UInt64 = 0
        /// Documents that the user can no longer access.
        var accessRemoved: UInt64 = 0

        /// The figures as an object.
        var json: JSONObject {
            [
                "pushed": JSON(pushed), "pulled": JSON(pulled), "deleted": JSON(deleted),
                "errors": JSON(errors), "accessRemoved": JSON(accessRemoved),
            ]
        }
    }

    /// Everything together.
    var counts = Counts()
    /// By collection name.
    var collections: [String: Counts] = [:]
    /// Conflicts that were left unresolved.
    var leftOpenCount: UInt64 = 0
    /// Documents that a filter of the command line excluded from the pull.
    var leftOutCount: UInt64 = 0
    /// Documents that the peer refused in this run or an earlier one, and that have not changed since.
    var refusedCount: UInt64 = 0
    /// Those of them that the peer refused in an earlier run, and not in this one.
    var refusedEarlierCount: UInt64 = 0
    /// Documents that could not be pulled in this run or an earlier one, and have not arrived since.
    var notPulledCount: UInt64 = 0
    /// Those of them that were not announced again in this run.
    var notPulledEarlierCount: UInt64 = 0
    var blobCount = 0
    var byteCount: UInt64 = 0
    var seconds = 0.0
    /// The compression that this side used; `nil` if it never connected.
    var compression: String?

    /// Documents transferred in either direction.
    var documentCount: UInt64 { counts.pushed + counts.pulled }

    mutating func add(_ document: ReplicatedDocument, in place: String, isPush: Bool) {
        Self.add(document, isPush: isPush, to: &counts)
        Self.add(document, isPush: isPush, to: &collections[place, default: Counts()])
    }

    private static func add(
        _ document: ReplicatedDocument,
        isPush: Bool,
        to counts: inout Counts
    ) {
        if document.error != nil {
            counts.errors += 1
        } else if document.flags.contains(.accessRemoved) {
            // Only the message that access was lost arrived, not the document.
            counts.accessRemoved += 1
        } else if isPush {
            counts.pushed += 1
        } else {
            counts.pulled += 1
        }
        if document.flags.contains(.deleted) { counts.deleted += 1 }
    }

    var json: JSON {
        [
            "documents": JSON(documentCount), "pushed": JSON(counts.pushed),
            "pulled": JSON(counts.pulled), "deleted": JSON(counts.deleted),
            "errors": JSON(counts.errors), "accessRemoved": JSON(counts.accessRemoved),
            "leftOpen": JSON(leftOpenCount), "leftOut": JSON(leftOutCount),
            "refused": JSON(refusedCount), "refusedEarlier": JSON(refusedEarlierCount),
            "notPulled": JSON(notPulledCount),
            "notPulledEarlier": JSON(notPulledEarlierCount),
            "blobs": JSON(blobCount), "bytes": JSON(byteCount),
            "seconds": .double(seconds), "compression": compression.map { .string($0) } ?? .null,
        ]
    }

    /// The last line shown to a person.
    func sentence(_ direction: ReplicatorType) -> String {
        var parts: [String] = []
        if direction != .push { parts.append("pulled \(Numbers.count(counts.pulled, "document"))") }
        if direction != .pull { parts.append("pushed \(Numbers.count(counts.pushed, "document"))") }
        if counts.accessRemoved > 0 {
            parts.append("lost access to \(Numbers.count(counts.accessRemoved, "document"))")
        }
        if leftOutCount > 0 {
            parts.append("filtered out \(Numbers.count(leftOutCount, "document"))")
        }
        if refusedEarlierCount > 0 {
            parts.append("\(Numbers.count(refusedEarlierCount, "document")) refused earlier")
        }
        if notPulledEarlierCount > 0 {
            parts.append(
                "\(Numbers.count(notPulledEarlierCount, "document")) could not be pulled earlier"
            )
        }
        if blobCount > 0 { parts.append("received \(Numbers.count(blobCount, "blob"))") }
        let text = parts.joined(separator: ", ")
        let rate = seconds > 0 ? Double(documentCount) / seconds : 0
        let speed = documentCount > 0 ? " (\(Numbers.count(UInt64(rate), "document"))/s)" : ""
        return text.prefix(1).uppercased() + text.dropFirst()
            + "; \(Numbers.bytes(byteCount)) in \(Numbers.seconds(seconds))\(speed)"
    }
}
