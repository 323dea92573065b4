import DivanRevisions
import DivanSQLite
import DivanTestKit
import Testing

// Budgets that are nearly used up, and a copy in a chosen place, are only possible from inside.
@testable import DivanCBLite

/// Values that are referred to many times cannot make a small file take much time or memory.
@Suite struct SharedValueTests {
    /// A dictionary whose keys are all the same string.
    private func manyKeys(count: Int, keyByteCount: Int) -> [UInt8] {
        var bytes: [UInt8] = [0x4F] + Self.varint(keyByteCount)
        bytes += [UInt8](repeating: 0x78, count: keyByteCount)
        if bytes.count % 2 == 1 { bytes.append(0) }
        let dictionary = bytes.count
        bytes += [0x78 | UInt8(count >> 8), UInt8(count & 0xFF)]
        for _ in 0..<count {
            bytes += Self.pointer(from: bytes.count, to: 0) + [0x30, 0, 0, 0]
        }
        return bytes + Self.root(at: dictionary, behind: bytes.count)
    }

    private static func varint(_ number: Int) -> [UInt8] {
        var (rest, bytes) = (number, [UInt8]())
        while rest > 0x7F {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }

    /// A wide pointer.
    private static func pointer(from place: Int, to target: Int) -> [UInt8] {
        let distance = (place - target) / 2
        return [24, 16, 8, 0].map { UInt8(distance >> $0 & 0xFF) | ($0 == 24 ? 0x80 : 0) }
    }

    /// The end of a container: a short pointer to a wide one to the root.
    private static func root(at target: Int, behind end: Int) -> [UInt8] {
        pointer(from: end, to: target) + [0x80, 2]
    }

    private func json(_ bytes: [UInt8], _ budget: inout TranscriptBudget) throws(RecordDamage) {
        let fleece = Fleece(bytes)
        _ = try FleeceTranscript.json(
            of: try fleece.root(),
            in: fleece,
            keys: SharedKeys(),
            budget: &budget
        )
    }

    @Test func `the comparison of keys that share a long text is limited`() throws {
        let bytes = manyKeys(count: 2_000, keyByteCount: 100_000)
        var budget = TranscriptBudget()
        budget.comparedByteCount = CBLiteLimits.comparedByteCount - 1_000_000
        let error = #expect(throws: RecordDamage.self) { try json(bytes, &budget) }
        #expect(error?.description == "sorting the keys takes too long")
        budget = TranscriptBudget()
        let twice = #expect(throws: RecordDamage.self) {
            try json(manyKeys(count: 2, keyByteCount: 100), &budget)
        }
        #expect(twice?.description == "duplicate key")
    }

    @Test func `all bodies of a document count toward one limit`() throws {
        let bytes: [UInt8] = [0x70, 0x01, 0x41, 0x61, 0x00, 0x01, 0x80, 0x03]
        var budget = TranscriptBudget()
        try json(bytes, &budget)
        #expect(budget.byteCount == #"{"a":1}"#.utf8.count)
        budget.byteCount = CBLiteLimits.recordByteCount - 3
        #expect(throws: RecordDamage.self) { try json(bytes, &budget) }
    }

    /// A record with this many remotes, each with a revision of another generation.
    private func record(remoteCount: Int) throws -> Record {
        var extra: [UInt8] = [0, 0, 0, 0]
        var places: [Int] = []
        for number in 1...remoteCount {
            let digest = "5d1f0a3b7c9e2d4f6a8b0c1d3e5f7a9b"
            let id = try #require(RevisionID("\(number + 1)-\(digest)"))
            var encoded: [UInt8] = []
            id.encode(into: &encoded)
            let data = extra.count
            extra += [0x5F] + Self.varint(encoded.count) + encoded
            if extra.count % 2 == 1 { extra.append(0) }
            places.append(extra.count)
            // {"@": the ID}
            let distance = UInt8((extra.count + 4 - data) / 2)
            extra += [0x70, 0x01, 0x41, 0x40, 0x80, distance]
        }
        let array = extra.count
        extra += [0x68 | UInt8((remoteCount + 1) >> 8), UInt8((remoteCount + 1) & 0xFF)]
        extra += [0x30, 0, 0, 0]
        for place in places { extra += Self.pointer(from: extra.count, to: place) }
        extra += Self.root(at: array, behind: extra.count)
        var version: [UInt8] = []
        try #require(RevisionID("1-5d1f0a3b7c9e2d4f6a8b0c1d3e5f7a9b")).encode(into: &version)
        return Record(
            key: Array("a".utf8),
            sequence: 1,
            flags: 0,
            version: version,
            body: nil,
            extra: extra
        )
    }

    @Test(arguments: [(3, nil), (1_100, "extra: too many remotes with their own history")])
    func `the histories of revisions of many remotes are limited`(
        remoteCount: Int,
        damage: String?
    ) throws {
        let reader = RecordReader(keys: SharedKeys(), owner: .me)
        let document = try reader.document(try record(remoteCount: remoteCount))
        #expect(document.damage?.description == damage)
        #expect(document.current != nil)
    }

    @Test func `a sequence out of range is damage`() throws {
        var record = try record(remoteCount: 1)
        let reader = RecordReader(keys: SharedKeys(), owner: .me)
        record.sequence = CBLiteLimits.sequenceBound - 1
        #expect(try reader.document(record).sequence == UInt64(record.sequence))
        for sequence in [CBLiteLimits.sequenceBound, .max, 0, -1] {
            record.sequence = sequence
            #expect(throws: RecordDamage.self) { try reader.document(record) }
        }
    }

    @Test
    func `a temporary copy is unlinked while it is read, so that a killed process leaves none`()
        throws
    {
        let sample = try Sample("hot-3.2")
        let home = try TemporaryDirectory()
        let copy = try ScratchCopy(of: sample.path, in: home.path)
        let file = try ForeignFile(copy)
        try file.execute("BEGIN")
        #expect(try file.prepare("PRAGMA user_version").step())
        #expect(Files.names(in: home.path).contains { $0.hasPrefix("divan-cblite-") })
        copy.loseNames()
        #expect(!Files.names(in: home.path).contains { $0.hasPrefix("divan-cblite-") })
        let check = try file.prepare("PRAGMA quick_check(1)")
        #expect(try check.step() && check.text(0) == "ok")
        let rows = try file.prepare("SELECT count(*) FROM kv_default")
        #expect(try rows.step() && rows.integer(0) > 0)
    }

    @Test func `a temporary copy that cannot be created is reported with its directory`() throws {
        let sample = try Sample("hot-3.2")
        let nowhere = sample.path + "/nowhere"
        let error = #expect(throws: CBLiteError.self) {
            _ = try ScratchCopy(of: sample.path, in: nowhere)
        }
        #expect(error == .scratch(directory: nowhere, errno: 2))
        #expect(error?.description.contains("TMPDIR") == true)
        #expect(CBLiteBundle.notice(about: sample.path)?.contains("import-cblite") == true)
    }
}
