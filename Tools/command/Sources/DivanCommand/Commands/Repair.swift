import CouchbaseLiteSwift
import DivanCommandLine
import DivanJSON
import Foundation

/// What `divan check --repair-from` did; the check that follows reports what is left.
struct Repair {
    private var repairedCount = 0
    private var rebuild: DatabaseRebuild?
    /// A line for each item that neither the database nor the peer has.
    private(set) var losses: [String] = []

    /// Repairs a database, and reports what it does as it goes.
    init(
        of path: DatabasePath,
        from target: URLEndpoint,
        _ arguments: Arguments,
        _ terminal: Terminal
    ) throws {
        try path.requireDatabase()
        let reading = SyncConfiguration(
            arguments: arguments,
            direction: .pull,
            target: target,
            terminal: terminal
        )
        guard try !repairInPlace(path, reading, terminal) else { return }
        try Interruption.check()
        terminal.note("Parts of the file cannot be read; rebuilding the database")
        let rebuild = try path.rebuildDatabase { try reading.plain($0) }
        var lost = rebuild.losses
        if !rebuild.knowsCollections {
            lost.append(
                "the list of collections: only existing collections were downloaded; run 'divan "
                    + "pull \(path.word) URL --all-collections' for the others that the peer shares"
            )
        }
        for line in lost { terminal.note("Lost: \(line)".escapingControlCharacters()) }
        losses += lost
        self.rebuild = rebuild
        terminal.note(
            "Kept \(Numbers.count(rebuild.keptCount, "document")), downloaded "
                + "\(rebuild.fetchedCount); moved the damaged database to \(rebuild.damagedPath)"
        )
    }

    /// Repairs documents and blobs; false if that is not enough.
    private mutating func repairInPlace(
        _ path: DatabasePath,
        _ reading: SyncConfiguration,
        _ terminal: Terminal
    ) throws -> Bool {
        do {
            let database = try path.openDatabase()
            defer { try? database.close() }
            let repair = try database.repair(from: try reading.plain(database))
            for line in repair.lostRevisions {
                terminal.note(
                    "Lost (never pushed): \(line)".escapingControlCharacters()
                )
            }
            losses += repair.lostRevisions
            repairedCount = repair.restoredCount
            let restored = Numbers.count(
                repair.restoredCount,
                "document or blob",
                "documents and blobs"
            )
            terminal.note("Repaired \(restored)")
            return !repair.needsRebuild
        } catch {
            // A pattern `as NSError` crashes the program for one of Swift's own errors.
            guard let known = (error as Any) as? NSError, known.isAboutDamage else { throw error }
            return false
        }
    }

    /// What was done, as members of an object.
    var members: JSONObject {
        var members: JSONObject = [
            "repaired": JSON(repairedCount),
            "lost": .array(losses.map { .string($0.escapingControlCharacters()) }),
        ]
        if let rebuild {
            members["rebuilt"] = [
                "kept": JSON(rebuild.keptCount), "fetched": JSON(rebuild.fetchedCount),
                "damagedPath": .string(rebuild.damagedPath),
            ]
        }
        return members
    }
}

extension NSError {
    /// Whether the error reports that the file differs from what was written.
    fileprivate var isAboutDamage: Bool {
        domain == CBLError.domain
            && [CBLError.corruptData, CBLError.unreadableDatabase].contains(code)
    }
}
