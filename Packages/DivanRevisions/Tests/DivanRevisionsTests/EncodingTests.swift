import DivanRevisions
import DivanTestKit
import Testing

@Suite struct EncodingTests {
    @Test(arguments: UInt64(0)..<200)
    func `an encoded tree round-trips`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let tree = try RevisionTree.arbitrary(using: &generator)
        let again = try tree.reloaded()
        #expect(again == tree, "seed \(seed)")
        #expect(again.encoded() == tree.encoded(), "seed \(seed)")
    }

    @Test func `a document with one revision takes a few bytes`() throws {
        var tree = RevisionTree()
        let only = try tree.save("a")
        #expect(tree.encoded() == [1, 1, 0, 0, 0, 0])
        tree.markLatest(only, at: remote)
        #expect(tree.encoded() == [1, 1, 0, 4, 0, 1, 1, 0])
    }

    /// It includes the bodies of revisions that are not current, but not that of the current one.
    @Test func `the encoding contains the bodies of revisions that are not current`() throws {
        var tree = RevisionTree()
        try tree.receive("1-aa")
        try tree.save("mine")
        let text = String(decoding: tree.encoded(), as: UTF8.self)
        #expect(text.contains("1-aa"))
        #expect(!text.contains("mine"))
    }

    @Test(arguments: UInt64(0)..<300)
    func `a damaged encoding gives a valid tree or an error`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let tree = try RevisionTree.arbitrary(using: &generator)
        let current = try #require(tree.current)
        var bytes = tree.encoded()
        for _ in 0..<10 {
            let offset = Int.random(in: bytes.indices, using: &generator)
            bytes[offset] = .random(in: 0...255, using: &generator)
            for text in [bytes, Array(bytes.prefix(offset))] {
                guard
                    var found = try? RevisionTree(
                        decoding: text.span,
                        currentID: current.id,
                        currentSequence: 1,
                        currentBody: []
                    )
                else { continue }
                #expect(found.current?.id == current.id, "seed \(seed)")
                #expect(try found.reloaded() == found, "seed \(seed)")
                try found.save("goes on")
            }
        }
    }

    @Test(arguments: UInt64(0)..<100)
    func `random bytes never trap`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for count in 0..<64 {
            var bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            if count > 0 { bytes[0] = 1 }
            if count > 1 { bytes[1] &= 3 }
            _ = try? RevisionTree(
                decoding: bytes.span,
                currentID: try id("1-aa"),
                currentSequence: 1,
                currentBody: nil
            )
        }
    }

    @Test func `reports what is wrong with a stored tree`() throws {
        let current = try id("1-aa")
        func decode(_ bytes: [UInt8]) throws -> RevisionTree {
            try RevisionTree(
                decoding: bytes.span,
                currentID: current,
                currentSequence: 1,
                currentBody: nil
            )
        }
        #expect(throws: RevisionError.unknownEncoding(version: 9)) { try decode([9]) }
        #expect(throws: RevisionError.damagedEncoding(offset: 0)) { try decode([]) }
        #expect(throws: RevisionError.damagedEncoding(offset: 6)) {
            try decode([1, 1, 0, 0, 0, 0, 0])
        }
        #expect(throws: RevisionError.damagedEncoding(offset: 5)) { try decode([1, 1, 0, 64, 0]) }
        let error = RevisionError.damagedEncoding(offset: 5)
        #expect("\(error)".contains("damaged at byte 5; purge the document"))
    }

    /// From a crafted file: the history of such a tree counted generations down from 0.
    @Test func `a stored tree cannot contain versions`() throws {
        let version = try #require(Version("18e9af6948281234@KjVAS1ZhbHeCjZijrrnEzw"))
        func decode(_ bytes: [UInt8], current: RevisionID) throws -> [RevisionID] {
            let tree = try RevisionTree(
                decoding: bytes.span,
                currentID: current,
                currentSequence: 2,
                currentBody: nil
            )
            return tree.history(of: RevisionID(version), random: FixedRandom())
        }
        let name = RevisionID(version).encoded
        let parent = try id("3-aa").encoded
        // The version is current, and has a parent.
        var bytes: [UInt8] = [1, 2, 0, 0, 1, 0, 0]
        bytes.append(UInt8(parent.count))
        bytes += parent
        bytes += [1, 0]
        #expect(throws: RevisionError.self) { try decode(bytes, current: RevisionID(version)) }
        // It ends a closed branch next to the current one.
        var beside: [UInt8] = [1, 3, 2, 0x11, 1]
        beside.append(UInt8(name.count))
        beside += name
        beside += [1, 0, 0]
        beside.append(UInt8(parent.count))
        beside += parent
        beside += [1, 0, 0, 0]
        #expect(throws: RevisionError.self) { try decode(beside, current: try id("2-bb")) }
    }

    /// The example of the README.
    @Test func `saves, pulls and resolves a conflict`() throws {
        var tree = RevisionTree()
        let body = Array(#"{"stars":5}"#.utf8)
        let mine = try RevisionID.digesting(
            parent: tree.current?.id,
            isTombstone: false,
            canonicalBody: body.span
        )
        try tree.insertLocal(mine, parent: tree.current?.id, body: body)

        guard let theirs = RevisionID("1-abcd") else { return }
        let outcome = try tree.insertRemote(
            theirs,
            history: [],
            body: Array("{}".utf8),
            remote: RemoteID(rawValue: 1),
            refusesConflicts: false
        )
        #expect(outcome == .inserted(isConflict: true))
        try tree.resolve(local: mine, remote: theirs, as: .keepLocal)

        #expect(tree.current?.body == body)
    }
}
