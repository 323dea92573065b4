internal import DivanRevisions

extension StorageEngineContract {
    /// The counters are those set last, with a row or alone, whatever has become of the row.
    static func checkCounters(
        _ engine: any StorageEngine,
        _ findings: inout Findings
    ) throws {
        let id = try engine.write { try $0.createCollection(.default).id }
        func expect(_ lastSequence: UInt64, _ liveCount: Int, _ sentence: String) throws {
            let state = try engine.read { try $0.state(of: id) }
            findings.expect(
                state
                    == CollectionState(id: id, lastSequence: lastSequence, liveCount: liveCount),
                sentence
            )
        }
        func put(_ documentID: DocumentID, _ sequence: UInt64, _ liveCount: Int) throws {
            let state = CollectionState(id: id, lastSequence: sequence, liveCount: liveCount)
            let row = try row(documentID, sequence: sequence)
            try engine.write { try $0.put(row, leaving: state) }
            let stored = try engine.read { try $0.row(documentID, in: id, content: .whole) }
            findings.expect(stored == row, "A row stored with counters is not stored unchanged.")
        }
        func set(_ lastSequence: UInt64, _ liveCount: Int, removing documentID: DocumentID) throws {
            try engine.write { writer in
                _ = try writer.remove(documentID, in: id)
                try writer.setState(
                    CollectionState(id: id, lastSequence: lastSequence, liveCount: liveCount)
                )
            }
        }
        try engine.write { try $0.setState(CollectionState(id: id, lastSequence: 7, liveCount: 3)) }
        try expect(7, 3, "Counters are not stored.")
        try put("a", 8, 4)
        try put("b", 9, 5)
        try expect(9, 5, "Counters stored with a row are lost.")
        try put("a", 10, 0)
        try expect(10, 0, "Counters stored with a replacing row are lost.")
        try set(10, 4, removing: "a")
        try expect(10, 4, "Removing a row removes counters.")
        try put("c", 11, 5)
        try set(11, 4, removing: "b")
        try expect(11, 4, "Counters set by setState do not take precedence.")
        try checkAddition(engine, id, &findings)
        try expect(12, 5, "Counters stored with an added row are lost.")
        try engine.write { writer in
            let revisionID = try row("n", sequence: 12).revisionID
            _ = try writer.markSingle(revisionID, of: "n", at: RemoteID(rawValue: 1), in: id)
            let marked = RowTree.single(knownAt: RemoteID(rawValue: 1))
            try writer.setTree(.encoded([1]), replacing: marked, at: 12, in: id)
        }
        try expect(12, 5, "Changing a row in place loses counters.")
        try set(12, 4, removing: "n")
        try throwAfterPut(engine, id)
        try expect(12, 4, "A transaction that threw did not roll back counters.")
    }

    private static func throwAfterPut(_ engine: any StorageEngine, _ id: CollectionID) throws {
        let row = try row("d", sequence: 13)
        let state = CollectionState(id: id, lastSequence: 13, liveCount: 5)
        try? engine.write { writer in
            try writer.put(row, leaving: state)
            throw Refused()
        }
    }

    /// A row is added if its document is new; otherwise neither rows nor counters change.
    private static func checkAddition(
        _ engine: any StorageEngine,
        _ id: CollectionID,
        _ findings: inout Findings
    ) throws {
        func add(_ row: DocumentRow, _ liveCount: Int) throws -> Bool {
            let sequence = row.sequence
            let state = CollectionState(id: id, lastSequence: sequence, liveCount: liveCount)
            return try engine.write { try $0.add(row, leaving: state) }
        }
        let new = try row("n", sequence: 12)
        findings.expect(try add(new, 5), "A new row is not added.")
        findings.expect(
            try !add(row("n", sequence: 13), 6)
                && engine.read { try $0.row("n", in: id, content: .whole) } == new,
            "A row is added although its document already exists."
        )
    }
}
