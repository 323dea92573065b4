internal import DivanRevisions

extension StorageEngineContract {
    static func checkRollback(
        _ engine: any StorageEngine,
        _ findings: inout Findings
    ) throws {
        guard let other = CollectionPath("other") else { return }
        let state = try engine.write { writer in
            var state = try writer.createCollection(.default)
            try writer.put(row("kept", sequence: 1), in: state.id)
            try writer.put(row("moved", sequence: 2), in: state.id)
            try writer.put(row("gone", sequence: 3), in: state.id)
            try writer.setValue([1], for: "value", in: .metadata)
            state.lastSequence = 3
            try writer.setState(state)
            return state
        }
        let before = try contents(engine, state.id)
        do {
            try engine.write { writer in
                var changed = state
                changed.lastSequence = 9
                try writer.setState(changed)
                try writer.put(row("new", sequence: 4), in: state.id)
                try writer.put(row("moved", sequence: 5), in: state.id)
                try writer.put(row("moved", sequence: 6), in: state.id)
                try writer.setTree(
                    .encoded([1]),
                    replacing: .single(knownAt: nil),
                    at: 1,
                    in: state.id
                )
                _ = try writer.setExpiration(1, of: "kept", in: state.id)
                _ = try writer.remove("gone", in: state.id)
                try writer.setValue([2], for: "value", in: .metadata)
                try writer.setValue([3], for: "more", in: .metadata)
                let otherID = try writer.createCollection(other).id
                try writer.put(row("there", sequence: 1), in: otherID)
                throw Refused()
            }
        } catch is Refused {}
        findings.expect(
            try contents(engine, state.id) == before,
            "A transaction that threw was not rolled back."
        )

        do {
            try engine.write { writer in
                try writer.deleteCollection(state.id)
                throw Refused()
            }
        } catch is Refused {}
        findings.expect(
            try contents(engine, state.id) == before,
            "A collection is not restored when its deletion is rolled back."
        )
    }

    /// Everything that `checkRollback` touches.
    private struct Contents: Equatable {
        var paths: [CollectionPath]
        var state: CollectionState?
        var rows: [DocumentRow]
        var values: [[UInt8]]
    }

    private static func contents(
        _ engine: any StorageEngine,
        _ id: CollectionID
    ) throws -> Contents {
        try engine.read { snapshot in
            Contents(
                paths: try snapshot.collections(),
                state: try snapshot.collection(.default).map { try snapshot.state(of: $0) },
                rows: try snapshot.rows(
                    in: id,
                    after: 0,
                    limit: 99,
                    flags: [],
                    content: .whole
                ),
                values: try snapshot.values(in: .metadata).map(\.value)
            )
        }
    }

    static func checkSnapshot(
        _ engine: any StorageEngine,
        _ findings: inout Findings
    ) throws {
        let id = try engine.write { writer in
            let id = try writer.createCollection(.default).id
            try writer.put(row("first", sequence: 1), in: id)
            return id
        }
        try engine.read { snapshot in
            let before = try snapshot.rows(
                in: id,
                after: 0,
                limit: 9,
                flags: [],
                content: .whole
            )
            try engine.write { writer in
                try writer.put(row("first", sequence: 2), in: id)
                try writer.put(row("second", sequence: 3), in: id)
                findings.expect(
                    try writer.row("second", in: id, content: .summary) != nil,
                    "A transaction does not see its own changes."
                )
            }
            let after = try snapshot.rows(
                in: id,
                after: 0,
                limit: 9,
                flags: [],
                content: .whole
            )
            findings.expect(before == after, "A snapshot saw a later commit.")
            let newer = try engine.read {
                try $0.rows(in: id, after: 0, limit: 9, flags: [], content: .whole)
            }
            findings.expect(
                newer.map(\.sequence) == [2, 3],
                "A new snapshot does not see the last commit."
            )
        }
    }

    static func checkClose(
        _ engine: any StorageEngine,
        _ findings: inout Findings
    ) throws {
        findings.expect(!engine.isReadOnly, "A new engine is read-only.")
        try engine.syncFully()
        try engine.makeDurable()
        try engine.checkIntegrity()
        try engine.file?.checkPages()
        try engine.file?.compact()
        try engine.file?.optimize(isThorough: true)
        try engine.file?.optimize(isThorough: false)
        try engine.file?.requireFile()
        engine.close()
        engine.close()
        findings.expect(
            isClosed { try engine.read { _ = try $0.collections() } }
                && isClosed { try engine.write { _ = try $0.collections() } },
            "A closed engine can still be used."
        )
    }

    private static func isClosed(_ use: () throws -> Void) -> Bool {
        do {
            try use()
            return false
        } catch {
            return (error as? StoreError)?.code == .notOpen
        }
    }
}
