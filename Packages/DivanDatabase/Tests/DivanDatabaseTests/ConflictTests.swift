import DivanDatabase
import DivanRevisions
import DivanTestKit
import Testing

/// Conflicts on disk and how they end (`revisions.md` §8).
@Suite struct ConflictTests {
    private let remote = RemoteID(rawValue: 1)

    /// A document whose base came from a remote, edited on both sides.
    private func conflicted(
        _ kind: EngineKind,
        localIsTombstone: Bool = false,
        remoteIsTombstone: Bool = false
    ) throws -> (room: StoreFixture, conflict: StoredConflict) {
        let room = try StoreFixture(kind)
        try room.insert("doc", "1-aa", body: #"{"n":1}"#)
        try room.save("doc", localIsTombstone ? "{}" : #"{"n":2}"#, isTombstone: localIsTombstone)
        try room.insert(
            "doc",
            "2-ff",
            history: ["1-aa"],
            body: remoteIsTombstone ? "{}" : #"{"n":3}"#,
            isTombstone: remoteIsTombstone
        )
        let conflict = try room.store.read { try $0.conflict(of: "doc", in: .default) }
        return (room, try #require(conflict))
    }

    @Test(arguments: EngineKind.allCases)
    func `a conflict ends when the remote accepts the local revision`(_ kind: EngineKind) throws {
        let (room, conflict) = try conflicted(kind)
        try room.store.write { writer in
            try writer.markKnown("doc", conflict.local.revisionID, at: remote, in: .default)
        }
        #expect(try room.store.read { try $0.conflicts(in: .default) } == [])
        #expect(try resolve(room, conflict, .keepRemote) == nil)
        let document = try room.store.read { try $0.document("doc", in: .default) }
        #expect(document?.revisionID == conflict.local.revisionID)
        #expect(document?.body == conflict.local.body)
    }

    @Test(arguments: EngineKind.allCases)
    func `a conflict ends when both sides have deleted the document`(_ kind: EngineKind) throws {
        let (room, conflict) = try conflicted(kind, remoteIsTombstone: true)
        try room.save("doc", "{}", isTombstone: true)
        #expect(try room.store.read { try $0.conflicts(in: .default) } == [])
        let stays = try room.store.read {
            try $0.document("doc", in: .default, includingTombstones: true)
        }
        #expect(stays?.isTombstone == true && stays?.revisionID == conflict.remote.revisionID)
    }

    @Test(arguments: EngineKind.allCases)
    func `starting to serve a database resolves only conflicts between deletions`(
        _ kind: EngineKind
    ) throws {
        let (room, _) = try conflicted(kind, localIsTombstone: true, remoteIsTombstone: true)
        try room.insert("live", "1-aa", body: #"{"n":1}"#)
        try room.save("live", #"{"n":2}"#)
        try room.insert("live", "2-ff", history: ["1-aa"], body: #"{"n":3}"#)
        #expect(try room.store.read { try $0.conflicts(in: .default) }.count == 2)
        try room.store.closeDeletions()
        #expect(try room.store.read { try $0.conflicts(in: .default) } == ["live"])
        let last = try room.store.read { try $0.lastSequence(in: .default) }
        try room.store.closeDeletions()
        #expect(try room.store.read { try $0.lastSequence(in: .default) } == last)
    }

    private func resolve(
        _ room: StoreFixture,
        _ conflict: StoredConflict,
        _ decision: ConflictDecision
    ) throws -> StoredDocument? {
        try room.store.write { writer in
            try writer.resolveConflict(
                "doc",
                in: .default,
                local: conflict.local.revisionID,
                remote: conflict.remote.revisionID,
                decision: decision
            )
        }
    }

    @Test func `a merged body must not have reserved keys, but may keep an empty key`() throws {
        let (room, conflict) = try conflicted(.memory)
        for key in BodyRules.reservedKeys {
            let code = try refusal {
                let body = Array(#"{"\#(key)":1,"n":4}"#.utf8)
                _ = try resolve(room, conflict, .merge(body: body, hasBlobs: false))
            }
            #expect(code == .forbiddenKey(documentID: "doc", key: key))
        }
        let body = Array(#"{"":1,"n":4}"#.utf8)
        let merged = try resolve(room, conflict, .merge(body: body, hasBlobs: false))
        #expect(merged?.body == body)
    }

    @Test(arguments: EngineKind.allCases)
    func `a resolver sees both leaves and their common ancestor`(_ kind: EngineKind) throws {
        let (room, conflict) = try conflicted(kind)
        #expect(conflict.local.body == Array(#"{"n":2}"#.utf8))
        #expect(conflict.remote.body == Array(#"{"n":3}"#.utf8))
        #expect(conflict.remote.revisionID.description == "2-ff")
        #expect(conflict.base?.body == Array(#"{"n":1}"#.utf8))
        #expect(try room.store.read { try $0.conflict(of: "none", in: .default) } == nil)
    }

    @Test(arguments: EngineKind.allCases)
    func `keeping the remote side keeps its revision and assigns a new sequence`(
        _ kind: EngineKind
    ) throws {
        let (room, conflict) = try conflicted(kind)
        let document = try #require(try resolve(room, conflict, .keepRemote))
        #expect(document.revisionID == conflict.remote.revisionID)
        #expect(document.text == #"{"n":3}"# && document.sequence == 4)
        #expect(try room.store.read { try $0.conflicts(in: .default) } == [])
    }

    @Test(arguments: EngineKind.allCases)
    func `keeping the local side creates a child of the remote revision`(_ kind: EngineKind) throws
    {
        let (room, conflict) = try conflicted(kind)
        let document = try #require(try resolve(room, conflict, .keepLocal))
        #expect(document.text == #"{"n":2}"# && document.revisionID.generation == 3)
        let history = try room.store.read { reader in
            try reader.history(
                of: "doc",
                document.revisionID,
                in: .default,
                limit: 9,
                known: [conflict.remote.revisionID]
            )
        }
        #expect(history == [conflict.remote.revisionID])
    }

    @Test(arguments: EngineKind.allCases)
    func `a merge and a deletion continue the remote branch`(_ kind: EngineKind) throws {
        let body = Array(#"{"n":"both"}"#.utf8)
        let (room, conflict) = try conflicted(kind)
        let merged = try resolve(room, conflict, .merge(body: body, hasBlobs: false))
        #expect(merged?.body == body && merged?.revisionID.generation == 3)

        let (other, otherConflict) = try conflicted(kind)
        let deleted = try #require(try resolve(other, otherConflict, .delete))
        #expect(deleted.isTombstone && deleted.revisionID.generation == 3)
        #expect(try other.count() == 0)
    }

    @Test(arguments: EngineKind.allCases)
    func `a remote deletion conflicts with a local edit`(_ kind: EngineKind) throws {
        let (room, conflict) = try conflicted(kind, remoteIsTombstone: true)
        #expect(conflict.remote.isTombstone && !conflict.local.isTombstone)
        let kept = try #require(try resolve(room, conflict, .keepLocal))
        #expect(kept.text == #"{"n":2}"# && !kept.isTombstone)
        #expect(try room.count() == 1)
    }

    @Test(arguments: EngineKind.allCases)
    func `a conflict between two tombstones resolves to the remote one`(_ kind: EngineKind) throws {
        let (room, conflict) = try conflicted(
            kind,
            localIsTombstone: true,
            remoteIsTombstone: true
        )
        let document = try resolve(room, conflict, .delete)
        #expect(document?.revisionID == conflict.remote.revisionID)
        #expect(try room.count() == 0)
    }

    @Test(arguments: EngineKind.allCases)
    func `resolving a conflict with outdated leaves changes nothing`(_ kind: EngineKind) throws {
        let (room, conflict) = try conflicted(kind)
        let edited = try room.save("doc", #"{"n":4}"#)
        #expect(try resolve(room, conflict, .keepRemote) == nil)
        #expect(try room.document("doc")?.revisionID == edited.revisionID)

        try room.store.write { _ = try $0.purge("doc", in: .default) }
        let code = try refusal { _ = try resolve(room, conflict, .keepRemote) }
        #expect(code == .notFound(documentID: "doc"))
    }

    @Test(arguments: EngineKind.allCases)
    func `an unresolved conflict remains after the next edit`(_ kind: EngineKind) throws {
        let (room, _) = try conflicted(kind)
        let edited = try room.save("doc", #"{"n":4}"#)
        #expect(edited.flags.contains(.conflicted) && edited.text == #"{"n":4}"#)
        let conflict = try room.store.read { try $0.conflict(of: "doc", in: .default) }
        #expect(conflict?.local.revisionID == edited.revisionID)
        #expect(conflict?.remote.revisionID.description == "2-ff")
    }
}
