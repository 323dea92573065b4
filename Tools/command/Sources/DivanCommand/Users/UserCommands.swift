import DivanCommandLine
import DivanCrypto
import DivanJSON

/// `divan users add`.
enum UserAddCommand: Command {
    static let syntax = CommandSyntax(
        name: "users add",
        summary: "add a user to a file for divan serve --users",
        operands: [.users, .init(name: "NAME")],
        options: [
            Secret.option,
            .flag("--read-only", "allow the user to pull only"),
            .collections("allow these collections only: scope.name,…", completion: .nothing),
            .value("--where", "CONDITION", "allow only documents that match a SQL++ condition"),
            .value(
                "--queries",
                "LIST",
                isRepeating: true,
                "allow only these named queries over REST"
            ),
            .flag("--no-queries", "allow no queries over REST"),
            .flag("--replace", "replace an existing user"),
        ],
        details: """
            Creates FILE if it does not exist; only you can read it. Passwords are stored as salted
            scrypt hashes. \(Secret.details)

            In CONDITION, $user is the user's name. The user cannot read, change or delete documents
            that do not match. IDs of deleted documents are visible to all users unless CONDITION
            uses META().deleted.

            A running 'divan serve' applies the change within a second. It closes the connections of
            a user whose password or permissions have changed.
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
        let queries = try arguments.queryNames()
        let refusal = Failure(
            kind: .conflict,
            sentence: "\(path): user '\(name)' already exists",
            hint: "use '--replace' to change the password and the permissions"
        )
        // Before the prompt for a password.
        if !isReplacing, (try? file.read())?.users[ExactText(name)] != nil { throw refusal }
        let password = try Secret.read(arguments, prompt: "Password for \(name)", isNew: true)
        var record = UserRecord(password: try PasswordHash(password))
        record.rights.isReadOnly = arguments.has("--read-only")
        record.rights.collections = collections.isEmpty ? nil : collections
        record.rights.condition = condition
        record.rights.queries = queries
        try file.update(creating: true) { list in
            if !isReplacing, list.users[ExactText(name)] != nil { throw refusal }
            list.users[ExactText(name)] = record
        }
        terminal.done("\(name) \(record.rights.summary)", ["user": .string(name)])
    }

    /// Checks that an Authorization header can carry the name (RFC 7617 §2).
    private static func check(_ name: String) throws {
        let isPlain = !name.utf8.contains { $0 < 0x20 || $0 == 0x7F || $0 == UInt8(ascii: ":") }
        guard isPlain, (1...200).contains(name.utf8.count) else {
            throw Failure.usage(
                "invalid user name '\(name.prefix(60))'",
                hint: "use 1 to 200 bytes without colons and control characters"
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
        options: [.unneededYes, .dryRun],
        details: """
            A running 'divan serve' closes their connections within a second. Does not ask for
            confirmation.
            """,
        examples: ["divan users rm users.json anna"]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let path = arguments.operands[0]
        let names = arguments.operands.dropFirst()
        guard !names.isEmpty else { throw Failure.usage("divan users rm: missing argument NAME") }
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
        summary: "list users and their permissions",
        operands: [.users],
        options: [.json],
        details: "Prints one user per line. Passwords are not stored, and cannot be listed.",
        examples: ["divan users ls users.json"]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        let list = try UserFile(path: arguments.operands[0]).read()
        let width = list.names.map(\.cellCount).max() ?? 0
        for name in list.names {
            guard let user = list.users[ExactText(name)] else { continue }
            if terminal.isJSON {
                var object: JSONObject = [
                    "name": .string(name), "readOnly": .bool(user.rights.isReadOnly),
                ]
                for (name, value) in user.rights.members { object[name] = value }
                terminal.result(JSON.object(object).canonicalText)
            } else {
                terminal.result("\(name.padding(to: width))  \(user.rights.summary)")
            }
        }
    }
}

/// `divan users verify`.
enum UserVerifyCommand: Command {
    static let syntax = CommandSyntax(
        name: "users verify",
        summary: "verify the password of a user",
        operands: [.users, .init(name: "NAME")],
        options: [Secret.option],
        details: """
            Exits with 0 if the password is correct, and with 7 if it is not. \(Secret.details)
            """,
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
                sentence: "wrong password for \(name)",
                hint: "run 'divan users add --replace' to set a new password"
            )
        }
        terminal.done(
            "The password of \(name) is correct",
            ["user": .string(name), "verified": true]
        )
    }
}

extension Arguments {
    /// The names of `--queries`; none with `--no-queries`, and `nil` without both.
    fileprivate func queryNames() throws(Failure) -> [ExactText]? {
        switch try onlyOption(of: ["--queries", "--no-queries"]) {
        case nil: nil
        case "--no-queries": []
        default:
            values("--queries").flatMap { $0.split(separator: ",") }.map { ExactText(String($0)) }
        }
    }
}

extension CommandSyntax.Operand {
    static let users = CommandSyntax.Operand(name: "FILE", completion: .file)
}
