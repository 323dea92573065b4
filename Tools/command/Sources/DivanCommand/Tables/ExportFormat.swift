import DivanCommandLine
import DivanExchange

/// The format of an export, from `--format` or from the suffix of the file.
enum ExportFormat: String, CaseIterable {
    case lines = "jsonl"
    case array = "json"
    case csv
    case sqlite

    static let option = CommandSyntax.Option.value(
        "--format",
        "FORMAT",
        "jsonl, json (one array), csv or sqlite (default: csv or sqlite by the suffix of FILE)"
    )

    /// The format that the arguments specify.
    ///
    /// - Throws: `Failure` for an unknown format, and for options that do not apply to it.
    init(_ arguments: Arguments) throws(Failure) {
        let file = arguments.operands.dropFirst().first
        let isDirectory = file.map(InputFile.isDirectory) ?? false
        if let name = arguments.value("--format") {
            guard let format = Self(rawValue: name) else {
                let names = Self.allCases.map(\.rawValue).joined(separator: ", ")
                throw .usage("invalid value '\(name)' for '--format'", hint: "use one of \(names)")
            }
            guard !isDirectory else {
                throw .usage(
                    "'--format' cannot be used with a directory",
                    hint: "leave it out, or name a file"
                )
            }
            self = format
        } else {
            self = isDirectory ? .lines : Self(of: file ?? "")
        }
        if self == .lines, arguments.has("--array"), !arguments.has("--format") { self = .array }
        try requireFitting(arguments, file)
    }

    /// The format for the suffix of a file.
    private init(of file: String) {
        let file = FileCompression.nameInside(file)
        if file.hasSuffix(".csv") {
            self = .csv
        } else if file.hasSuffix(".sqlite") || file.hasSuffix(".sqlite3") {
            self = .sqlite
        } else {
            self = .lines
        }
    }

    private func requireFitting(_ arguments: Arguments, _ file: String?) throws(Failure) {
        var refused: [String] = []
        switch self {
        case .lines: refused = ["--array"]
        case .array: break
        case .csv: refused = ["--array", "--since", "--blobs"]
        case .sqlite: refused = ["--array", "--since"]
        }
        let isNamed = arguments.has("--format")
        for option in refused where arguments.has(option) {
            throw .usage(
                "'\(option)' cannot be used with "
                    + (isNamed ? "'--format \(rawValue)'" : file ?? "standard output"),
                hint: isNamed ? "leave one of them out" : "use a .jsonl file"
            )
        }
        guard self != .sqlite || (file ?? "-") != "-" || arguments.has("--query") else {
            throw .usage("'--format sqlite' requires a file", hint: "add FILE")
        }
    }
}
