import Divan
import DivanCommandLine
import DivanJSON
import Glibc

/// `divan seal`.
enum SealCommand: Command {
    static let syntax = CommandSyntax(
        name: "seal",
        summary: "encrypt a database, documents and blobs",
        operands: [.database],
        options: [.dryRun],
        details: """
            Everything is written anew under the key, which takes as much free space as the database
            does; stopped midway, the database stays plain. What stood on the disk before may be
            found there until it is overwritten. The key is 32 random bytes in a file that only you
            can read, or a password. Nobody opens the database without it, the authors of Divan
            included.
            """,
        examples: [
            "divan seal diary",
            "(umask 077; openssl rand -out key 32); divan seal diary --key-file key",
        ]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let path = arguments.database
        try path.requireDatabase()
        guard !path.isSealed else {
            throw Failure(
                kind: .invalid,
                sentence: "\(path.bundle): it is sealed already; divan rekey changes its key"
            )
        }
        if arguments.has("--dry-run") {
            try KeyRing.shared.checkNewKey(arguments)
            return try path.rehearseRewriting("seal \(path.bundle)", told: "sealed", terminal)
        }
        try path.using(.changing) { database in
            let key = try KeyRing.shared.newKey(arguments)
            try Stoppable.run(leaving: "the database stays plain") {
                try database.changeEncryptionKey(key)
            }
        }
        terminal.done("Sealed \(path.bundle)", ["sealed": .string(path.bundle)])
    }
}

/// `divan unseal`.
enum UnsealCommand: Command {
    static let syntax = CommandSyntax(
        name: "unseal",
        summary: "decrypt a database",
        operands: [.database],
        options: [.yes, .dryRun],
        details: """
            Everything is written anew without a key; stopped midway, the database stays sealed.
            SQLite's own tools can then read it. You are asked, unless you say --yes; a script has to.
            """,
        examples: ["divan unseal diary --key-file key --yes"]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let path = arguments.database
        try path.requireSealed()
        if arguments.has("--dry-run") {
            return try path.rehearseRewriting("unseal \(path.bundle)", told: "unsealed", terminal)
        }
        try path.using(.changing) { database in
            try terminal.confirm(
                "Write everything in \(path.name) without a key?",
                because: "Whoever can read its files can then read it, until divan seal encrypts "
                    + "it again",
                isSure: arguments.has("--yes")
            )
            try Stoppable.run(leaving: "the database stays sealed") {
                try database.changeEncryptionKey(nil)
            }
        }
        terminal.done("Unsealed \(path.bundle)", ["unsealed": .string(path.bundle)])
    }
}

/// `divan rekey`.
enum RekeyCommand: Command {
    static let syntax = CommandSyntax(
        name: "rekey",
        summary: "give a sealed database another key",
        operands: [.database],
        options: KeyOptions.new.options(of: "the new key") + [.dryRun],
        details: """
            Everything is written anew, and nothing of the old key is left in it. Stopped midway, the
            database has its old key or the new one, all of it. Who had the old key and a copy of the
            database can go on reading that copy.
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
            try Stoppable.run(leaving: "the database has the key of before") {
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
            throw Failure(kind: .invalid, sentence: "\(bundle): it is not sealed")
        }
    }

    /// Reports how much would be rewritten, which is also the space that this needs.
    fileprivate func rehearseRewriting(
        _ deed: String,
        told name: String,
        _ terminal: Terminal
    ) throws {
        let (documentCount, blobs) = try using(.reading) { database in
            (try database.documentCount(), try database.blobUsage())
        }
        var file = stat()
        guard stat(bundle + "/db.sqlite3", &file) == 0 else { throw Failure.file(bundle, errno) }
        let byteCount = Int(file.st_size) + Int(blobs.byteCount)
        terminal.rehearsed(
            "\(deed), and write \(Numbers.contents(documentCount, blobs: blobs.count)) anew: "
                + Numbers.bytes(byteCount),
            [
                name: .string(bundle), "documents": JSON(documentCount),
                "blobs": JSON(blobs.count), "bytes": JSON(byteCount),
            ]
        )
    }
}
