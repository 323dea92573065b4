import CouchbaseLiteSwift
import DivanCommandLine
import DivanDatabase
import DivanExchange
import DivanRevisions

extension DocumentImport.Rules {
    /// The rules that the arguments of `divan import` specify.
    init(_ collection: CollectionName, _ arguments: Arguments) throws(Failure) {
        self.init(
            collection: CollectionPath(collection),
            ids: ImportIDs(
                key: arguments.value("--id-from") ?? "_id",
                keepsKey: arguments.has("--keep-id"),
                isRequired: arguments.has("--id-from")
            ),
            skipsInvalid: arguments.has("--keep-going"),
            since: try arguments.number("--since", in: 0...UInt64.max) ?? 0,
            isDry: arguments.has("--dry-run"),
            keepsRevisions: arguments.has("--keep-revisions")
        )
    }
}

extension CSVRules {
    private static let separators = [
        "comma": UInt8(ascii: ","), "semicolon": UInt8(ascii: ";"), "tab": UInt8(ascii: "\t"),
        "\\t": UInt8(ascii: "\t"), "pipe": UInt8(ascii: "|"), "space": UInt8(ascii: " "),
    ]

    /// The rules that the arguments of `divan import` specify.
    init(_ arguments: Arguments) throws(Failure) {
        self.init(textColumns: arguments.values("--text"))
        guard let text = arguments.value("--separator") else { return }
        if let byte = Self.separators[text.lowercased()] {
            separator = byte
            return
        }
        guard let byte = text.utf8.first, text.utf8.count == 1,
            byte == UInt8(ascii: "\t") || (0x20..<0x7F).contains(byte), byte != UInt8(ascii: "\"")
        else {
            throw .usage(
                "invalid value '\(text)' for '--separator'",
                hint: "use one ASCII character, or 'tab'"
            )
        }
        separator = byte
    }
}

extension DocumentFormat {
    /// Reads a file, or a directory with JSON files; `-` is standard input.
    func read(
        file path: String,
        until interruption: Interruption? = nil,
        _ body: (inout DocumentText) throws -> Void
    ) throws {
        if case .json = self, path != "-", InputFile.isDirectory(path) {
            return try Self.readDirectory(path, body)
        }
        try read(InputFile(path, until: interruption).source, body)
    }
}

extension DocumentImport.Notice {
    /// The notice in one line.
    var text: String {
        switch self {
        case .tooLargeToSync(let id, let byteCount):
            StoreRules.warning(of: DocumentID(unchecked: id), byteCount: byteCount) ?? ""
        case .skipped(let error): Failure(error).line
        case .diverged(let id):
            "\(id.escapingControlCharacters()): skipped, because it was changed both in this "
                + "database and in the source"
        }
    }
}

extension DocumentImport {
    /// Saves what came before an error, and includes that in the error.
    mutating func close(after error: any Error, isDry: Bool) throws -> Failure {
        var failure = failure(error)
        // A database that refused more still does.
        if failure.kind != .database {
            do {
                try commit()
            } catch {
                throw self.failure(error)
            }
        }
        let isExpected = failure.kind == .invalid || failure.kind == .interrupted
        guard isExpected || savedCount + unchangedCount > 0 else { return failure }
        failure.sentence += "; \(savedText(isDry))"
        if unchangedCount > 0 {
            failure.sentence += ", \(Numbers.grouped(unchangedCount)) unchanged"
        }
        if failure.kind == .invalid {
            failure.sentence += ", and the rest was not read"
            failure.hint =
                (failure.hint ?? "correct the file")
                + (endedWithDocument ? ", or use '--keep-going' to skip invalid documents" : "")
        }
        return failure
    }

    /// Explains an error; a key that is misspelled is corrected.
    private func failure(_ error: any Error) -> Failure {
        var failure = Failure(explaining: error)
        if let error = error as? ExchangeError, error.code == .noIDKey,
            let key = Spelling.nearest(to: ids.key, among: ids.otherKeys ?? [])
        {
            failure.hint = "did you mean '\(key)'?"
        }
        return failure
    }

    private func savedText(_ isDry: Bool) -> String {
        let documents =
            savedCount == 0 ? "no documents" : Numbers.count(savedCount, "document")
        let deed = isDry ? "would be" : savedCount == 1 ? "was" : "were"
        return "\(documents) \(deed) saved"
    }
}

extension ImportIDs {
    /// The warning for documents that got random IDs; `nil` if none did.
    var warning: String? {
        guard randomCount > 0 else { return nil }
        let documents = Numbers.count(randomCount, "document")
        let likely = otherKeys?.first { $0.lowercased() == "id" }
        return
            "\(documents) without '\(key)' got \(randomCount == 1 ? "a random ID" : "random IDs"), "
            + "and a second import would save \(randomCount == 1 ? "it" : "them") again; use "
            + "'--id-from \(likely ?? "KEY")' to take the IDs from a key"
    }
}
