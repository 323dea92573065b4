public import DivanRevisions

/// The requirements for every storage engine, as a check for any test framework.
public enum StorageEngineContract {
    /// Returns one sentence for each violation; none if the engine meets the requirements.
    ///
    /// - Parameter make: Creates an empty engine; called several times.
    /// - Returns: The violations.
    /// - Throws: What `make` throws.
    public static func violations(
        of make: () throws -> any StorageEngine
    ) throws -> [String] {
        var findings = Findings()
        let checks = [
            checkCollections, checkCounters, checkRows, checkScans, checkExpiration, checkValues,
            checkMany, checkQueries, checkRollback, checkSnapshot, checkClose,
        ]
        for check in checks {
            let engine = try make()
            do {
                try check(engine, &findings)
            } catch {
                findings.sentences.append("Unexpected error: \(error)")
            }
        }
        return findings.sentences
    }

    struct Findings {
        var sentences: [String] = []

        mutating func expect(_ isTrue: Bool, _ sentence: String) {
            if !isTrue { sentences.append(sentence) }
        }
    }

    /// Thrown by the checks themselves.
    struct Refused: Error {}

    private static func checkCollections(
        _ engine: any StorageEngine,
        _ findings: inout Findings
    ) throws {
        guard let first = CollectionPath("first"), let other = CollectionPath("scope.First")
        else { return }
        let firstID = try engine.write { try $0.createCollection(first).id }
        let otherID = try engine.write { try $0.createCollection(other).id }
        try engine.read { snapshot in
            findings.expect(
                try snapshot.collections() == [first, other],
                "Collections are not listed in the order of creation."
            )
            findings.expect(
                try snapshot.collection(first) == firstID
                    && snapshot.state(of: firstID) == CollectionState(id: firstID),
                "The counters of a new collection are not zero."
            )
        }
        try engine.write { try $0.put(row("a", sequence: 1), in: firstID) }
        try engine.write { try $0.put(row("a", sequence: 1), in: otherID) }
        try engine.write { try $0.deleteCollection(firstID) }
        let again = try engine.write { try $0.createCollection(first).id }
        findings.expect(![firstID, otherID].contains(again), "A collection number was reused.")
        try engine.read { snapshot in
            findings.expect(
                try snapshot.row("a", in: again, content: .whole) == nil,
                "A recreated collection contains old rows."
            )
            findings.expect(
                try snapshot.row("a", in: otherID, content: .whole) != nil,
                "Deleting a collection deleted rows of another collection."
            )
        }
    }

    private static func checkRows(
        _ engine: any StorageEngine,
        _ findings: inout Findings
    ) throws {
        let id = try engine.write { try $0.createCollection(.default).id }
        let plain = try row("plain", sequence: 1)
        var full = try row("full", sequence: 2, flags: [.tombstone, .hasBlobs])
        full.tree = .encoded([1, 2, 3])
        full.expiration = 5
        var marked = try row("marked", sequence: 3)
        marked.tree = .single(knownAt: RemoteID(rawValue: 900))
        let rows = [plain, full, marked]
        try engine.write { writer in for row in rows { try writer.put(row, in: id) } }
        for row in rows {
            let stored = try engine.read { try $0.row(row.documentID, in: id, content: .whole) }
            findings.expect(stored == row, "Row \(row.documentID) is not stored unchanged.")
        }
        let summary = try engine.read { try $0.row("plain", in: id, content: .summary) }
        findings.expect(
            summary?.body == [] && summary?.bodyByteCount == plain.body.count,
            "A summary contains a body, or the wrong body size."
        )

        try engine.write { try $0.put(row("plain", sequence: 4), in: id) }
        try engine.write {
            try $0.setTree(.encoded([9]), replacing: plain.tree, at: 4, in: id)
        }
        let moved = try engine.read { try $0.row("plain", in: id, content: .whole) }
        findings.expect(
            moved?.sequence == 4 && moved?.tree == .encoded([9]) && moved?.body == plain.body,
            "A row is not replaced, or setTree changes more than the tree."
        )

        var old = RowTree.encoded([9])
        for tree in [RowTree.encoded([8, 7]), .encoded([]), .single(knownAt: nil), .encoded([9])] {
            try engine.write { try $0.setTree(tree, replacing: old, at: 4, in: id) }
            let changed = try engine.read { try $0.row("plain", in: id, content: .whole) }
            findings.expect(
                changed?.tree == tree && changed?.body == plain.body,
                "setTree does not replace \(old) by \(tree)."
            )
            old = tree
        }

        try checkMarks(engine, id, &findings)

        // Two spellings of é: the same text in Unicode, but two document IDs.
        try engine.write { try $0.put(row("\u{E9}", sequence: 5), in: id) }
        try engine.write { try $0.put(row("e\u{301}", sequence: 6), in: id) }
        let spelled = try engine.read { try $0.row("\u{E9}", in: id, content: .whole) }
        findings.expect(spelled?.sequence == 5, "Document IDs are not compared by bytes.")

        findings.expect(
            try engine.write { try $0.remove("full", in: id) }
                && engine.read { try $0.row("full", in: id, content: .whole) } == nil,
            "A removed row still exists."
        )
        findings.expect(
            try !engine.write { try $0.remove("full", in: id) },
            "A row was removed twice."
        )
    }

    /// Of the rows, only `single` has one revision that no remote is known to have.
    private static func checkMarks(
        _ engine: any StorageEngine,
        _ id: CollectionID,
        _ findings: inout Findings
    ) throws {
        let remote = RemoteID(rawValue: 901)
        var single = try row("single", sequence: 7)
        let another = try row("another", sequence: 8).revisionID
        try engine.write { try $0.put(single, in: id) }
        let marks: [(DocumentID, RevisionID)] = [
            ("none", single.revisionID), ("single", another), ("marked", single.revisionID),
            ("full", single.revisionID), ("single", single.revisionID),
            ("single", single.revisionID),
        ]
        for (documentID, revisionID) in marks {
            let before = try engine.read { try $0.row(documentID, in: id, content: .whole) }
            let isDue =
                before?.tree == .single(knownAt: nil) && before?.revisionID == revisionID
            let isMarked = try engine.write {
                try $0.markSingle(revisionID, of: documentID, at: remote, in: id)
            }
            findings.expect(isMarked == isDue, "markSingle returns a wrong result: \(documentID).")
            let after = try engine.read { try $0.row(documentID, in: id, content: .whole) }
            var expected = before
            if isDue { expected?.tree = .single(knownAt: remote) }
            findings.expect(after == expected, "markSingle makes a wrong change: \(documentID).")
        }
        single.tree = .single(knownAt: remote)
        findings.expect(
            try engine.read { try $0.row("single", in: id, content: .whole) } == single,
            "A row with one revision is not marked."
        )
        _ = try engine.write { try $0.remove("single", in: id) }
    }

    /// Of 20 rows with sequences from 2 on, 4 gets another revision and 6 a mark.
    private static func checkSingleRevisions(
        _ engine: any StorageEngine,
        _ id: CollectionID,
        _ findings: inout Findings
    ) throws {
        try engine.write { writer in
            let (unknown, known) = (RowTree.single(knownAt: nil), RemoteID(rawValue: 9))
            try writer.setTree(.encoded([1]), replacing: unknown, at: 4, in: id)
            try writer.setTree(.single(knownAt: known), replacing: unknown, at: 6, in: id)
        }
        let ranges: [(Range<UInt64>, Int)] = [
            (0..<100, 19), (1..<2, 0), (2..<5, 2), (6..<7, 1), (20..<22, 2),
        ]
        for (range, count) in ranges {
            findings.expect(
                try engine.read { try $0.singleRevisionCount(in: id, within: range) } == count,
                "singleRevisionCount is wrong for the sequences \(range)."
            )
        }
    }

    private static func checkScans(
        _ engine: any StorageEngine,
        _ findings: inout Findings
    ) throws {
        let id = try engine.write { try $0.createCollection(.default).id }
        try engine.write { writer in
            for sequence in UInt64(1)...20 {
                let flags: DocumentFlags =
                    sequence % 5 == 0 ? [.conflicted, .hasBlobs] : sequence == 3 ? .tombstone : []
                let documentID = DocumentID(unchecked: "doc-\(30 - sequence)")
                try writer.put(row(documentID, sequence: sequence, flags: flags), in: id)
            }
            try writer.put(row("doc-29", sequence: 21), in: id)
        }
        try checkSingleRevisions(engine, id, &findings)
        try engine.read { snapshot in
            func sequences(after: UInt64, limit: Int, flags: DocumentFlags = []) throws -> [UInt64]
            {
                try snapshot.rows(
                    in: id,
                    after: after,
                    limit: limit,
                    flags: flags,
                    content: .summary
                ).map(\.sequence)
            }
            findings.expect(
                try sequences(after: 0, limit: 100) == Array(2...21)
                    && sequences(after: 7, limit: 3) == [8, 9, 10]
                    && sequences(after: 21, limit: 3) == []
                    && sequences(after: .max, limit: 3) == [],
                "A scan by sequence returns the wrong rows."
            )
            findings.expect(
                try sequences(after: 5, limit: 9, flags: .hasBlobs) == [10, 15, 20],
                "A scan ignores its flags."
            )
        }
        try checkLists(engine, id, &findings)
    }

    private static func checkLists(
        _ engine: any StorageEngine,
        _ id: CollectionID,
        _ findings: inout Findings
    ) throws {
        try engine.read { snapshot in
            let conflicted = try snapshot.conflictedDocuments(in: id, after: 0, limit: 9)
            let middle = try snapshot.conflictedDocuments(
                in: id,
                after: conflicted.first?.sequence ?? 0,
                limit: 2
            )
            findings.expect(
                conflicted.map(\.documentID) == ["doc-25", "doc-20", "doc-15", "doc-10"]
                    && conflicted.map(\.sequence) == conflicted.map(\.sequence).sorted()
                    && middle.map(\.documentID) == ["doc-20", "doc-15"],
                "Conflicted documents are not listed by sequence, or after a sequence."
            )
            findings.expect(
                try snapshot.documentIDs(in: id, after: nil, limit: 3)
                    == ["doc-10", "doc-11", "doc-12"]
                    && snapshot.documentIDs(in: id, after: "doc-26", limit: 9)
                        == ["doc-28", "doc-29"],
                "Document IDs are not listed in order, or include tombstones."
            )
        }
    }

    private static func checkExpiration(
        _ engine: any StorageEngine,
        _ findings: inout Findings
    ) throws {
        let id = try engine.write { try $0.createCollection(.default).id }
        try engine.write { writer in
            for (index, name) in (["a", "b", "c", "d"] as [DocumentID]).enumerated() {
                try writer.put(row(name, sequence: UInt64(index + 1)), in: id)
            }
            _ = try writer.setExpiration(300, of: "a", in: id)
            _ = try writer.setExpiration(-100, of: "b", in: id)
            _ = try writer.setExpiration(200, of: "c", in: id)
            findings.expect(
                try !writer.setExpiration(1, of: "none", in: id),
                "An expiration was set on a missing row."
            )
        }
        try engine.read { snapshot in
            findings.expect(
                try snapshot.nextExpiration(in: id) == -100
                    && snapshot.expiration(of: "a", in: id) == 300
                    && snapshot.expiration(of: "d", in: id) == nil,
                "Expirations are not stored."
            )
            findings.expect(
                try snapshot.expiredDocumentIDs(in: id, by: 200, limit: 9) == ["b", "c"]
                    && snapshot.expiredDocumentIDs(in: id, by: 300, limit: 1) == ["b"],
                "Expired documents are not listed earliest first."
            )
        }
        try engine.write { _ = try $0.setExpiration(nil, of: "b", in: id) }
        findings.expect(
            try engine.read { try $0.nextExpiration(in: id) } == 200,
            "A cleared expiration still exists."
        )
    }

    private static func checkValues(
        _ engine: any StorageEngine,
        _ findings: inout Findings
    ) throws {
        try engine.write { writer in
            try writer.setValue([1], for: "b", in: .metadata)
            try writer.setValue([], for: "a", in: .metadata)
            try writer.setValue([3], for: "b", in: .remotes)
            try writer.setValue([2], for: "b", in: .metadata)
            try writer.setValue([4], for: "c", in: .metadata)
            try writer.setValue(nil, for: "c", in: .metadata)
        }
        try engine.read { snapshot in
            let values = try snapshot.values(in: .metadata)
            findings.expect(
                values.map(\.key) == ["a", "b"] && values.map(\.value) == [[], [2]],
                "Values are not stored, or not sorted by key."
            )
            for (prefix, keys) in [("", ["a", "b"]), ("a", ["a"]), ("b", ["b"]), ("bb", [])] {
                findings.expect(
                    try snapshot.values(in: .metadata, beginningWith: prefix).map(\.key) == keys,
                    "Values are not found by key prefix."
                )
            }
            findings.expect(
                try snapshot.value("b", in: .remotes) == [3]
                    && snapshot.value("a", in: .remotes) == nil,
                "Value spaces are not separate."
            )
        }
    }

    /// A row with one revision and a short body, for tests of engines.
    public static func row(
        _ documentID: DocumentID,
        sequence: UInt64,
        flags: DocumentFlags = []
    ) throws -> DocumentRow {
        let digest: [UInt8] = [0xC0, UInt8(truncatingIfNeeded: sequence)]
        guard let revisionID = RevisionID(generation: 1, digestBytes: digest.span) else {
            throw Refused()
        }
        return DocumentRow(
            documentID: documentID,
            sequence: sequence,
            revisionID: revisionID,
            flags: flags,
            tree: .single(knownAt: nil),
            body: Array(#"{"name":"\#(documentID)"}"#.utf8)
        )
    }
}
