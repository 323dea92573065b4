import DivanCommandLine
import DivanRevisions

extension ListCommand {
    /// Which documents of a collection are listed, and in which order.
    struct Page {
        private let pattern: IDPattern
        private let limit: Int
        private let offset: Int
        private let isDescending: Bool

        init(_ arguments: Arguments) throws(Failure) {
            pattern = IDPattern(arguments.operands.dropFirst().first ?? "")
            limit = try arguments.number("--limit", in: 1...Int.max) ?? Int.max
            offset = try arguments.number("--offset", in: 0...Int.max) ?? 0
            isDescending = arguments.has("--desc")
        }

        /// Calls `body` with the ID of each document on the page; `forEachID` passes those that begin with
        /// a text, in order, until it returns `false`.
        ///
        /// For descending order, all IDs that match the pattern are held in memory.
        func forEach(
            of forEachID: @escaping (String, (DocumentID) throws -> Bool) throws -> Void,
            among wanted: Set<DocumentID>?,
            _ body: (DocumentID) throws -> Void
        ) throws {
            var skipped = 0
            var rest = limit
            var all: [DocumentID] = []
            try forEachID(pattern.prefix) { documentID in
                guard wanted?.contains(documentID) ?? true, pattern.describes(documentID) else {
                    return true
                }
                if isDescending {
                    all.append(documentID)
                    return true
                }
                guard skipped == offset else {
                    skipped += 1
                    return true
                }
                try body(documentID)
                rest -= 1
                return rest > 0
            }
            for documentID in all.reversed().dropFirst(offset).prefix(limit) {
                try body(documentID)
            }
        }
    }
}

/// Which document IDs are meant: those that begin with a text, or, with `*` or `?`, those that
/// match it from beginning to end.
struct IDPattern {
    /// The prefix of every matching ID.
    let prefix: String
    private let scalars: [Unicode.Scalar]
    private let isGlob: Bool

    init(_ text: String) {
        isGlob = text.contains { "*?".contains($0) }
        prefix = String(text.prefix { !"*?".contains($0) })
        scalars = Array(text.unicodeScalars)
    }

    /// Whether an ID matches; in time proportional to at most the product of both lengths.
    func describes(_ documentID: DocumentID) -> Bool {
        guard isGlob else { return true }
        let text = Array(documentID.text.unicodeScalars)
        var (place, inPattern) = (0, 0)
        var retry: (place: Int, inPattern: Int)?
        while place < text.count {
            let scalar = inPattern < scalars.count ? scalars[inPattern] : nil
            if scalar == "*" {
                inPattern += 1
                retry = (place, inPattern)
            } else if let scalar, scalar == "?" || scalar == text[place] {
                place += 1
                inPattern += 1
            } else if let last = retry {
                // The last star matches one more.
                retry = (last.place + 1, last.inPattern)
                (place, inPattern) = (last.place + 1, last.inPattern)
            } else {
                return false
            }
        }
        return scalars[inPattern...].allSatisfy { $0 == "*" }
    }
}
