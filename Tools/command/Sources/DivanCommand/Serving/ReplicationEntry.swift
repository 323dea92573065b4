import CouchbaseLiteSwift
import DivanCommandLine
import DivanJSON

/// An entry of `replications` in the file of `--config`: a continuous sync that the server runs.
///
/// Its members are `database`, `url`, `direction`, and the options of `divan sync`.
struct ReplicationEntry {
    let direction: ReplicatorType
    /// The command line of `divan sync` that does the same.
    let arguments: Arguments

    /// Options of `divan sync` for a single run, or for a run with results.
    private static let otherOptions = [
        "continuous", "json", "list-collections", "all-collections", "report", "reset",
        "retry-refused", "help", "log-redaction",
    ]

    /// Reads an entry.
    ///
    /// - Throws: `Failure` that names the member.
    init(_ value: JSON) throws {
        guard let object = value.object else {
            throw Failure(
                kind: .invalid,
                sentence: "an entry of \"replications\" is not an object",
                hint: "write {\"database\": \"PATH\", \"url\": \"wss://HOST/NAME\"}"
            )
        }
        guard let database = object["database"]?.string, let url = object["url"]?.string else {
            throw Failure(
                kind: .invalid,
                sentence: "an entry of \"replications\" has no \"database\" or no \"url\"",
                hint: "write {\"database\": \"PATH\", \"url\": \"wss://HOST/NAME\"}"
            )
        }
        switch object["direction"] {
        case nil, "both": direction = .pushAndPull
        case "push": direction = .push
        case "pull": direction = .pull
        default:
            throw Failure(
                kind: .invalid,
                sentence: "invalid value of \"direction\"",
                hint: "use \"both\", \"push\" or \"pull\""
            )
        }
        var words = [database, url, "--continuous"]
        for (name, value) in object where !["database", "url", "direction"].contains(name) {
            guard !Self.otherOptions.contains(name), !name.hasPrefix("-") else {
                throw Failure(
                    kind: .invalid,
                    sentence: "\"\(name)\" is not allowed in an entry of \"replications\"",
                    hint: "remove it"
                )
            }
            words += try ServeFile.words(ofOption: name, value)
        }
        let syntax =
            switch direction {
            case .push: PushCommand.line
            case .pull: PullCommand.line
            case .pushAndPull: SyncCommand.line
            }
        arguments = try Arguments(naming: words, syntax: syntax)
        try KeyRing.shared.take(arguments, .current, of: arguments.database)
    }

    /// The peer.
    var url: String { arguments.operands[1] }

    /// Reads everything that the entry names, without connecting.
    ///
    /// - Throws: `Failure` for a missing database, and for invalid URLs, certificates and credentials.
    func check(_ terminal: Terminal) throws {
        try arguments.database.requireExisting()
        let settings = SyncConfiguration(
            arguments: arguments,
            direction: direction,
            target: try URLEndpoint(validating: url),
            terminal: terminal
        )
        let model = try Database.inMemory(name: "check")
        let names = (try? arguments.database.collectionNames()) ?? []
        for name in try names + arguments.collections() where try model.collection(name) == nil {
            _ = try model.createCollection(name)
        }
        _ = try settings.make(model, ConflictReport(), SkippedDocuments())
    }
}
