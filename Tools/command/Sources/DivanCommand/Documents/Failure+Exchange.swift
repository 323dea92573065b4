import DivanCommandLine
import DivanExchange
import DivanPlatform

extension Failure {
    /// Explains an error of an export or an import, with options of the command.
    init(_ error: ExchangeError) {
        let place = error.place ?? ""
        switch (error.code, error.cause) {
        case (.reading(let number), _): self = .file(place, Errno(number))
        case (.writing(let number), _): self = .writing(place, Errno(number), keeping: true)
        case (.damagedBlob, let cause?): self.init(kind: .database, text: "\(cause)")
        case (_, let cause?): self = Failure(explaining: cause).at(place)
        default:
            self.init(
                kind: Kind(error.code),
                sentence: error.place.map { "\($0): \(error.problem)" } ?? error.problem,
                hint: error.remedy.map { Self.hint(for: error.code) ?? $0 }
            )
            nameOptions(of: error)
        }
    }

    /// Names the option that led to the error, and what else is particular to the command.
    private mutating func nameOptions(of error: ExchangeError) {
        switch error.code {
        case .notContinuable where error.place == nil: sentence = "'--since': \(sentence)"
        case .noIDKey: sentence += " given to '--id-from'"
        case .documentTooLong:
            sentence =
                "\((error.place ?? "").escapingControlCharacters()): larger than 64 MiB as text, "
                + "the limit of 'divan import'"
        case .notCouchDocument:
            hint = hint.map { "\($0); for other JSON, leave '--from couchdb' out" }
        default: break
        }
    }

    /// What to do about an error, if the command has an option or another command for it.
    private static func hint(for code: ExchangeError.Code) -> String? {
        switch code {
        case .noDump: "create one with 'divan dump'"
        case .notContinuable: "make a full dump, without '--since'"
        case .damagedDatabase: "restore them with 'divan check --repair-from'"
        case .damagedDocument, .damagedBlob:
            "restore it from a peer or a copy with 'divan check --repair-from'"
        case .unreadableBlob: "run 'divan check' to find all damaged blobs"
        case .blobTooLarge: "leave '--blobs' out"
        case .documentTooLong: "use 'divan dump', which has no limit"
        case .tooManyColumns: "select some with '--query', or use a .jsonl file"
        case .textTooLong:
            "put large content into blobs, or use '--path' if the file is one object around many "
                + "documents"
        case .ambiguousSeparator: "set it with '--separator'"
        case .extendedID: "use '--from mongodb'"
        case .noRevisionHistory: "export with pouchdb-dump, or leave '--keep-revisions' out"
        case .notTreeRevision: "leave '--keep-revisions' out"
        default: nil
        }
    }
}

extension Failure.Kind {
    fileprivate init(_ code: ExchangeError.Code) {
        switch code {
        case .notFound: self = .notFound
        case .damagedDatabase, .damagedDocument, .undumpable, .damagedBlob, .unreadableBlob,
            .sqlite, .reading, .writing, .refused:
            self = .database
        default: self = .invalid
        }
    }
}

// MARK: Streams

extension InputFile {
    /// The file as the input of an import or a restoration.
    var source: ByteSource { ByteSource(name: name) { try self.read() } }
}

extension Terminal {
    /// Writes bytes of the results, unless they are no longer read.
    func write(bytes: [UInt8]) throws {
        result(bytes: bytes)
        try requireOutput()
    }

    /// Writes complete lines of JSON, unless they are no longer read.
    func write(json lines: [UInt8]) throws {
        result(json: lines)
        try requireOutput()
    }
}

extension ProgressLine {
    /// Ends the command if it was interrupted; otherwise shows how far it is.
    func show(_ progress: ExchangeProgress, of totalBytes: UInt64 = 0) throws {
        try Interruption.check()
        show(Reading(progress, of: totalBytes))
    }
}

extension ProgressLine.Reading {
    /// How far an export or an import is.
    init(_ progress: ExchangeProgress, of totalBytes: UInt64) {
        self.init(
            documents: UInt64(progress.documentCount),
            total: UInt64(progress.totalCount ?? 0),
            bytes: progress.byteCount,
            totalBytes: totalBytes
        )
    }
}

extension DamagedDocuments {
    /// How many, in words.
    var words: String { Numbers.count(count, "damaged document") }

    /// Lists them for a person.
    func report(_ terminal: Terminal) {
        for name in names {
            terminal.note("divan: \(name.escapingControlCharacters()): damaged, skipped")
        }
    }

    /// Fails a command that has written the other documents; does nothing if there are none.
    func fail() throws(Failure) {
        guard count > 0 else { return }
        throw Failure(
            kind: .partly,
            sentence: "\(words) skipped",
            hint: "run 'divan check' for details"
        )
    }
}
