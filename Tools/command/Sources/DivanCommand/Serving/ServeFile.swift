import DivanCommandLine
import DivanJSON

/// What `divan serve` does: its options, and those of the file of `--config`.
struct ServeFile {
    /// The options of the file before those of the command line.
    let arguments: Arguments
    /// The replications that run beside the listeners.
    private(set) var replications: [ReplicationEntry] = []

    /// Reads the file, if the line names one.
    ///
    /// - Throws: `Failure` that names the file and the error.
    init(_ line: Arguments, syntax: CommandSyntax) throws {
        guard let path = line.value("--config") else {
            arguments = line
            return
        }
        var words: [String]
        do {
            let object = try Self.object(path)
            words = try object.flatMap { name, value in
                name == "replications" ? [] : try Self.words(name, value)
            }
            _ = try Arguments(naming: words, syntax: syntax)
            replications = try Self.replications(object["replications"])
        } catch var failure as Failure where failure.kind != .notFound {
            failure.kind = .invalid
            throw failure.at(path)
        } catch let error as JSONError {
            throw Failure(kind: .invalid, text: "\(path): \(error)")
        }
        let mark = Self.operandMark
        if line.operands.isEmpty, !words.contains(where: { $0.hasPrefix(mark) }) {
            throw Failure(
                kind: .invalid,
                sentence: "\(path): \"databases\" is missing or empty",
                hint: "list the paths of the databases to serve"
            )
        }
        if !line.operands.isEmpty { words = words.filter { !$0.hasPrefix(mark) } }
        words = words.map { $0.hasPrefix(mark) ? String($0.dropFirst(mark.count)) : $0 }
        arguments = try Arguments(naming: words + line.words, syntax: syntax)
    }

    /// The members that have changed since a server started, except those that a reload applies.
    func changes(since old: Arguments, _ oldReplications: [ReplicationEntry]) -> [String] {
        var names = ServeCommand.syntax.options.map(\.name).filter { option in
            !["--log", "--log-redaction"].contains(option)
                && (old.has(option) != arguments.has(option)
                    || old.values(option) != arguments.values(option))
        }.map { String($0.dropFirst(2)) }
        if old.operands != arguments.operands { names.append("databases") }
        let replications = replications.map { $0.arguments.words }
        if replications != oldReplications.map(\.arguments.words) { names.append("replications") }
        return names
    }

    /// Separates databases from options until both are joined.
    private static let operandMark = "\u{0}"

    private static func object(_ path: String) throws -> JSONObject {
        let bytes = try IdentityFile.contents(path)
        guard let object = try JSON(parsing: bytes.withoutByteOrderMark).object else {
            throw Failure(
                kind: .invalid,
                sentence: "not a JSON object",
                hint: "write {\"databases\": [\"PATH\"]}"
            )
        }
        return object
    }

    private static func replications(_ value: JSON?) throws -> [ReplicationEntry] {
        guard let value else { return [] }
        guard let items = value.array else {
            throw Failure(
                kind: .invalid,
                sentence: "\"replications\" is not a list",
                hint: "write [{\"database\": \"PATH\", \"url\": \"wss://HOST/NAME\"}]"
            )
        }
        return try items.enumerated().map { index, item in
            do {
                return try ReplicationEntry(item)
            } catch let failure as Failure {
                throw failure.at("replications[\(index)]")
            }
        }
    }

    private static func words(_ name: String, _ value: JSON) throws(Failure) -> [String] {
        if name == "databases" {
            guard let items = value.array else {
                throw Failure(kind: .invalid, text: "\"databases\" is not a list; write [\"PATH\"]")
            }
            return try items.map { item throws(Failure) in operandMark + (try text(name, item)) }
        }
        if let meant = Spelling.nearest(to: name, among: ["databases", "replications"]) {
            throw Failure(
                kind: .invalid,
                sentence: "unknown option \"\(name)\"",
                hint: "did you mean \"\(meant)\"?"
            )
        }
        guard !["config", "help", "check"].contains(name), !name.hasPrefix("-") else {
            throw Failure(kind: .invalid, text: "\"\(name)\" is not allowed in the file; remove it")
        }
        return try words(ofOption: name, value)
    }

    /// The words of an option on a command line.
    static func words(ofOption name: String, _ value: JSON) throws(Failure) -> [String] {
        switch value {
        case .bool(true): return ["--\(name)"]
        case .bool(false), .null: return []
        case .array(let items):
            // As on the command line: a value left empty by mistake must not widen what is shared.
            guard !items.isEmpty else {
                throw Failure(
                    kind: .invalid,
                    sentence: "the list \"\(name)\" is empty",
                    hint: "add a value, or remove \"\(name)\""
                )
            }
            return try items.map { item throws(Failure) in "--\(name)=\(try text(name, item))" }
        default: return ["--\(name)=\(try text(name, value))"]
        }
    }

    private static func text(_ name: String, _ value: JSON) throws(Failure) -> String {
        switch value {
        case .string(let text) where !text.contains("\u{0}"): return text
        case .int, .uint: return value.canonicalText
        default:
            throw Failure(
                kind: .invalid,
                sentence: "invalid value of \"\(name)\"",
                hint: "use true, a string, an integer, or a list of strings and integers"
            )
        }
    }
}
