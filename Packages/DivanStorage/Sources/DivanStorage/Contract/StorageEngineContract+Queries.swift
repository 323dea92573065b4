internal import DivanJSON
internal import DivanQuery
internal import DivanRevisions

extension StorageEngineContract {
    /// Queries and feeds see the documents of their snapshot.
    static func checkQueries(
        _ engine: any StorageEngine,
        _ findings: inout Findings
    ) throws {
        let id = try engine.write { writer in
            findings.expect(writer.undoing == nil, "An open transaction is being undone.")
            let id = try writer.createCollection(.default).id
            for (index, name) in (["tea", "cup", "pot"] as [DocumentID]).enumerated() {
                try writer.put(row(name, sequence: UInt64(index + 1)), in: id)
            }
            try writer.put(row("cup", sequence: 4, flags: .tombstone), in: id)
            try writer.setState(CollectionState(id: id, lastSequence: 4, liveCount: 2))
            return id
        }
        let documentID = CheckedExpression.metadata(source: 0, .id)
        let query = CheckedStatement(
            columns: [CheckedColumn(title: "id", documentID)],
            sources: [CheckedSource(.documents(.standard))],
            orderings: [CheckedOrdering(CheckedKey(documentID))]
        )
        let expected: [[QueryValue]] = [[.string("pot")], [.string("tea")]]
        try engine.read { snapshot in
            try checkFeed(snapshot, id, &findings)
            guard let querying = snapshot.querying else { return }
            var found: [[QueryValue]] = []
            try querying.run(StorageQuery(query)) { found.append($0) }
            findings.expect(found == expected, "A query of a snapshot returns wrong rows.")
            findings.expect(
                try !querying.plan(StorageQuery(query)).steps.isEmpty,
                "A query has no plan."
            )
        }
        guard let rows = try engine.querying?.rows(of: StorageQuery(query)) else { return }
        var found: [[QueryValue]] = []
        while let row = try rows.next() { found.append(row) }
        findings.expect(found == expected, "A query returns wrong rows.")
    }

    private static func checkFeed(
        _ snapshot: any StorageSnapshot,
        _ id: CollectionID,
        _ findings: inout Findings
    ) throws {
        var damaged: [DamagedChange] = []
        let changes = try snapshot.changes(
            in: id,
            after: 1,
            limit: 9,
            content: .whole,
            noting: &damaged
        )
        var all: [DocumentRow] = []
        try snapshot.forEachRow(in: id) { all.append(try $0.get()) }
        findings.expect(
            changes.map(\.documentID) == ["pot", "cup"] && damaged.isEmpty,
            "The changes feed returns wrong rows."
        )
        findings.expect(
            all.map(\.sequence) == [1, 3, 4] && Array(all.dropFirst()) == changes,
            "Visiting all rows returns other rows than the changes feed."
        )
    }
}
