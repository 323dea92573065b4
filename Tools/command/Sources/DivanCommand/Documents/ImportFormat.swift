import DivanCommandLine
import DivanExchange
import DivanJSON

/// The formats that `--from` selects.
enum ImportFormat: String, CaseIterable {
    case json
    case csv
    case couch = "couchdb"
    case mongo = "mongodb"
    case geoJSON = "geojson"
}

extension DocumentFormat {
    /// Chooses the format of each file that `divan import` reads.
    ///
    /// - Throws: `Failure` for an unknown format, and for options that do not apply.
    static func choosing(
        _ arguments: Arguments
    ) throws(Failure) -> (String) -> DocumentFormat {
        let format = try ImportFormat(arguments)
        let files = arguments.operands.dropFirst()
        let path = try JSONPointer(arguments)
        let keepsRevisions = arguments.has("--keep-revisions")
        let rules = try CSVRules(arguments)
        let readsTables =
            format == .csv || format == nil && path == nil && files.contains(where: isTable)
        try requireFitting(arguments, format, readsTables: readsTables)
        switch format {
        case nil:
            return { file in
                if let path { return .nestedJSON(path) }
                return InputFile.isDirectory(file)
                    ? .json : DocumentFormat(suffixOf: file, csv: rules)
            }
        case .json?: return { _ in path.map { .nestedJSON($0) } ?? .json }
        case .csv?: return { _ in .csv(rules) }
        case .couch?: return { _ in .couch(keepingRevisions: keepsRevisions) }
        case .mongo?: return { _ in .mongo(path) }
        case .geoJSON?: return { _ in .geoJSON }
        }
    }

    /// Whether a file has the suffix of comma-separated values.
    private static func isTable(_ file: String) -> Bool {
        if case .csv = DocumentFormat(suffixOf: file) { true } else { false }
    }

    private static func requireFitting(
        _ arguments: Arguments,
        _ format: ImportFormat?,
        readsTables: Bool
    ) throws(Failure) {
        for option in ["--separator", "--text"] where arguments.has(option) && !readsTables {
            throw .usage("'\(option)' applies only to CSV", hint: "add '--from csv'")
        }
        guard format == .couch || !arguments.has("--keep-revisions") else {
            throw .usage(
                "'--keep-revisions' requires '--from couchdb'",
                hint: "other formats contain no revision history"
            )
        }
        guard !readsTables || !arguments.has("--since") else {
            throw .usage(
                "'--since' cannot be used with CSV",
                hint: "use it with JSON lines that contain _sequence"
            )
        }
        guard arguments.has("--path") else { return }
        if let format, format != .json, format != .mongo {
            throw .usage(
                "'--path' cannot be used with '--from \(format.rawValue)'",
                hint: "leave one of them out"
            )
        }
        if let directory = arguments.operands.dropFirst().first(where: InputFile.isDirectory) {
            throw .usage(
                "'--path' cannot be used with a directory",
                hint: "name the files in \(directory)"
            )
        }
    }
}

extension ImportFormat {
    /// The format that `--from` selects; `nil` without the option.
    fileprivate init?(_ arguments: Arguments) throws(Failure) {
        guard let name = arguments.value("--from") else { return nil }
        guard let format = ImportFormat(rawValue: name) else {
            throw .usage(
                "invalid value '\(name)' for '--from'",
                hint: "use 'json', 'csv', 'couchdb', 'mongodb' or 'geojson'"
            )
        }
        self = format
    }
}

extension JSONPointer {
    /// The path that `--path` specifies; `nil` without the option.
    ///
    /// A dot is the pointer to the whole text: an option cannot be empty.
    fileprivate init?(_ arguments: Arguments) throws(Failure) {
        guard let text = arguments.value("--path") else { return nil }
        guard let path = JSONPointer(text == "." ? "" : text) else {
            throw .usage(
                "invalid value '\(text)' for '--path'",
                hint: "use a JSON pointer, such as '/\(text)', or '.' for the whole text"
            )
        }
        self = path
    }
}
