import DivanCommandLine
import DivanCrypto
import DivanJSON

/// `divan users add`.
enum UserAddCommand: Command {
    static let syntax = CommandSyntax(
        name: "users add",
        summary: "let somebody in: add a user to a file for divan serve --users",
        operands: [.users, .init(name: "NAME")],
        options: [
            Secret.option,
            .flag("--read-only", "the user may pull, not push"),
            .value(
                "--collections",
                "LIST",
                short: "-c",
                isRepeating: true,
                "the user sees these only: scope.name,…"
            ),
            .value("--where", "CONDITION", "the user sees and stores only what meets it, in SQL++"),
            .flag("--replace", "change a user that is there already"),
        ],
        details: """
            FILE is made when it is not there; only you can read it. It holds no password, only a
            salted hash that takes a fifth of a second to compute (scrypt). \(Secret.details)

            CONDITION is checked at once; $user in it is the user's name. Of other documents the user
            gets nothing, and can neither change nor delete them; but of a deleted document everybody
            gets the ID, unless CONDITION speaks of META().deleted.

            A running divan serve applies the change within a second: connections of a user whose
            password or rights have changed are closed, and must log in again.
            """,
        examples: [
            "divan users add users.json anna",
            "divan users add users.json screen --read-only --password-file screen.txt",
            "divan users add users.json bo --where 'owner = $user'",
        ]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let (path, name) = (arguments.operands[0], arguments.operands[1])
        try check(name)
        let file = UserFile(path: path)
        let isReplacing = arguments.has("--replace")
        let collections = try arguments.collections()
        let condition = try arguments.value("--where").map { text throws(Failure) in
            try UserCondition(text, of: name)
        }
        let refusal = Failure(
            kind: .conflict,
            sentence: "\(path) has a user \"\(name)\" already; --replace changes the password "
                + "and the rights"
        )
        // Before asking for a password, so that nobody types one in vain.
        if !isReplacing, (try? file.read())?.users[ExactText(name)] != nil { throw refusal }
        let password = try Secret.read(arguments, prompt: "Password for \(name)", isNew: true)
        var record = UserRecord(password: try PasswordHash(password))
        record.isReadOnly = arguments.has("--read-only")
        record.collections = collections.isEmpty ? nil : collections
        record.condition = condition
        try file.update(creating: true) { list in
            if !isReplacing, list.users[ExactText(name)] != nil { throw refusal }
            list.users[ExactText(name)] = record
        }
        terminal.done("\(name) \(record.rights)", ["user": .string(name)])
    }

    /// What an Authorization header can carry (RFC 7617 §2).
    private static func check(_ name: String) throws {
        let isPlain = !name.utf8.contains { $0 < 0x20 || $0 == 0x7F || $0 == UInt8(ascii: ":") }
        guard isPlain, (1...200).contains(name.utf8.count) else {
            throw Failure.usage(
                "NAME is 1 to 200 bytes without a colon and control characters"
            )
        }
    }
}

/// `divan users rm`.
enum UserRemoveCommand: Command {
    static let syntax = CommandSyntax(
        name: "users rm",
        summary: "remove users from a file",
        operands: [.users, .init(name: "NAME", isRepeating: true)],
        options: [.yes, .dryRun],
        details: """
            A running divan serve refuses them from then on, and closes their open connections
            within a second. Does not ask for confirmation.
            """,
        examples: ["divan users rm users.json anna"]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let path = arguments.operands[0]
        let names = arguments.operands.dropFirst()
        guard !names.isEmpty else { throw Failure.usage("divan users rm: NAME is missing") }
        if arguments.has("--dry-run") {
            let list = try UserFile(path: path).read()
            for name in names where list.users[ExactText(name)] == nil {
                throw Failure.noUser(name, in: path)
            }
            return terminal.done(
                "Would remove \(names.joined(separator: ", "))",
                ["removed": .array(names.map { .string($0) }), "dryRun": true]
            )
        }
        try UserFile(path: path).update(creating: false) { list in
            for name in names {
                guard list.users.removeValue(forKey: ExactText(name)) != nil else {
                    throw Failure.noUser(name, in: path)
                }
            }
        }
        terminal.done(
            "Removed \(names.joined(separator: ", "))",
            ["removed": .array(names.map { .string($0) })]
        )
    }
}

/// `divan users ls`.
enum UserListCommand: Command {
    static let syntax = CommandSyntax(
        name: "users ls",
        summary: "list the users of a file with their rights",
        operands: [.users],
        options: [.json],
        details: "One user a line. Passwords cannot be listed: the file does not hold them.",
        examples: ["divan users ls users.json"]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let list = try UserFile(path: arguments.operands[0]).read()
        let width = list.names.map(\.cellCount).max() ?? 0
        for name in list.names {
            guard let user = list.users[ExactText(name)] else { continue }
            if terminal.isJSON {
                var object: JSONObject = [
                    "name": .string(name), "readOnly": .bool(user.isReadOnly),
                ]
                for (name, value) in user.rightsMembers { object[name] = value }
                terminal.result(JSON.object(object).canonicalText)
            } else {
                terminal.result("\(name.padding(to: width))  \(user.rights)")
            }
        }
    }
}

/// `divan users verify`.
enum UserVerifyCommand: Command {
    static let syntax = CommandSyntax(
        name: "users verify",
        summary: "tell whether a password is the one of a user",
        operands: [.users, .init(name: "NAME")],
        options: [Secret.option],
        details: "Exit code 0 when it is, 7 when it is not. \(Secret.details)",
        examples: ["divan users verify users.json anna"]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let (path, name) = (arguments.operands[0], arguments.operands[1])
        guard let user = try UserFile(path: path).read().users[ExactText(name)] else {
            throw Failure.noUser(name, in: path)
        }
        let password = try Secret.read(arguments, prompt: "Password of \(name)")
        guard try user.password.matches(password) else {
            throw Failure(
                kind: .refused,
                sentence: "this is not the password of \(name); divan users add --replace sets "
                    + "a new one"
            )
        }
        terminal.done(
            "This is the password of \(name)",
            ["user": .string(name), "verified": true]
        )
    }
}

extension CommandSyntax.Operand {
    static let users = CommandSyntax.Operand(name: "FILE", completion: .file)
}
