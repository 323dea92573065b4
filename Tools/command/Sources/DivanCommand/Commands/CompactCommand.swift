import DivanCommandLine
import DivanJSON
import DivanStore

/// `divan compact`.
enum CompactCommand: Command {
    static let syntax = CommandSyntax(
        name: "compact",
        summary: "remove blobs that nothing names, and shrink the file",
        operands: [.database],
        options: [.dryRun, .json],
        details: "Needs as much free space as the documents take.",
        examples: ["divan compact travel", "divan compact travel --dry-run"]
    )

    static func isDoneByHolder(_ arguments: Arguments) -> Bool { true }

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let isDry = arguments.has("--dry-run")
        let store = try arguments.database.open(forWriting: !isDry)
        defer { try? store.close() }
        let collection = try isDry ? store.garbage() : store.compact()
        for name in collection.unknownNames {
            terminal.warn("\(name.escapingControlCharacters()) is no blob; it was left alone")
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
            "\(Numbers.count(collection.removedCount, "blob")), "
            + Numbers.bytes(collection.removedByteCount)
        if isDry { return terminal.rehearsed("compact; remove \(removed)", members) }
        terminal.done("Compacted; removed \(removed)", members)
    }

    /// Why no blob is removed.
    static func left(for obstacle: String) -> String {
        "no blob is removed, since a damaged document may name any: \(obstacle)"
    }
}

/// `divan pack`.
enum PackCommand: Command {
    static let syntax = CommandSyntax(
        name: "pack",
        summary: "keep a collection's bodies compressed, and rewrite existing ones",
        operands: [.database],
        options: [
            .collection,
            .value(
                "--codec",
                "NAME",
                completion: .word(of: ["lz4", "zstd"]),
                "lz4, or zstd, which packs smaller (default: lz4)"
            ),
            .flag("--off", "keep them as plain text again"),
            .json,
        ],
        details:
            "Makes a dictionary of the documents, again where one was there, and compacts the database. "
            + "What is saved later is compressed too. Fewer than 64 documents stay plain. Peers and "
            + "queries see no difference; older versions of Divan do not open the database any more. What "
            + "is packed with zstd is read only where its library is (divan --version).",
        examples: [
            "divan pack travel -c travel.routes", "divan pack travel -c travel.routes --codec zstd",
            "divan pack travel -c travel.routes --off",
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
                "some documents of \(collection.wireName) stay packed, as they cannot be read; "
                    + "divan check names them"
            )
        }
        let hasDictionary = (bodies?.dictionaryByteCount ?? 0) > 0
        let deed =
            if codec == nil {
                "\(stayPacked ? "Unpacked a part of" : "Unpacked") \(collection.wireName)"
            } else if !hasDictionary {
                "Packed nothing yet of \(collection.wireName): fewer than 64 documents stay plain"
            } else {
                "Packed \(collection.wireName)"
            }
        terminal.done(
            "\(deed); the database's file had \(Numbers.bytes(before)), and has "
                + Numbers.bytes(after),
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
            guard name == nil else { throw Failure.usage("give --codec or --off, not both") }
            return nil
        }
        let wanted = name ?? BodyPacking.name(BodyPacking.Bundled.lz4.rawValue)
        let all = BodyPacking.Bundled.allCases
        guard let codec = all.first(where: { BodyPacking.name($0.rawValue) == wanted }) else {
            throw Failure.usage("--codec \(wanted.escapingControlCharacters()): use lz4 or zstd")
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
