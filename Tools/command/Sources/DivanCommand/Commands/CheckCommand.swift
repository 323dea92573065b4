import CouchbaseLiteSwift
import DivanCommandLine
import DivanDatabase
import DivanJSON
import Foundation

/// `divan check`.
enum CheckCommand: Command {
    static let syntax = CommandSyntax(
        name: "check",
        summary: "verify the integrity of a database",
        operands: [.database],
        options: [
            .value("--repair-from", "URL", "restore damaged data from this peer")
        ] + ServerTrustOptions.all + [.dryRun, .json],
        details: """
            Reads every page, document, revision tree and blob, and compares each with its checksum
            or digest. Damaged and missing parts are listed, with exit code 5.

            With --repair-from, damaged documents and blobs are downloaded from a peer, with the
            URL and options of 'divan pull'. If pages of the file or the whole file cannot be read,
            the database is rebuilt from the readable parts and from the peer. The damaged database
            is kept in the same directory.

            Data that neither the file nor the peer has is listed as lost ("lost" with --json),
            with exit code 8.
            """,
        examples: [
            "divan check travel && divan cp travel /backup/travel",
            "divan check travel --repair-from wss://192.168.1.20:4984/travel --pin peer.pem",
            "divan check travel --repair-from wss://192.168.1.20:4984/travel --dry-run",
        ]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let (source, isDry) = (arguments.value("--repair-from"), arguments.has("--dry-run"))
        guard source != nil || !isDry else {
            throw Failure.usage(
                "'--dry-run' requires '--repair-from'",
                hint: "add '--repair-from URL', or leave '--dry-run' out: the check changes nothing"
            )
        }
        let path = arguments.database
        guard let source else { return try check(path, after: nil, terminal) }
        let target = try URLEndpoint(validating: source)
        if isDry { return try rehearse(path, from: target, terminal) }
        // The key of an encrypted database may have to be asked for.
        if path.isSealed { _ = try KeyRing.shared.key(of: path) }
        try Stoppable.run(leaving: "run the command again to continue the repair") {
            let repair = try Repair(of: path, from: target, arguments, terminal)
            try check(path, after: repair, terminal)
        }
    }

    /// Checks everything, and reports what was found and what an earlier repair did.
    private static func check(
        _ path: DatabasePath,
        after repair: Repair?,
        _ terminal: Terminal
    ) throws {
        let store = try path.open(forWriting: false)
        defer { try? store.close() }
        let inspection = try store.inspect()
        report(inspection, repair, terminal)
        try failIfDamaged(inspection, path)
        guard let lostCount = repair?.losses.count, lostCount > 0 else { return }
        throw Failure(
            kind: .partly,
            sentence: "\(path.bundle): repaired, but lost \(Numbers.count(lostCount, "item"))",
            hint: terminal.isJSON ? "'lost' lists them" : "they are listed above"
        )
    }

    private static func failIfDamaged(
        _ inspection: Inspection,
        _ path: DatabasePath
    ) throws(Failure) {
        guard !inspection.damages.isEmpty else { return }
        throw Failure(
            kind: .database,
            sentence: "\(path.bundle): \(inspection.summary)",
            hint: "run 'divan check \(path.word) --repair-from URL' to restore it from a peer, or "
                + "restore a backup"
        )
    }

    /// Reports what a repair would request; the peer is not asked.
    private static func rehearse(
        _ path: DatabasePath,
        from target: URLEndpoint,
        _ terminal: Terminal
    ) throws {
        let peer = PeerURL.text(target.url.absoluteString)
        do {
            let store = try path.open(forWriting: false)
            defer { try? store.close() }
            let inspection = try store.inspect()
            let wanted = try store.wantedDocuments(for: inspection).count
            let isRebuilt = inspection.damages.contains {
                $0.part == .structure || $0.part == .values
            }
            let deed =
                isRebuilt
                ? rebuilding(from: peer)
                : "download \(Numbers.count(wanted, "document")) from \(peer)"
            var members = inspection.members
            members["wanted"] = JSON(wanted)
            members["rebuild"] = .bool(isRebuilt)
            if !terminal.isJSON { inspection.show(terminal) }
            terminal.rehearsed(deed, members)
            try failIfDamaged(inspection, path)
        } catch let error as StoreError where error.isAboutDamage && !path.hasOtherKey(error) {
            terminal.rehearsed(
                rebuilding(from: peer),
                ["damages": .array([.string(error.explanation)]), "rebuild": true]
            )
            throw error
        }
    }

    private static func rebuilding(from peer: String) -> String {
        "rebuild the database from its readable parts, and download the rest from \(peer)"
    }

    private static func report(
        _ inspection: Inspection,
        _ repair: Repair?,
        _ terminal: Terminal
    ) {
        guard terminal.isJSON else { return inspection.show(terminal) }
        var members = inspection.members
        for (key, value) in repair?.members ?? [:] { members[key] = value }
        terminal.result(JSON.object(members).canonicalText)
    }
}

extension Inspection {
    /// What was found, as members of an object.
    fileprivate var members: JSONObject {
        [
            "documents": JSON(documentCount), "blobs": JSON(blobCount),
            "damages": .array(damages.map { .string($0.line) }),
        ]
    }

    /// Prints what was found.
    fileprivate func show(_ terminal: Terminal) {
        for damage in damages { terminal.result(damage.line) }
        guard damages.isEmpty else { return }
        terminal.result(
            "Intact: \(Numbers.count(documentCount, "document")) and "
                + Numbers.count(blobCount, "blob")
        )
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
        case .structure, .values: "file: \(detail)".escapingControlCharacters()
        case .document(let collection, let documentID):
            "\(collection.wireName)/\(documentID): \(detail)".escapingControlCharacters()
        case .blob(let digest, let name):
            ((name.map { "\($0.collection.wireName)/\($0.documentID): " } ?? "")
                + "blob \(digest): \(detail)").escapingControlCharacters()
        }
    }
}

extension StoreError {
    /// Whether what is stored differs from what was written.
    fileprivate var isAboutDamage: Bool {
        switch code {
        case .corrupt, .damagedDocument, .notADatabase: true
        default: false
        }
    }
}
