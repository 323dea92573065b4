import DivanDatabase
import DivanRevisions
import DivanTestKit
import Foundation
import Synchronization
import Testing

/// Readers during writes: every snapshot is a single committed state, and none goes back.
///
/// The thread sanitizer runs this suite too (`make sanitize`).
@Suite(.timeLimit(.minutes(5))) struct ConcurrencyTests {
    private static let accounts = 6
    private static let total = 600

    /// Problems found by threads.
    private final class Findings: Sendable {
        private let texts = Mutex<[String]>([])
        var all: [String] { texts.withLock { $0 } }
        func add(_ text: String) { texts.withLock { $0.append(text) } }
        func expect(_ isRight: Bool, _ text: @autoclosure () -> String) {
            if !isRight { add(text()) }
        }
        func collect(_ body: () throws -> Void) {
            do { try body() } catch { add("\(error)") }
        }
    }

    /// What a thread does while another one is inside a write that opens the same database.
    enum Waiting: CaseIterable {
        case closing
        case syncing
        case sealing
    }

    @Test(arguments: Waiting.allCases)
    func `opening a database inside a write does not deadlock with a waiting thread`(
        _ waiting: Waiting
    ) throws {
        let home = try TemporaryDirectory()
        let directory = home.file("a.cblite2")
        let store = try Store.open(directory: directory)
        let (inside, outside) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let ended = DispatchSemaphore(value: 0)
        let findings = Findings()
        Thread.detachNewThread {
            findings.collect {
                try store.write { _ in
                    inside.signal()
                    outside.wait()
                    // The other thread has started; it must not hold a lock that this one needs.
                    letOthersRun()
                    try Store.open(directory: directory).close()
                }
            }
            ended.signal()
        }
        Thread.detachNewThread {
            inside.wait()
            outside.signal()
            switch waiting {
            case .closing: try? store.close()
            case .syncing:
                try? Store.open(directory: directory, options: StoreOptions(fullSync: true)).close()
            case .sealing: try? store.changeSealing(to: nil)
            }
            ended.signal()
        }
        for _ in 0..<2 {
            try #require(ended.wait(timeout: .now() + 20) == .success, "they wait for each other")
        }
        #expect(findings.all == [])
        try? store.close()
    }

    @Test(arguments: EngineKind.allCases)
    func `readers never see a partial transaction`(_ kind: EngineKind) throws {
        let room = try StoreFixture(kind)
        let (store, findings, notices) = (room.store, Findings(), Notices())
        for number in 0..<Self.accounts {
            try room.save(
                DocumentID(unchecked: "account-\(number)"),
                Self.body(Self.total / Self.accounts)
            )
        }
        let observation = store.observe { notices.add($0) }
        let writers = DispatchGroup()
        let everybody = DispatchGroup()
        let isDone = Atomic(false)
        for number in 0..<3 {
            start([writers, everybody]) {
                findings.collect { try Self.transfer(store, seed: UInt64(number)) }
            }
        }
        start([writers, everybody]) {
            findings.collect { try Self.saveBlobs(store, findings) }
        }
        for _ in 0..<3 {
            start([everybody]) {
                findings.collect { try Self.watch(store, until: isDone, findings) }
            }
        }
        start([everybody]) {
            findings.collect {
                for _ in 0..<3 { try store.compact() }
                try store.checkIntegrity()
            }
        }
        writers.wait()
        isDone.store(true, ordering: .releasing)
        everybody.wait()
        #expect(findings.all == [])
        #expect(try Self.sum(store) == Self.total)
        try store.checkIntegrity()
        #expect(!notices.take().isEmpty)
        observation.cancel()
    }

    private func start(_ groups: [DispatchGroup], _ body: @escaping @Sendable () -> Void) {
        for group in groups { group.enter() }
        Thread {
            body()
            for group in groups { group.leave() }
        }.start()
    }

    private static func body(_ amount: Int) -> String { #"{"amount":\#(amount)}"# }

    private static func amount(_ document: StoredDocument?) throws -> Int {
        guard let text = document?.text,
            let amount = Int(text.filter { "-0123456789".contains($0) })
        else { throw Unexpected(outcome: "an account is gone") }
        return amount
    }

    private static func account(_ number: Int) -> DocumentID {
        DocumentID(unchecked: "account-\(number)")
    }

    /// Moves amounts between two accounts, and rolls some of the moves back.
    private static func transfer(_ store: Store, seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for round in 0..<60 {
            let from = account(Int.random(in: 0..<accounts, using: &generator))
            let to = account(Int.random(in: 0..<accounts, using: &generator))
            do {
                try store.write { writer in
                    guard from != to else { return }
                    for (id, change) in [(from, -7), (to, 7)] {
                        let old = try amount(writer.document(id, in: .default))
                        let body = Array(body(old + change).utf8)
                        _ = try writer.save(id, in: .default, body: body)
                        if round % 5 == 4 { throw Unexpected(outcome: "changed my mind") }
                    }
                }
            } catch is Unexpected where round % 5 == 4 {}
        }
    }

    private static func saveBlobs(_ store: Store, _ findings: Findings) throws {
        for round in 0..<30 {
            let content = [UInt8](repeating: UInt8(round), count: 2_000 + round)
            let digest = BlobDigest(hashing: content.span)
            let hold = store.blobs.hold(digest)
            _ = try store.blobs.write(content)
            let body = #"{"file":{"@type":"blob","digest":"\#(digest)"}}"#
            let revision = LocalRevision("file", body: Array(body.utf8), hasBlobs: true)
            _ = try store.save(revision, in: .default)
            findings.expect(try store.blobs.read(digest) == content, "blob \(round) is not there")
            withExtendedLifetime(hold) {}
        }
    }

    private static func sum(_ store: Store) throws -> Int {
        try store.read { reader in
            try (0..<accounts).reduce(0) { sum, number in
                sum
                    + (try amount(
                        reader.document(DocumentID(unchecked: "account-\(number)"), in: .default)
                    ))
            }
        }
    }

    private static func watch(
        _ store: Store,
        until isDone: borrowing Atomic<Bool>,
        _ findings: Findings
    ) throws {
        var last: UInt64 = 0
        while !isDone.load(ordering: .acquiring) {
            let sum = try sum(store)
            findings.expect(sum == total, "a reader saw \(sum)")
            let now = try store.read { try $0.lastSequence(in: .default) }
            findings.expect(now >= last, "sequence \(now) after \(last)")
            last = now
        }
    }
}
