import DivanDatabase
import DivanRevisions
import DivanTestKit
import Foundation
import Synchronization
import Testing

/// Saves of several threads, which may share a transaction.
@Suite(.timeLimit(.minutes(5))) struct SavingTests {
    /// Runs `body` on threads of its own, and waits for all of them.
    private func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
        let group = DispatchGroup()
        for number in 0..<count {
            group.enter()
            Thread {
                body(number)
                group.leave()
            }.start()
        }
        group.wait()
    }

    @Test(arguments: EngineKind.allCases)
    func `each save from several threads is stored and reported once`(_ kind: EngineKind) throws {
        let room = try StoreFixture(kind)
        let (store, notices) = (room.store, Notices())
        let observation = store.observe { notices.add($0) }
        let failures = Mutex<[String]>([])
        let (threads, rounds) = (8, 40)
        onThreads(threads) { thread in
            for round in 0..<rounds {
                let body = Array(#"{"round":\#(round)}"#.utf8)
                do {
                    let outcome = try store.save(
                        DocumentID(unchecked: "doc-\(thread)"),
                        in: .default,
                        body: body
                    )
                    guard case .saved(let document) = outcome, document.body == body,
                        document.revisionID.generation == UInt64(round + 1)
                    else { throw Unexpected(outcome: "\(outcome)") }
                    // Returned means committed: a reader that begins now sees it.
                    let read = try store.read {
                        try $0.document(DocumentID(unchecked: "doc-\(thread)"), in: .default)
                    }
                    guard read == document else { throw Unexpected(outcome: "\(read as Any)") }
                } catch {
                    failures.withLock { $0.append("\(error)") }
                }
            }
        }
        #expect(failures.withLock { $0 } == [])
        let told = notices.take().flatMap(\.changes).map(\.sequence).sorted()
        #expect(told == Array(1...UInt64(threads * rounds)))
        #expect(try room.count() == threads)
        try store.checkIntegrity()
        observation.cancel()
    }

    @Test(arguments: EngineKind.allCases)
    func `a refused save of one thread does not fail the saves of others`(_ kind: EngineKind) throws
    {
        let room = try StoreFixture(kind)
        let store = room.store
        let nowhere = try #require(CollectionPath("nowhere"))
        let refused = Atomic(0)
        let stored = Atomic(0)
        onThreads(6) { thread in
            for round in 0..<30 {
                let isBad = thread.isMultiple(of: 2)
                do {
                    _ = try store.save(
                        DocumentID(unchecked: "doc-\(thread)-\(round)"),
                        in: isBad ? nowhere : .default,
                        body: Array("{}".utf8)
                    )
                    stored.add(1, ordering: .relaxed)
                } catch let error as StoreError where error.code == .noSuchCollection(nowhere) {
                    refused.add(1, ordering: .relaxed)
                } catch {}
            }
        }
        #expect(refused.load(ordering: .relaxed) == 90)
        #expect(stored.load(ordering: .relaxed) == 90)
        #expect(try room.count() == 90)
    }

    @Test(arguments: EngineKind.allCases)
    func `a save inside a transaction joins it`(_ kind: EngineKind) throws {
        let room = try StoreFixture(kind)
        let store = room.store
        let code = try refusal {
            try store.write { _ in
                _ = try store.save("doc", in: .default, body: Array("{}".utf8))
                #expect(try store.read { try $0.count(in: .default) } == 1)
                throw StoreError(.readOnly)
            }
        }
        #expect(code == .readOnly)
        #expect(try room.count() == 0)
    }

    @Test func `a conflict and a repeated save change nothing`() throws {
        let room = try StoreFixture(.memory)
        let notices = Notices()
        let observation = room.store.observe { notices.add($0) }
        let body = Array(#"{"n":1}"#.utf8)
        let first = try room.store.save("doc", in: .default, body: body)
        #expect(
            try room.store.save(
                LocalRevision("doc", body: body, over: .revision(nil)),
                in: .default
            )
                == .conflict(room.document("doc"))
        )
        #expect(notices.take().count == 1)
        #expect(first == .saved(try #require(try room.document("doc"))))
        observation.cancel()
    }

    @Test(arguments: EngineKind.onDisk)
    func `saving in a closed store fails`(_ kind: EngineKind) throws {
        let room = try StoreFixture(kind)
        try room.store.close()
        let code = try refusal {
            _ = try room.store.save("doc", in: .default, body: Array("{}".utf8))
        }
        #expect(code == .notOpen)
    }
}
