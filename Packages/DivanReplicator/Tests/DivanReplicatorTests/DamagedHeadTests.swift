import DivanReplicator
import DivanRevisions
import DivanStore
import DivanTestKit
import Foundation
import Testing

/// A document that a failing disk has changed stays where it is, and holds up no other.
@Suite struct DamagedHeadTests {
    private static let count = 60
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    /// A database of which nothing can be read of document 7 but its ID.
    private func damagedSite() throws -> Site {
        let path = folder.path + "/damaged.cblite2"
        let whole = try Store.open(directory: path)
        for number in 0..<Self.count {
            let id = DocumentID(unchecked: "document \(number).")
            _ = try whole.save(id, in: .default, body: Array(#"{"mark":"here"}"#.utf8))
        }
        try whole.close()
        let file = URL(filePath: path + "/db.sqlite3")
        var bytes = try Data(contentsOf: file)
        let id = Data("document 7.".utf8)
        var rest = bytes.startIndex..<bytes.endIndex
        var damageCount = 0
        while let found = bytes.range(of: id, in: rest) {
            rest = found.upperBound..<bytes.endIndex
            // The row, not the entry of the index: the body follows.
            let near = found.upperBound..<min(found.upperBound + 64, bytes.endIndex)
            guard bytes.range(of: Data("mark".utf8), in: near) != nil else { continue }
            bytes[found.upperBound] = 0  // the generation
            damageCount += 1
        }
        #expect(damageCount == 1)
        try bytes.write(to: file)
        return try Site(try Store.open(directory: path))
    }

    @Test func `a push leaves it, tells, and pushes the others`() throws {
        let here = try damagedSite()
        defer { try? here.store.close() }
        let there = try Site()
        var options = Conversation.Options(pulls: false)
        options.limits.changesCount = 5
        for _ in 0..<2 {
            let run = Conversation.oneShot(options, here, there)
            #expect(run.failures.map(\.documentID) == ["document 7."])
            #expect(run.error == nil)
            #expect(try there.contents().count == Self.count - 1)
        }
    }

    @Test func `who pulls gets the others`() throws {
        let there = try damagedSite()
        defer { try? there.store.close() }
        let here = try Site()
        let run = Conversation.oneShot(.init(pushes: false), here, there)
        #expect(run.failures == [])
        #expect(run.error == nil)
        #expect(try here.contents().count == Self.count - 1)
    }
}
