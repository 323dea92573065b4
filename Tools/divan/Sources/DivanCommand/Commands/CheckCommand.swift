import Divan
import DivanCommandLine
import DivanJSON
import DivanStore
import Foundation

/// `divan check`.
enum CheckCommand: Command {
    static let syntax = CommandSyntax(
        name: "check",
        summary: "look at everything that is stored, and tell whether it is whole",
        operands: [.database],
        options: [
            .value("--repair-from", "URL", "fetch what is damaged from this peer")
        ] + ServerTrustOptions.all + [.dryRun, .json],
        details: "Reads every page, every document with its revision tree, and every blob, and "
            + "compares each with its checksum or digest. Names what is damaged or missing, with "
            + "exit code 5. A damaged document is never sent to a peer. With --repair-from the "
            + "damaged documents and blobs, and nothing else, are fetched from a peer, whose URL "
            + "and options are those of divan pull; without, nothing is changed. Where pages of the "
            + "file cannot be read, or it cannot be opened at all, the database is made anew from "
            + "what can be read and from the peer, and the damaged one stays beside it.",
        examples: [
            "divan check travel && cp -r travel.cblite2 /backup",
            "divan check travel --repair-from wss://192.168.1.20:4984/travel --pin peer.pem",
            "divan check travel --repair-from wss://192.168.1.20:4984/travel --dry-run",
        ]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let (source, isDry) = (arguments.value("--repair-from"), arguments.has("--dry-run"))
        guard source != nil || !isDry else {
            throw Failure.usage("--dry-run is for --repair-from; without it, check changes nothing")
        }
        if let source, !isDry { try repair(arguments, from: source, terminal) }
        let store = try arguments.database.open(forWriting: false)
        defer { try? store.close() }
        let inspection = try store.inspect()
        report(inspection, terminal)
        if let source, isDry { try rehearse(inspection, of: store, from: source, terminal) }
        guard inspection.damages.isEmpty else {
            throw Failure(
                kind: .database,
                sentence: "\(arguments.database.bundle): \(inspection.summary); "
                    + "fetch it from a peer (divan check --repair-from URL), or restore a backup"
            )
        }
    }

    /// Repairs, and tells what was done; what is left is the business of the check that follows.
    private static func repair(
        _ arguments: Arguments,
        from url: String,
        _ terminal: Terminal
    ) throws {
        let target = try URLEndpoint(validating: url)
        let path = arguments.database
        try path.requireDatabase()
        let reading = SyncConfiguration(
            arguments: arguments,
            direction: .pull,
            target: target,
            terminal: terminal
        )
        guard try !isMended(path, reading, terminal) else { return }
        terminal.note("Parts of the file cannot be read; making the database anew")
        let rebuild = try path.rebuildDatabase { try reading.plain($0) }
        for line in rebuild.losses { terminal.note("Lost: \(line)".escapingControlCharacters()) }
        terminal.note(
            "Kept \(Numbers.count(rebuild.keptCount, "document")), fetched \(rebuild.fetchedCount); "
                + "the damaged database is now \(rebuild.damagedPath)"
        )
    }

    /// Tells what a repair would ask for; the peer is not asked.
    private static func rehearse(
        _ inspection: Inspection,
        of store: Store,
        from url: String,
        _ terminal: Terminal
    ) throws {
        let target = try URLEndpoint(validating: url)
        let count = try store.wantedDocuments(for: inspection).count
        terminal.rehearsed(
            "fetch \(Numbers.count(count, "document")) from \(PeerURL.text(target.url.absoluteString))",
            ["wanted": JSON(count)]
        )
    }

    /// Mends documents and blobs; false where that is not enough.
    private static func isMended(
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
                    "Lost, as it was never pushed: \(line)".escapingControlCharacters()
                )
            }
            terminal.note("Repaired \(Numbers.count(repair.restoredCount, "document or blob"))")
            return !repair.needsRebuild
        } catch let error as NSError where error.isAboutDamage {
            return false
        }
    }

    private static func report(_ inspection: Inspection, _ terminal: Terminal) {
        if terminal.isJSON {
            let object: JSON = [
                "documents": JSON(inspection.documentCount), "blobs": JSON(inspection.blobCount),
                "damages": .array(inspection.damages.map { .string($0.line) }),
            ]
            return terminal.result(object.canonicalText)
        }
        for damage in inspection.damages { terminal.result(damage.line) }
        guard inspection.damages.isEmpty else { return }
        terminal.result(
            "Whole: \(Numbers.count(inspection.documentCount, "document")) and "
                + Numbers.count(inspection.blobCount, "blob")
        )
    }
}

extension NSError {
    /// Whether it says that the file itself is not what was written.
    fileprivate var isAboutDamage: Bool {
        domain == CBLError.domain
            && [CBLError.corruptData, CBLError.unreadableDatabase].contains(code)
    }
}

extension Inspection {
    /// How much is damaged, of each kind.
    fileprivate var summary: String {
        var (documents, blobs, others) = (0, 0, 0)
        for damage in damages {
            switch damage.part {
            case .document: documents += 1
            case .blob: blobs += 1
            case .structure, .values: others += 1
            }
        }
        var parts: [String] = []
        if documents > 0 { parts.append("\(Numbers.count(documents, "document")) damaged") }
        if blobs > 0 { parts.append("\(Numbers.count(blobs, "blob")) damaged or missing") }
        if others > 0 { parts.append("\(Numbers.count(others, "part")) of the file damaged") }
        return parts.joined(separator: ", ")
    }
}

extension Damage {
    /// One line for a terminal.
    fileprivate var line: String {
        switch part {
        case .structure, .values: "the file: \(detail)".escapingControlCharacters()
        case .document(let collection, let documentID):
            "\(collection.wireName)/\(documentID): \(detail)".escapingControlCharacters()
        case .blob(let digest, let name):
            ((name.map { "\($0.collection.wireName)/\($0.documentID): " } ?? "")
                + "blob \(digest): \(detail)").escapingControlCharacters()
        }
    }
}

extension StoreReader {
    /// Calls `body` with each document behind a sequence, tombstones too, by ascending sequence.
    func forEachDocument(
        in collection: CollectionPath,
        after sequence: UInt64 = 0,
        _ body: (StoredDocument) throws -> Void
    ) throws {
        var last = sequence
        while true {
            let page = try documents(in: collection, after: last, limit: 200)
            for document in page { try body(document) }
            guard let document = page.last else { return }
            last = document.sequence
        }
    }
}
