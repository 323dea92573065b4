import DivanCommandLine

/// Every command, in the order of the help page.
enum CommandList {
    static let all: [any Command.Type] = families.flatMap(\.verbs)

    static let families: [(title: String, verbs: [any Command.Type])] = [
        (
            "Databases",
            [
                NewCommand.self, InfoCommand.self, CollectionsCommand.self,
                MakeCollectionCommand.self, SealCommand.self, UnsealCommand.self, RekeyCommand.self,
            ]
        ),
        (
            "Documents",
            [
                ListCommand.self, GetCommand.self, PutCommand.self, EditCommand.self,
                RemoveCommand.self, PurgeCommand.self, ExpireCommand.self,
                RevisionsCommand.self, BlobListCommand.self, BlobGetCommand.self,
                BlobPutCommand.self, BlobFetchCommand.self, StudioCommand.self,
            ]
        ),
        (
            "Queries",
            [
                ShellCommand.self, QueryCommand.self, SelectCommand.self, SearchCommand.self,
                IndexListCommand.self, IndexStatsCommand.self, IndexMakeCommand.self,
                IndexRemoveCommand.self, IndexRebuildCommand.self, IndexSuggestCommand.self,
            ]
        ),
        (
            "Import, export and maintenance",
            [
                ImportCommand.self, ImportForeignCommand.self, ExportCommand.self, CopyCommand.self,
                DumpCommand.self, RestoreCommand.self, BackupCommand.self,
                CompareCommand.self,
                UpgradeCommand.self,
                CheckCommand.self, RepairClockCommand.self, CompactCommand.self, PackCommand.self,
                WatchCommand.self, LogCommand.self, AuditVerifyCommand.self,
            ]
        ),
        (
            "Sync",
            [
                ServeCommand.self, PushCommand.self, PullCommand.self, SyncCommand.self,
                MeshJoinCommand.self, MeshStatusCommand.self, MeshGraphCommand.self,
                MeshDoctorCommand.self,
                StatusCommand.self, TopCommand.self, DisconnectCommand.self, DoctorCommand.self,
                ExplainCommand.self,
                PendingCommand.self, CheckpointShowCommand.self,
                CheckpointResetCommand.self, ConflictListCommand.self, ConflictShowCommand.self,
                ConflictResolveCommand.self, WireDecodeCommand.self, WireProxyCommand.self,
            ]
        ),
        (
            "Peers, certificates and users",
            [
                DiscoverCommand.self, CertificatesShowCommand.self, IdentityNewCommand.self,
                IdentityRenewCommand.self,
                IdentityListCommand.self, IdentityShowCommand.self, IdentityExportCommand.self,
                IdentityImportCommand.self, IdentityRemoveCommand.self, UserAddCommand.self,
                UserRemoveCommand.self, UserListCommand.self, UserVerifyCommand.self,
            ]
        ),
        ("Help", [HelpCommand.self, CompletionCommand.self, ManualCommand.self]),
    ]

    /// Every command with its summary, as the help page lists them.
    static var page: String {
        let width = all.map { $0.syntax.names.count }.max() ?? 0
        return families.map { family in
            let rows = family.verbs.map { verb in
                (left: verb.syntax.names.padding(to: width), right: verb.syntax.summary)
            }
            return "\(family.title):\n\(Columns.aligned(rows))"
        }.joined(separator: "\n\n")
    }

    /// Whether a word is a command, or the first word of one.
    static func isVerb(_ word: String) -> Bool {
        named(word) != nil || all.contains { $0.syntax.name.hasPrefix(word + " ") }
    }

    /// Finds the command that a command line begins with; `rest` is the words after it.
    ///
    /// - Throws: `Failure` of kind `.usage` if there is no such command.
    static func find(
        _ words: ArraySlice<String>
    ) throws(Failure) -> (verb: any Command.Type, rest: ArraySlice<String>) {
        guard let first = words.first else {
            throw .usage("no command given")
        }
        if let verb = named(first) { return (verb, words.dropFirst()) }
        let group = all.map { $0.syntax.name }.filter { $0.hasPrefix(first + " ") }
        guard !group.isEmpty else { throw unknown(first, before: words.dropFirst()) }
        if let second = words.dropFirst().first, let verb = named(first + " " + second) {
            return (verb, words.dropFirst(2))
        }
        let list = "the commands are " + group.map { "'divan \($0)'" }.joined(separator: ", ")
        let typed = words.dropFirst().first.flatMap { $0.hasPrefix("-") ? nil : $0 }
        guard let typed else { throw .usage("divan \(first): no command given", hint: list) }
        throw .usage("unknown command '\(first) \(typed)'", hint: hint(typed, in: group) ?? list)
    }

    /// The page about a group such as `blob`; `nil` if the words name none.
    static func help(ofGroup words: ArraySlice<String>) -> String? {
        guard words.count == 1, let name = words.first else { return nil }
        let rows = all.map { $0.syntax }.filter { $0.name.hasPrefix(name + " ") }
            .map { (left: $0.name, right: $0.summary) }
        guard !rows.isEmpty else { return nil }
        return "Usage: divan \(name) COMMAND [arguments] [options]\n\nCommands:\n"
            + Columns.aligned(rows)
    }

    private static func named(_ name: String) -> (any Command.Type)? {
        all.first { $0.syntax.name == name || $0.syntax.aliases.contains(name) }
    }

    /// The second words of commands, by the names that other programs use.
    private static let synonyms = [
        "add": ["new", "make", "put"], "create": ["make", "new", "add"], "del": ["rm"],
        "delete": ["rm"], "dir": ["ls"], "drop": ["rm"], "get": ["show"], "list": ["ls"],
        "new": ["make", "add"], "read": ["get", "show"], "remove": ["rm"], "save": ["put"],
    ]

    /// A hint for programs that work with the directory of a database, such as mv(1).
    private static func withDirectory(
        _ name: String,
        _ operands: ArraySlice<String>
    ) -> Failure? {
        guard let text = operands.first, DatabasePath(text).exists else { return nil }
        let bundle = DatabasePath(text).word + DatabasePath.suffix
        let line: String
        switch (name.lowercased(), operands.count) {
        case ("drop", 1), ("delete", 1), ("del", 1), ("remove", 1), ("destroy", 1):
            line = "rm -r \(bundle)"
        case ("mv", 1), ("mv", 2), ("move", 1), ("move", 2), ("rename", 1), ("rename", 2):
            let target = operands.dropFirst().first.map { DatabasePath($0).word } ?? "NEW"
            line = "mv \(bundle) \(target)\(DatabasePath.suffix)"
        default: return nil
        }
        return .usage(
            "unknown command '\(name)'",
            hint: "a database is a directory; run '\(line)' while no program has it open"
        )
    }

    /// The command of a group that was probably meant.
    private static func hint(_ typed: String, in group: [String]) -> String? {
        let seconds = group.compactMap { $0.split(separator: " ").last.map(String.init) }
        let other = synonyms[typed.lowercased()]?.first { seconds.contains($0) }
        guard let near = other ?? Spelling.nearest(to: typed, among: seconds),
            let index = seconds.firstIndex(of: near)
        else { return nil }
        return "did you mean 'divan \(group[index])'?"
    }

    private static func unknown(_ name: String, before rest: ArraySlice<String>) -> Failure {
        if let failure = withDirectory(name, rest) { return failure }
        let isOption = name.hasPrefix("-")
        let problem = "unknown \(isOption ? "option" : "command") '\(name)'"
        if let hint = hints[name.lowercased()] { return .usage(problem, hint: hint) }
        if let next = rest.first, DatabasePath(name).exists {
            let (database, word) = (name.wordForShell, next.wordForShell)
            let line = isVerb(next) ? "\(word) \(database)" : "get \(database) \(word)"
            let hint = "'\(name)' is a database; did you mean 'divan \(line)'?"
            return .usage(problem, hint: hint)
        }
        let verbs = all.flatMap { [$0.syntax.name] + $0.syntax.aliases }
        // A group such as `blob` is meant by its first word.
        let groups = verbs.filter { $0.contains(" ") }.compactMap { $0.split(separator: " ").first }
        let names = verbs + groups.map(String.init) + ["--help", "--version"]
        if let near = Spelling.nearest(to: name, among: names) {
            return .usage(problem, hint: "did you mean 'divan \(near)'?")
        }
        guard name.hasPrefix("--") else { return .usage(problem) }
        return .usage(
            "option '\(name)' comes before the command",
            hint: "write 'divan COMMAND \(name)'"
        )
    }
}

extension CommandSyntax {
    /// The command and its other names.
    fileprivate var names: String { ([name] + aliases).joined(separator: ", ") }
}
