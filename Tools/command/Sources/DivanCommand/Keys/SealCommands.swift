import CouchbaseLiteSwift
import DivanCommandLine
import DivanJSON
import DivanPlatform

/// `divan encrypt`.
enum SealCommand: Command {
    static let syntax = CommandSyntax(
        name: "encrypt",
        aliases: ["seal"],
        summary: "encrypt a database",
        operands: [.database],
        options: [.dryRun],
        details: """
            Encrypts documents and blobs. The key is 32 random bytes in a file that only you can
            read, or a password. Without the key, the database cannot be opened or recovered.

            Rewrites the database, and needs as much free space as the database uses. If it is
            stopped, the database stays unencrypted. The old data may remain on the disk until it is
            overwritten.
            """,
        examples: [
            "divan encrypt diary",
            "(umask 077; openssl rand -out key 32); divan encrypt diary --key-file key",
        ]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let path = arguments.database
        try path.requireDatabase()
        guard !path.isSealed else {
            throw Failure(
                kind: .invalid,
                sentence: "\(path.bundle): the database is already encrypted",
                hint: "run 'divan rekey' to change the key"
            )
        }
        if arguments.has("--dry-run") {
            try KeyRing.shared.checkNewKey(arguments)
            return try path.rehearseRewriting("encrypt \(path.bundle)", told: "sealed", terminal)
        }
        try path.using(.changing) { database in
            let key = try KeyRing.shared.newKey(arguments)
            try Stoppable.run(leaving: "the database is not encrypted") {
                try database.changeEncryptionKey(key)
            }
        }
        terminal.done("Encrypted \(path.bundle)", ["sealed": .string(path.bundle)])
    }
}

/// `divan decrypt`.
enum UnsealCommand: Command {
    static let syntax = CommandSyntax(
        name: "decrypt",
        aliases: ["unseal"],
        summary: "decrypt a database",
        operands: [.database],
        options: [.yes, .dryRun],
        details: """
            Rewrites the database without encryption; SQLite's tools can then read it. If it is
            stopped, the database stays encrypted. Asks for confirmation unless --yes is given.
            """,
        examples: ["divan decrypt diary --key-file key --yes"]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let path = arguments.database
        try path.requireSealed()
        if arguments.has("--dry-run") {
            return try path.rehearseRewriting("decrypt \(path.bundle)", told: "unsealed", terminal)
        }
        try path.using(.changing) { database in
            try terminal.confirm(
                "Decrypt \(path.name)?",
                because: "Anyone who can read its files can then read the documents",
                isSure: arguments.has("--yes")
            )
            try Stoppable.run(leaving: "the database is still encrypted") {
                try database.changeEncryptionKey(nil)
            }
        }
        terminal.done("Decrypted \(path.bundle)", ["unsealed": .string(path.bundle)])
    }
}

/// `divan rekey`.
enum RekeyCommand: Command {
    static let syntax = CommandSyntax(
        name: "rekey",
        summary: "change the key of an encrypted database",
        operands: [.database],
        options: KeyOptions.new.options(of: "the new key") + [.dryRun],
        details: """
            Rewrites the database with the new key. If it is stopped, the database has either the
            old key or the new key. The old key still opens old copies of the database.
            """,
        examples: ["divan rekey diary --key-file key --new-key-file key-2027"]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let path = arguments.database
        try path.requireSealed()
        if arguments.has("--dry-run") {
            try KeyRing.shared.checkNewKey(arguments, .new)
            let deed = "change the key of \(path.bundle)"
            return try path.rehearseRewriting(deed, told: "rekeyed", terminal)
        }
        try path.using(.changing) { database in
            let key = try KeyRing.shared.newKey(arguments, .new)
            try Stoppable.run(leaving: "the key is unchanged") {
                try database.changeEncryptionKey(key)
            }
        }
        terminal.done("Changed the key of \(path.bundle)", ["rekeyed": .string(path.bundle)])
    }
}

extension DatabasePath {
    /// Ensures that the database exists and has a key.
    fileprivate func requireSealed() throws {
        try requireDatabase()
        guard isSealed else {
            throw Failure(kind: .invalid, sentence: "\(bundle): the database is not encrypted")
        }
    }

    /// Reports how much would be rewritten, which is also the free space that this needs.
    fileprivate func rehearseRewriting(
        _ deed: String,
        told name: String,
        _ terminal: Terminal
    ) throws {
        let (documentCount, blobs) = try using(.reading) { database in
            (try database.documentCount(), try database.blobUsage())
        }
        let file = try Failure.wrapping(FileStatus(of: bundle + "/db.sqlite3"), at: bundle)
        let byteCount = file.byteCount + Int(blobs.byteCount)
        terminal.rehearsed(
            "\(deed), and rewrite \(Numbers.contents(documentCount, blobs: blobs.count)) "
                + "(\(Numbers.bytes(byteCount)))",
            [
                name: .string(bundle), "documents": JSON(documentCount),
                "blobs": JSON(blobs.count), "bytes": JSON(byteCount),
            ]
        )
    }
}
