import DivanMesh
import DivanTestKit
import Testing

/// What travels between peers: announcements in TXT records, and gossip messages.
@Suite struct MessageTests {
    // MARK: Counter

    @Test(
        arguments: [
            (1, 0, true), (0, 1, false), (5, 5, false), (0, .max, true), (.max, 0, false),
            (0x8000_0000, 1, true), (1, 0x8000_0001, false),
        ] as [(UInt32, UInt32, Bool)]
    )
    func `a counter is newer than those in the half before it`(a: UInt32, b: UInt32, isNewer: Bool)
    {
        let (one, other) = (MeshCounter(rawValue: a), MeshCounter(rawValue: b))
        #expect(one.isNewer(than: other) == isNewer)
        #expect(one.next.isNewer(than: one))
    }

    // MARK: Announcements

    private static let announcement = MeshAnnouncement(
        peer: MeshPeerID(1),
        counter: MeshCounter(rawValue: 1_800_000_000),
        scheme: 4,
        neighbours: (2..<10).map { MeshPeerID($0).prefix }
    )

    private static func strings(_ changed: [String: String?]) -> [[UInt8]] {
        announcement.textStrings.compactMap { string in
            let key = String(decoding: string.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self)
            guard let value = changed[key] else { return string }
            return value.map { Array("\(key)=\($0)".utf8) }
        }
    }

    @Test(arguments: [0, 1, 9, 10], [false, true])
    func `an announcement is read back from its TXT record`(
        count: Int,
        isPartial: Bool
    ) throws {
        var announcement = Self.announcement
        announcement.isPartial = isPartial
        announcement.neighbours = MeshPeerID.random(count, seed: 3).map(\.prefix)
        let strings = announcement.textStrings
        #expect(try MeshAnnouncement(textStrings: strings) == announcement)
        #expect(strings.allSatisfy { $0.count <= 255 })
        #expect(strings.reduce(0) { $0 + $1.count + 1 } <= 250)
    }

    @Test func `unknown keys, order and case do not matter, and the first of equal keys counts`()
        throws
    {
        let strings = Self.announcement.textStrings
        let noise = ["color=red", "empty", "=x", "ID=AAAA"].map { Array($0.utf8) }
        let upper = Array("S=1800000000".utf8)
        let mixed = strings.filter { !$0.starts(with: "s=".utf8) }.reversed() + noise + [upper]
        #expect(try MeshAnnouncement(textStrings: Array(mixed)) == Self.announcement)
    }

    @Test(arguments: ["2", "", "01", "1 ", nil])
    func `a service of another version is not a peer`(version: String?) {
        #expect(throws: MeshError.unsupportedVersion) {
            try MeshAnnouncement(textStrings: Self.strings(["v": version]))
        }
    }

    @Test(
        arguments: [
            ("id", "AAAA"), ("id", nil), ("id", String(repeating: "+", count: 43)),
            ("id", String(repeating: "A", count: 42) + "="),
            ("s", ""), ("s", "-1"), ("s", "4294967296"), ("s", "007"), ("s", "1x"), ("s", nil),
            ("r", "256"), ("r", "٣"), ("r", nil),
            ("nb", "A"), ("nb", "AAAAAAA"), ("nb", "AAAA"),
            ("nb", String(repeating: "A", count: 216)), ("nb", "AAAA AAA"),
        ] as [(String, String?)]
    )
    func `the error for an invalid value states its key`(key: String, value: String?) {
        #expect(throws: MeshError.invalidValue(key: key)) {
            try MeshAnnouncement(textStrings: Self.strings([key: value]))
        }
    }

    @Test func `the longest announcement fits into a TXT record`() throws {
        var announcement = Self.announcement
        announcement.neighbours = MeshPeerID.random(30, seed: 4).map(\.prefix)
        announcement = MeshAnnouncement(
            peer: announcement.peer,
            counter: announcement.counter,
            scheme: announcement.scheme,
            neighbours: announcement.neighbours,
            isPartial: true
        )
        #expect(announcement.neighbours.count == MeshLimits.neighbourCount)
        #expect(announcement.textStrings.allSatisfy { $0.count <= 255 })
        #expect(try MeshAnnouncement(textStrings: announcement.textStrings) == announcement)
    }

    @Test(arguments: ["0", "2", "", "x", "1x"])
    func `a peer is partial only if its record says so`(value: String) throws {
        let strings = Self.strings([:]) + [Array("p=\(value)".utf8)]
        #expect(try !MeshAnnouncement(textStrings: strings).isPartial)
    }

    @Test func `a TXT record beyond one packet is refused`() {
        let noise = (0..<6).map { _ in [UInt8](repeating: 120, count: 240) }
        #expect(throws: MeshError.self) {
            try MeshAnnouncement(textStrings: Self.announcement.textStrings + noise)
        }
    }

    @Test(arguments: UInt64(0)..<100)
    func `random TXT strings are read safely`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var strings = Self.announcement.textStrings
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
            let index = Int.random(in: strings.indices, using: &generator)
            guard !strings[index].isEmpty else { continue }
            let place = Int.random(in: strings[index].indices, using: &generator)
            strings[index][place] = UInt8.random(in: 0...255, using: &generator)
        }
        guard let read = try? MeshAnnouncement(textStrings: strings) else { return }
        #expect(read.neighbours.count <= MeshLimits.neighbourCount, "seed \(seed)")
        #expect(try! MeshAnnouncement(textStrings: read.textStrings) == read, "seed \(seed)")
    }
}

/// Gossip messages, also invalid ones.
@Suite struct GossipMessageTests {
    private static let sender = MeshPeerID(1)

    static func record(
        _ number: UInt64,
        neighbours: Int = 5,
        addresses: [String] = ["10.0.0.7:4984"]
    ) -> GossipMessage.Record {
        let announcement = MeshAnnouncement(
            peer: MeshPeerID(number),
            counter: MeshCounter(rawValue: UInt32(number) + 100),
            scheme: 4,
            neighbours: (0..<neighbours).map { MeshPeerID(number + UInt64($0) + 1).prefix }
        )
        let addresses = addresses.compactMap { try? MeshAddress($0) }
        return GossipMessage.Record(announcement, addresses: addresses, age: UInt16(number % 600))
    }

    private static func message(records: Int) -> GossipMessage {
        var message = GossipMessage(
            from: record(1),
            interest: .essential,
            number: MeshCounter(rawValue: 7)
        )
        for number in 0..<(records - 1) {
            var record = record(UInt64(number) + 2)
            record.announcement.isPartial = number % 4 == 0
            record.condition = number % 3 == 0 ? .left : number % 3 == 1 ? .unanswered : .running
            guard message.append(record) else { break }
        }
        return message
    }

    @Test(arguments: [1, 2, 30])
    func `a message round-trips`(count: Int) throws {
        let message = Self.message(records: count)
        #expect(message.records.count == count)
        #expect(message.bytes.count == message.byteCount)
        #expect(try GossipMessage(reading: message.bytes, from: Self.sender) == message)
    }

    @Test func `a message has a limited number of records and bytes`() throws {
        var many = GossipMessage(from: Self.record(1), number: MeshCounter(rawValue: 0))
        var large = many
        let address = String(repeating: "a", count: 250) + ":1"
        for number in UInt64(2)..<200 {
            _ = many.append(Self.record(number, neighbours: 1))
            _ = large.append(Self.record(number, neighbours: 10, addresses: [address, "b:1"]))
        }
        #expect(many.records.count == MeshLimits.recordCount)
        #expect(large.byteCount <= MeshLimits.messageByteCount)
        #expect(large.byteCount > MeshLimits.messageByteCount - 400)
        for message in [many, large] {
            #expect(try GossipMessage(reading: message.bytes, from: Self.sender) == message)
        }
    }

    @Test func `lists are truncated to their limit when they are written`() {
        let record = Self.record(1, neighbours: 30, addresses: (1...9).map { "host:\($0)" })
        #expect(record.announcement.neighbours.count == MeshLimits.neighbourCount)
        #expect(record.addresses.count == MeshLimits.addressCount)
    }

    @Test func `every prefix of a message is recognized as truncated`() {
        let bytes = Self.message(records: 3).bytes
        for count in bytes.indices {
            #expect(throws: MeshError.self) {
                try GossipMessage(reading: Array(bytes[..<count]), from: Self.sender)
            }
        }
    }

    @Test func `bytes after the last record are refused`() {
        let bytes = Self.message(records: 2).bytes + [0, 0]
        #expect(throws: MeshError.trailingBytes(byteCount: 2)) {
            try GossipMessage(reading: bytes, from: Self.sender)
        }
    }

    @Test func `a message that does not begin with its sender is refused`() {
        let bytes = Self.message(records: 2).bytes
        #expect(throws: MeshError.foreignRecord) {
            try GossipMessage(reading: bytes, from: MeshPeerID(2))
        }
        #expect(throws: MeshError.foreignRecord) {
            try GossipMessage(reading: [1, 0, 0, 0, 0, 0, 0], from: Self.sender)
        }
    }

    /// The offsets are those of the layout in `GossipMessage`.
    @Test(
        arguments: [
            (0, 2, .unsupportedVersion), (6, 65, .tooMany("records", count: 65, limit: 64)),
            (47, 27, .tooMany("neighbours", count: 27, limit: 26)),
            (78, 5, .tooMany("addresses", count: 5, limit: 4)),
        ] as [(Int, UInt8, MeshError)]
    )
    func `a count beyond its limit is refused before anything is read`(
        offset: Int,
        byte: UInt8,
        error: MeshError
    ) {
        var bytes = Self.message(records: 1).bytes
        bytes[offset] = byte
        #expect(throws: error) { try GossipMessage(reading: bytes, from: Self.sender) }
    }

    @Test func `an enormous message is refused without reading it`() {
        let bytes = [UInt8](repeating: 1, count: 1 << 20)
        #expect(throws: MeshError.tooLong(byteCount: 1 << 20, limit: 8 << 10)) {
            try GossipMessage(reading: bytes, from: Self.sender)
        }
    }

    @Test func `undefined flags are ignored`() throws {
        var bytes = Self.message(records: 1).bytes
        bytes[1] |= 0xF0
        bytes[7] |= 0xF8
        #expect(
            try GossipMessage(reading: bytes, from: Self.sender) == Self.message(records: 1)
        )
    }

    @Test(arguments: UInt64(0)..<200)
    func `damaged and random messages are read safely`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var bytes = Self.message(records: Int.random(in: 1...20, using: &generator)).bytes
        switch seed % 3 {
        case 0:
            bytes = .random(count: Int.random(in: 0...9_000, using: &generator), using: &generator)
            if !bytes.isEmpty { bytes[0] = 1 }
        case 1:
            for _ in 0..<Int.random(in: 1...8, using: &generator) {
                bytes[Int.random(in: bytes.indices, using: &generator)] = .random(
                    in: 0...255,
                    using: &generator
                )
            }
        default:
            let start = Int.random(in: bytes.indices, using: &generator)
            bytes.removeSubrange(start..<min(start + 9, bytes.count))
        }
        guard let read = try? GossipMessage(reading: bytes, from: Self.sender) else { return }
        #expect(read.records.count <= MeshLimits.recordCount, "seed \(seed)")
        #expect(read.byteCount <= MeshLimits.messageByteCount, "seed \(seed)")
        #expect(
            try GossipMessage(reading: read.bytes, from: Self.sender) == read,
            "seed \(seed)"
        )
    }
}
