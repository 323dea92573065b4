import DivanCommandLine
import DivanDatabase
import DivanJSON

/// `divan compact`.
enum CompactCommand: Command {
    static let syntax = CommandSyntax(
        name: "compact",
        summary: "remove unused blobs and shrink the database file",
        operands: [.database],
        options: [.dryRun, .json],
        details: """
            Needs about as much free disk space as the documents use.
            """,
        examples: ["divan compact travel", "divan compact travel --dry-run"]
    )

    static func isDoneByHolder(_ arguments: Arguments) -> Bool { true }

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let isDry = arguments.has("--dry-run")
        let store = try arguments.database.open(forWriting: !isDry)
        defer { try? store.close() }
        let collection = try isDry ? store.garbage() : store.compact()
        for name in collection.unknownNames {
            terminal.warn("'\(name.escapingControlCharacters())' is not a blob; not removed")
        }
        let obstacle = collection.obstacle.map { $0.explanation.escapingControlCharacters() }
        if let obstacle { terminal.warn(left(for: obstacle)) }
        let members: JSONObject = [
            "blobsRemoved": JSON(collection.removedCount),
            "bytesRemoved": JSON(collection.removedByteCount),
            "unknownFiles": .array(collection.unknownNames.map { .string($0) }),
            "blobsLeftFor": obstacle.map { .string($0) } ?? .null,
        ]
        let removed =
            "\(Numbers.count(collection.removedCount, "blob")) "
            + "(\(Numbers.bytes(collection.removedByteCount)))"
        if isDry {
            return terminal.rehearsed("compact the database and remove \(removed)", members)
        }
        terminal.done("Compacted the database; removed \(removed)", members)
    }

    /// Why no blob is removed.
    static func left(for obstacle: String) -> String {
        "no blobs are removed, because a damaged document may reference them: \(obstacle)"
    }
}

/// `divan compress`.
enum PackCommand: Command {
    static let syntax = CommandSyntax(
        name: "compress",
        aliases: ["pack"],
        summary: "turn on compression for a collection",
        operands: [.database],
        options: [
            .collection,
            .value(
                "--codec",
                "NAME",
                completion: .word(of: ["lz4", "zstd"]),
                "lz4, or zstd, which compresses more (default: lz4)"
            ),
            .flag("--off", "turn compression off"),
            .json,
        ],
        details: """
            Builds a dictionary from the documents, rewrites them compressed, and compacts the
            database. Documents saved later are compressed, too. Run it again to rebuild the
            dictionary. Collections with fewer than 64 documents are not compressed.

            Peers and queries see no difference. Older versions of Divan cannot open the database
            any more. Documents compressed with zstd can only be read where the zstd library is
            installed; 'divan --version' shows whether it is.
            """,
        examples: [
            "divan compress travel -c travel.routes",
            "divan compress travel -c travel.routes --codec zstd",
            "divan compress travel -c travel.routes --off",
        ]
    )

    static func isDoneByHolder(_ arguments: Arguments) -> Bool { true }

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let collection = try arguments.collectionPath()
        let codec = try codec(arguments)
        let store = try arguments.database.open(forWriting: true)
        defer { try? store.close() }
        let before = try fileByteCount(of: store)
        try store.write { writer in
            guard try writer.hasCollection(collection) else {
                throw StoreError(.noSuchCollection(collection), at: arguments.database.bundle)
            }
            try writer.packBodies(of: collection, with: codec?.rawValue)
        }
        if let obstacle = try store.compact().obstacle {
            let reason = obstacle.explanation.escapingControlCharacters()
            terminal.warn(CompactCommand.left(for: reason))
        }
        let after = try fileByteCount(of: store)
        let bodies = try store.read { try $0.packedBodies()[collection] }
        let stayPacked = codec == nil && (bodies?.packedCount ?? 0) > 0
        if stayPacked {
            terminal.warn(
                "some documents of \(collection.wireName) remain compressed because they cannot "
                    + "be read; 'divan check' lists them"
            )
        }
        let hasDictionary = (bodies?.dictionaryByteCount ?? 0) > 0
        let deed =
            if codec == nil {
                "Decompressed \(stayPacked ? "part of " : "")\(collection.wireName)"
            } else if !hasDictionary {
                "\(collection.wireName) is not compressed yet: it has fewer than 64 documents"
            } else {
                "Compressed \(collection.wireName)"
            }
        terminal.done(
            "\(deed); database file: \(Numbers.bytes(before)) before, "
                + "\(Numbers.bytes(after)) now",
            [
                "packed": .bool(hasDictionary || stayPacked),
                "collection": .string(collection.wireName),
                "bodies": .string(codec.map { BodyPacking.name($0.rawValue) } ?? "plain"),
                "bytesBefore": JSON(before), "bytesAfter": JSON(after),
            ]
        )
    }

    /// `nil`: bodies are stored unpacked.
    private static func codec(_ arguments: Arguments) throws -> BodyPacking.Bundled? {
        let name = arguments.value("--codec")
        if arguments.has("--off") {
            guard name == nil else {
                throw Failure.usage("'--codec' and '--off' cannot be combined")
            }
            return nil
        }
        let wanted = name ?? BodyPacking.name(BodyPacking.Bundled.lz4.rawValue)
        let all = BodyPacking.Bundled.allCases
        guard let codec = all.first(where: { BodyPacking.name($0.rawValue) == wanted }) else {
            throw Failure.usage(
                "invalid value '\(wanted.escapingControlCharacters())' for '--codec'",
                hint: "use 'lz4' or 'zstd'"
            )
        }
        return codec
    }

    private static func fileByteCount(of store: Store) throws -> Int {
        let usage = try store.usage()
        return usage.fileByteCount + usage.logByteCount
    }
}

extension BodyPacking {
    /// The name of a codec for people and scripts.
    static func name(_ codec: UInt8) -> String {
        switch Bundled(rawValue: codec) {
        case .lz4: "lz4"
        case .zstd: "zstd"
        case nil: "codec \(codec)"
        }
    }
}
