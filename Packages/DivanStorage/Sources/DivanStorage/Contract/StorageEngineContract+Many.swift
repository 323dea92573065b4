internal import DivanRevisions

extension StorageEngineContract {
    /// What is done for many documents together has the same result as for each of them.
    static func checkMany(
        _ engine: any StorageEngine,
        _ findings: inout Findings
    ) throws {
        let id = try engine.write { try $0.createCollection(.default).id }
        let all = try (1...40).map { try many($0, UInt64($0), isTombstone: $0 % 9 == 0) }
        try addMany(all, to: engine, id, &findings)
        try refuseMany(engine, id, &findings)
        // Every third one gets a new sequence, which leaves gaps.
        try engine.write { writer in
            for number in stride(from: 3, through: 39, by: 3) {
                try writer.put(many(number, UInt64(100 + number)), in: id)
            }
        }
        try engine.read { snapshot in
            let asked = (30...60).map { DocumentID(unchecked: "many-\($0)") }
            let found = try snapshot.summaries(of: asked, in: id).sorted {
                $0.sequence < $1.sequence
            }
            let each = try asked.compactMap {
                try snapshot.row($0, in: id, content: .summary)
            }
            findings.expect(
                try found == each.sorted { $0.sequence < $1.sequence }
                    && snapshot.summaries(of: [], in: id).isEmpty,
                "Reading many rows returns different rows than reading each."
            )
            let longRow = try snapshot.longRow("many-40", in: id)
            findings.expect(
                try longRow == snapshot.row("many-40", in: id, content: .whole)
                    && snapshot.longRow("many-41", in: id) == nil,
                "A row is different if its body may be long."
            )
            func run(_ sequences: [UInt64]) throws -> [UInt64] {
                let rows = try snapshot.run(of: sequences, in: id)
                for row in rows {
                    let whole = try snapshot.row(row.documentID, in: id, content: .whole)
                    findings.expect(row == whole, "A run contains a wrong row.")
                }
                return rows.map(\.sequence)
            }
            findings.expect(
                try run([1, 2, 4, 5, 7]) == [1, 2, 4, 5, 7] && run([1, 4]) == [1]
                    && run([2, 3, 4]) == [2] && run([3]) == [] && run([]) == []
                    && run([40, 103, 106, 200]) == [40, 103, 106] && run([5, 4]) == [5],
                "A run does not end at a gap or at another row."
            )
        }
    }

    private static func many(
        _ number: Int,
        _ sequence: UInt64,
        isTombstone: Bool = false
    ) throws -> DocumentRow {
        let documentID = DocumentID(unchecked: "many-\(number)")
        return try row(documentID, sequence: sequence, flags: isTombstone ? .tombstone : [])
    }

    private static func addMany(
        _ rows: [DocumentRow],
        to engine: any StorageEngine,
        _ id: CollectionID,
        _ findings: inout Findings
    ) throws {
        let before = CollectionState(id: id)
        let isAdded = try engine.write { try $0.add(rows, after: before) }
        let (stored, state) = try engine.read { snapshot in
            let stored = try snapshot.rows(
                in: id,
                after: 0,
                limit: 100,
                flags: [],
                content: .whole
            )
            return (stored, try snapshot.state(of: id))
        }
        findings.expect(isAdded && stored == rows, "Rows added together are not stored unchanged.")
        findings.expect(
            state == CollectionState(id: id, lastSequence: 40, liveCount: 36),
            "Counters do not include rows added together."
        )
    }

    /// One document that exists already, or occurs twice, prevents all from being added.
    private static func refuseMany(
        _ engine: any StorageEngine,
        _ id: CollectionID,
        _ findings: inout Findings
    ) throws {
        for (twin, place) in [(7, 3), (7, 35), (55, 20)] {
            let isAdded = try engine.write { writer in
                var rows = try (0..<40).map { try many(50 + $0, UInt64(41 + $0)) }
                rows[place] = try many(twin, UInt64(41 + place))
                return try writer.add(
                    rows,
                    after: CollectionState(id: id, lastSequence: 40, liveCount: 36)
                )
            }
            let state = try engine.read { try $0.state(of: id) }
            let isThere = try engine.read {
                try $0.row("many-50", in: id, content: .summary) != nil
            }
            findings.expect(
                !isAdded && !isThere
                    && state == CollectionState(id: id, lastSequence: 40, liveCount: 36),
                "Rows are added although one document already exists."
            )
        }
    }
}
