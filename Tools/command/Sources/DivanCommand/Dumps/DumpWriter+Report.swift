import DivanCommandLine
import DivanExchange
import DivanJSON

/// What commands say about a dump that was written.
extension DumpWriter {
    /// For `--json`.
    var members: JSONObject {
        var members: JSONObject = [
            "documents": JSON(documentCount), "blobs": JSON(blobCount),
            "missingBlobs": .array(missingBlobs.map { .string("\($0)") }),
            "bytes": JSON(byteCount),
        ]
        if !alteredBlobs.isEmpty {
            members["alteredBlobs"] = .array(alteredBlobs.map { .string("\($0)") })
        }
        if damaged.count > 0 { members["damaged"] = JSON(damaged.count) }
        return members
    }

    /// Lists the documents and blobs that are missing in the dump.
    func reportLosses(_ terminal: Terminal) {
        damaged.report(terminal)
        terminal.noteMissing(missingBlobs)
        terminal.noteMissing(alteredBlobs, because: "damaged, skipped")
    }

    /// Whether the dump contains everything.
    var isComplete: Bool { losses.isEmpty }

    /// - Throws: `Failure` of kind `partly` if something is missing in the dump.
    func requireCompleteness() throws(Failure) {
        let losses = losses
        guard !losses.isEmpty else { return }
        throw Failure(
            kind: .partly,
            sentence: losses.joined(separator: "; "),
            hint: "run 'divan check' for details"
        )
    }

    /// What is missing in the dump, in words.
    private var losses: [String] {
        var losses: [String] = []
        if let finding = hidingDamage {
            losses.append("pages are damaged (\(finding)), so documents may be missing")
        }
        if hasDamagedIndex {
            losses.append(
                "the index of document IDs is damaged, so the dump may contain a document twice "
                    + "('divan index rebuild' repairs it)"
            )
        }
        if damaged.count > 0 { losses.append("\(damaged.words) skipped") }
        if !missingBlobs.isEmpty {
            losses.append("\(Numbers.count(missingBlobs.count, "blob")) missing")
        }
        if !alteredBlobs.isEmpty {
            losses.append("\(Numbers.count(alteredBlobs.count, "damaged blob")) skipped")
        }
        return losses
    }
}
