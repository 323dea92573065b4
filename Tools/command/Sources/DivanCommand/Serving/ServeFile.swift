import DivanCommandLine
import DivanJSON

/// The options of `divan serve` in a file.
enum ServeFile {
    /// Puts the options of the file of `--config` before those of the command line.
    ///
    /// - Throws: `Failure` that names the file and the error.
    static func complete(_ line: Arguments, syntax: CommandSyntax) throws -> Arguments {
        guard let path = line.value("--config") else { return line }
        var words: [String]
        do {
            words = try read(path)
            _ = try Arguments(naming: words, syntax: syntax)
        } catch var failure as Failure where failure.kind != .notFound {
            failure.kind = .invalid
            throw failure.at(path)
        } catch let error as JSONError {
            throw Failure(kind: .invalid, text: "\(path): \(error)")
        }
        if line.operands.isEmpty, !words.contains(where: { $0.hasPrefix(operandMark) }) {
            throw Failure(
                kind: .invalid,
                sentence: "\(path): \"databases\" is missing or empty",
                hint: "list the paths of the databases to serve"
            )
        }
        if !line.operands.isEmpty { words = words.filter { !$0.hasPrefix(operandMark) } }
        words = words.map {
            $0.hasPrefix(operandMark) ? String($0.dropFirst(operandMark.count)) : $0
        }
        return try Arguments(naming: words + line.words, syntax: syntax)
    }

    /// Separates databases from options until both are joined.
    private static let operandMark = "\u{0}"

    private static func read(_ path: String) throws -> [String] {
        let bytes = try IdentityFile.contents(path)
        guard let object = try JSON(parsing: bytes.withoutByteOrderMark).object else {
            throw Failure(
                kind: .invalid,
                sentence: "not a JSON object",
                hint: "write {\"databases\": [\"PATH\"]}"
            )
        }
        return try object.flatMap { name, value in try words(name, value) }
    }

    private static func words(_ name: String, _ value: JSON) throws(Failure) -> [String] {
        if name == "databases" {
            guard let items = value.array else {
                throw Failure(kind: .invalid, text: "\"databases\" is not a list; write [\"PATH\"]")
            }
            return try items.map { item throws(Failure) in operandMark + (try text(name, item)) }
        }
        guard Spelling.nearest(to: name, among: ["databases"]) == nil else {
            throw Failure(
                kind: .invalid,
                sentence: "unknown option \"\(name)\"",
                hint: "did you mean \"databases\"?"
            )
        }
        guard name != "config", name != "help", !name.hasPrefix("-") else {
            throw Failure(kind: .invalid, text: "\"\(name)\" is not allowed in the file; remove it")
        }
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
