import DivanCrypto
import DivanDatabase
import DivanRevisions

/// Reads dumps line by line, and passes on only lines that fit.
///
/// **Theory of operation.** A dump is a section, and sections that follow it, in one or several files.
/// Between sections only a head is allowed; it either begins everything or continues exactly where the last
/// end stopped, in the same database. Inside a section, the remotes and collections come before what
/// refers to them, the pieces of a blob follow each other without a gap, and the sequences of a
/// collection ascend; so a line that is repeated, or missing where it matters, is noticed at once,
/// and the end counts the rest. Its digest detects any other change. Only the line and a few numbers
/// for each collection are held in memory.
struct DumpReader {
    private enum State {
        case between
        case inside(Section)
    }

    fileprivate struct Section {
        var head: DumpHead
        var hash = SHA256()
        var documentCount = 0
        var blobCount = 0
        /// The last sequence of each collection that has a line.
        var sequences: [CollectionPath: UInt64] = [:]
        /// How far the lines of unchanged documents have come in each collection.
        var standing: [CollectionPath: UInt64] = [:]
        /// The blob whose next piece must follow.
        var open: (digest: BlobDigest, byteCount: Int, offset: Int)?
    }

    private var state = State.between
    private var former: DumpEnd?
    private var isEmpty = true
    private var remotes: [RemoteID: String] = [:]
    private var place = ""
    /// Lines of the file up to the last complete section.
    private var wholeCount = 0

    /// Bytes read.
    private(set) var byteCount: UInt64 = 0

    /// The remotes that were named so far.
    private(set) var knownRemotes: Set<RemoteID> = []

    /// Prepares to read dumps, after one whose end is `former`.
    init(after former: DumpEnd? = nil) {
        self.former = former
    }

    /// Calls `body` with each line of an input.
    ///
    /// - Throws: `ExchangeError` with file and line, even for a `DumpDamage` that `body` throws.
    mutating func read(
        _ source: ByteSource,
        _ body: (DumpLine, DumpReader) throws -> Void
    ) throws {
        let lines = ByteLines(source)
        let name = source.name
        var number = 0
        wholeCount = 0
        do {
            while let line = try next(in: lines, &number) {
                // The text of a long document is not kept while the document is stored.
                lines.releaseRead()
                try body(line, self)
                if case .end = line { wholeCount = number }
            }
        } catch let damage as DumpDamage {
            // Half a line at the end of a file is not an error of that line.
            if damage.isOfText, isInside, try lines.next() == nil { throw cut(name, number) }
            throw ExchangeError(
                .invalid,
                at: "\(name):\(number)",
                damage.problem,
                remedy: damage.hint
            )
        }
        if isInside { throw cut(name, number) }
    }

    /// The next line, if it fits; `nil` after the last.
    private mutating func next(in lines: ByteLines, _ number: inout Int) throws -> DumpLine? {
        guard let bytes = try lines.next() else { return nil }
        number += 1
        byteCount += UInt64(bytes.count) + 1
        let line = try DumpLine(bytes)
        try follow(line)
        // Does nothing after the end of a section.
        digest(bytes)
        return line
    }

    /// Ensures that there was a dump at all.
    func finish() throws(ExchangeError) {
        guard !isEmpty else {
            throw ExchangeError(.noDump, "the input contains no dump", remedy: "make a dump")
        }
    }

    private func cut(_ name: String, _ number: Int) -> ExchangeError {
        ExchangeError(
            .invalid,
            at: name,
            "the dump is truncated after line \(number) (end marker missing)",
            remedy: wholeCount > 0
                ? "the first \(wholeCount) lines are a complete dump" : "make a new dump"
        )
    }

    private var isInside: Bool {
        if case .inside = state { true } else { false }
    }

    private mutating func digest(_ line: ArraySlice<UInt8>) {
        guard case .inside(var section) = state else { return }
        // Moved out of the state while it changes, so that it is not copied.
        state = .between
        section.hash.update(line.span)
        section.hash.update(Self.lineEnd.span)
        state = .inside(section)
    }

    private static let lineEnd = [UInt8(ascii: "\n")]

    // MARK: Order of lines

    private mutating func follow(_ line: DumpLine) throws(DumpDamage) {
        guard case .inside(var section) = state else {
            guard case .head(let head) = line else {
                throw DumpDamage("expected the first line of a dump: {\"dump\":1,…")
            }
            try begin(head)
            return
        }
        state = .between
        if let open = section.open {
            guard case .piece(let piece) = line, piece.digest == open.digest else {
                throw DumpDamage("a piece of blob \(open.digest) is missing")
            }
        }
        switch line {
        case .head: throw DumpDamage("another dump begins here: the previous one is truncated")
        case .remote(let id, let name):
            guard remotes[id] == nil || remotes[id] == name else {
                throw DumpDamage("remote \(id.rawValue) has two names")
            }
            remotes[id] = name
            knownRemotes.insert(id)
        case .collection(let path, _):
            guard section.sequences[path] == nil else {
                throw DumpDamage("the dump contains collection \(path) twice")
            }
            section.sequences[path] = section.head.since?[path] ?? 0
        case .piece(let piece): try section.take(piece)
        case .absent: break
        case .document(let document): try section.take(document)
        case .standing(let standing): try section.take(standing)
        case .end(let end):
            try section.finish(end)
            former = end
            isEmpty = false
            state = .between
            return
        }
        state = .inside(section)
    }

    private mutating func begin(_ head: DumpHead) throws(DumpDamage) {
        if let former {
            guard head.database == former.database, head.scheme == former.scheme else {
                throw DumpDamage(
                    "this dump and the previous one are of different databases",
                    hint: "give the dumps of one database"
                )
            }
            guard head.since == former.sequences else {
                throw DumpDamage(
                    "this dump does not continue where the previous one ends",
                    hint: "give all dumps in the order in which they were made"
                )
            }
        } else if head.since != nil {
            throw DumpDamage(
                "this dump contains only the changes since another one",
                hint: "give that dump before it"
            )
        }
        state = .inside(Section(head: head))
    }
}

extension DumpReader.Section {
    fileprivate mutating func take(_ piece: BlobPiece) throws(DumpDamage) {
        let (offset, byteCount) = (open?.offset ?? 0, open?.byteCount ?? piece.byteCount)
        guard piece.offset == offset, piece.byteCount == byteCount else {
            throw DumpDamage("a piece of blob \(piece.digest) is missing")
        }
        let next = offset + piece.bytes.count
        open = next < byteCount ? (piece.digest, byteCount, next) : nil
        if open == nil { blobCount += 1 }
    }

    fileprivate mutating func take(_ document: DumpedDocument) throws(DumpDamage) {
        guard let last = sequences[document.collection] else {
            throw DumpDamage("collection \(document.collection) has no line before this one")
        }
        guard document.sequence > last else {
            throw DumpDamage(
                "sequence \(document.sequence) does not follow \(last): a line is duplicated or "
                    + "out of order"
            )
        }
        sequences[document.collection] = document.sequence
        documentCount += 1
    }

    fileprivate mutating func take(_ line: UnchangedDocuments) throws(DumpDamage) {
        guard let end = head.since?[line.collection], sequences[line.collection] != nil else {
            throw DumpDamage("collection \(line.collection) cannot have unchanged documents")
        }
        let last = standing[line.collection] ?? 0
        guard line.through > last, line.through <= end, (line.runs.first?.lowerBound ?? .max) > last
        else { throw DumpDamage("a line of unchanged documents is out of order") }
        standing[line.collection] = line.through
    }

    fileprivate func finish(_ end: DumpEnd) throws(DumpDamage) {
        guard end.database == head.database, end.scheme == head.scheme,
            end.documentCount == documentCount, end.blobCount == blobCount,
            Set(end.sequences.keys) == Set(sequences.keys),
            sequences.allSatisfy({ $0.value <= end.sequences[$0.key] ?? 0 }),
            standing.allSatisfy({ $0.value == head.since?[$0.key] })
        else { throw DumpDamage("lines of this dump are missing or were added") }
        guard let digest = end.digest else { return }
        guard Hex.encode(hash.finalize().span) == digest else {
            throw DumpDamage(
                "this dump was changed after it was written",
                hint: "if that was intended, remove \"sha256\" from this line"
            )
        }
    }
}
