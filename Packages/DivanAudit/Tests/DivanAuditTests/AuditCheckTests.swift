import DivanAudit
import DivanTestKit
import Testing

/// Every small change of a log is found, with a key and without.
@Suite struct AuditCheckTests {
    private let fixture: AuditFixture

    init() throws {
        fixture = try AuditFixture()
    }

    private static let keys = [nil, AuditFixture.key]

    /// The lines of the small log.
    private func lines(_ key: AuditKey?) throws -> [[UInt8]] {
        try fixture.writeSmallLog(key)
        return try fixture.bytes().lines
    }

    @Test(arguments: AuditCheckTests.keys.indices)
    func `an unchanged log is intact whatever the pieces`(index: Int) throws {
        let key = Self.keys[index]
        let position = try fixture.writeSmallLog(key)
        let bytes = try fixture.bytes()
        #expect(bytes.lines.count == 5 && position.number == 5)
        for cut in 0...bytes.count {
            let pieces = [Array(bytes[..<cut]), Array(bytes[cut...])]
            let finding = AuditFixture.finding(in: pieces, key, head: position.code)
            #expect(finding == nil, "cut at \(cut)")
        }
        #expect(AuditFixture.finding(in: bytes.map { [$0] }, key) == nil)
        var check = AuditCheck(key: key)
        try check.check(fixture.path)
        #expect(check.lineCount == 5 && check.position == position)
        #expect(check.times?.last == "2001-09-09T01:46:40.000Z")
        #expect(check.continuedCode == nil)
    }

    @Test(arguments: AuditCheckTests.keys.indices)
    func `every changed byte is found in its line`(index: Int) throws {
        let key = Self.keys[index]
        let lines = try lines(key)
        let bytes = lines.flatMap(\.self)
        var line = 1
        for offset in bytes.indices {
            for change: UInt8 in [0x01, 0x20, 0x80, bytes[offset]] {
                var changed = bytes
                changed[offset] ^= change
                guard change != 0 else { continue }
                let finding = AuditFixture.finding(in: changed, key)
                #expect(finding?.line == line, "byte \(offset) ^ \(change): \(finding as Any)")
            }
            if bytes[offset] == UInt8(ascii: "\n") { line += 1 }
        }
    }

    @Test(arguments: AuditCheckTests.keys.indices)
    func `each removed line is found, the last ones by the head`(index: Int) throws {
        let key = Self.keys[index]
        let lines = try lines(key)
        let head = try #require(AuditCode(Self.code(of: lines[4])))
        for removed in lines.indices {
            var rest = lines
            rest.remove(at: removed)
            let bytes = rest.flatMap(\.self)
            let finding = AuditFixture.finding(in: bytes, key, head: head)
            let isLast = removed == 4
            #expect(finding?.line == (isLast ? 0 : removed + 1), "line \(removed + 1)")
            if isLast { #expect(finding?.reason == .missingEnd(head)) }
            #expect((AuditFixture.finding(in: bytes, key) == nil) == isLast)
        }
        #expect(AuditFixture.finding(in: [UInt8](), key)?.reason == .empty)
    }

    @Test(arguments: AuditCheckTests.keys.indices)
    func `each pair of swapped lines is found at the first of them`(index: Int) throws {
        let key = Self.keys[index]
        let lines = try lines(key)
        for first in lines.indices {
            for second in lines.indices where second > first {
                var swapped = lines
                swapped.swapAt(first, second)
                let finding = AuditFixture.finding(in: swapped.flatMap(\.self), key)
                #expect(finding?.line == first + 1, "\(first + 1) and \(second + 1)")
            }
        }
    }

    @Test(arguments: AuditCheckTests.keys.indices)
    func `each repeated line is found where it was inserted`(index: Int) throws {
        let key = Self.keys[index]
        let lines = try lines(key)
        for inserted in lines.indices {
            for place in 0...lines.count {
                var more = lines
                more.insert(lines[inserted], at: place)
                // A copy beside its original takes the original's place.
                let isBeside = place == inserted || place == inserted + 1
                let line = isBeside ? inserted + 2 : place + 1
                let finding = AuditFixture.finding(in: more.flatMap(\.self), key)
                #expect(finding?.line == line, "line \(inserted + 1) at \(place)")
            }
        }
    }

    @Test(arguments: AuditCheckTests.keys.indices)
    func `a last line that is cut at any byte is found`(index: Int) throws {
        let key = Self.keys[index]
        let lines = try lines(key)
        let start = lines.dropLast().flatMap(\.self)
        for count in 1..<lines[4].count {
            let finding = AuditFixture.finding(in: start + lines[4].prefix(count), key)
            #expect(finding?.reason == .incomplete && finding?.line == 5, "after \(count) bytes")
        }
    }

    @Test
    func `a log is only intact with its own key`() throws {
        for (written, checked, misfit) in [
            (AuditFixture.key, AuditFixture.otherKey, AuditMisfit.otherKey),
            (AuditFixture.key, nil, .needsKey), (nil, AuditFixture.key, .hasNoKey),
        ] {
            let fixture = try AuditFixture()
            try fixture.writeSmallLog(written)
            let finding = AuditFixture.finding(in: try fixture.bytes(), checked)
            #expect(finding?.reason == .misfit(misfit))
        }
    }

    /// The code of a forged entry cannot be computed without the key.
    @Test
    func `an entry with the code of a log without a key does not fit a log with a key`() throws {
        let keyed = try lines(AuditFixture.key)
        let other = try AuditFixture()
        try other.writeSmallLog()
        let plain = try other.bytes().lines
        let forged = keyed[0] + plain[1...].flatMap(\.self)
        let finding = AuditFixture.finding(in: forged, AuditFixture.key)
        #expect(finding?.line == 2 && finding?.reason == .changed)
    }

    @Test
    func `other files are refused at their first line`() {
        for text in [
            "\n", "hello\n", "{}\n", #"{"audit":"divan"}"# + "\n", "[1]\n\n",
            String(repeating: "x", count: AuditLimits.lineByteCount + 1),
            #"{"n":1,"code":""# + String(repeating: "0", count: 64) + "\"}\n",
        ] {
            #expect(AuditFixture.finding(in: Array(text.utf8))?.line == 1, "\(text.prefix(40))")
        }
    }

    /// Any bytes give a finding or none, and the pieces do not matter.
    @Test(arguments: UInt64(0)..<100)
    func `damaged bytes give one finding whatever the cut`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var bytes = try lines(AuditFixture.key).flatMap(\.self)
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            let place = Int.random(in: bytes.indices, using: &generator)
            switch Int.random(in: 0..<3, using: &generator) {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
            case 1: bytes.remove(at: place)
            default: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: place)
            }
        }
        let whole = AuditFixture.finding(in: bytes, AuditFixture.key)
        let singles = AuditFixture.finding(in: bytes.map { [$0] }, AuditFixture.key)
        #expect(whole == singles, "seed \(seed)")
    }

    @Test
    func `codes are read only as logs write them`() {
        let digits = String(repeating: "a1", count: 32)
        #expect(AuditCode(digits)?.description == digits)
        #expect(AuditCode(digits.uppercased()) == nil)
        #expect(AuditCode(digits.dropLast()) == nil)
        #expect(AuditCode(digits + "a1") == nil)
    }

    @Test
    func `short and long keys are refused`() {
        for count in [0, 15, 1_025] {
            let error = AuditKeyError.self
            #expect(throws: error) { try AuditKey([UInt8](repeating: 1, count: count)) }
        }
    }

    /// The code at the end of a line.
    private static func code(of line: [UInt8]) -> String {
        String(decoding: line.dropLast(3).suffix(64), as: UTF8.self)
    }
}
