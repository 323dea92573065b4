import DivanJSON
import DivanTestKit
import Testing

// Single values are no document, so only the package itself can compare them with the table.
@testable import DivanCBLite

/// Single containers: those that the engine wrote, and some that nobody should write.
@Suite struct FleeceTests {
    private func json(_ bytes: [UInt8]) throws(RecordDamage) -> String {
        let fleece = Fleece(bytes)
        let value = try fleece.root()
        var budget = TranscriptBudget()
        let text = try FleeceTranscript.json(
            of: value,
            in: fleece,
            keys: SharedKeys(),
            budget: &budget
        )
        return String(decoding: text, as: UTF8.self)
    }

    @Test
    func `every value written by the engine is converted to its JSON`() throws {
        let lines = try Sample.lines(of: "fleece-values.jsonl")
        #expect(lines.count > 40)
        for line in lines {
            let name = line["name"]?.string ?? ""
            let bytes = try #require([UInt8](hex: line["hex"]?.string ?? ""), "\(name)")
            let wanted = try #require(line["json"], "\(name)").canonicalBytes()
            #expect(try json(bytes) == String(decoding: wanted, as: UTF8.self), "\(name)")
        }
    }

    @Test(arguments: [
        "", "00", "6001", "8000", "80018001", "4178414180", "60ff8001", "67ffffffffff7f8005",
        "6001800180018003", "6002800180018003", "70018001000080018004",
    ])
    func `invalid bytes are rejected`(hex: String) throws {
        let bytes = try #require([UInt8](hex: hex))
        #expect(throws: RecordDamage.self) { try json(bytes) }
    }

    /// An array whose items are two pointers to the array itself.
    @Test
    func `an array that contains itself is rejected immediately`() throws {
        let bytes = try #require([UInt8](hex: "6002800180028003"))
        #expect(throws: RecordDamage.self) { try json(bytes) }
    }

    /// Forty arrays, each containing the previous one twice: 2⁴⁰ values.
    @Test
    func `a small value that expands to a huge text is rejected`() throws {
        var bytes: [UInt8] = [0x60, 0x00]
        var last = 0
        for _ in 0..<40 {
            let array = bytes.count
            bytes += [0x60, 0x02]
            for _ in 0..<2 {
                let distance = (bytes.count - last) / 2
                bytes += [0x80 | UInt8(distance >> 8), UInt8(distance & 0xFF)]
            }
            last = array
        }
        bytes += [0x80, UInt8((bytes.count - last) / 2)]
        let error = #expect(throws: RecordDamage.self) { try json(bytes) }
        #expect(error?.description == "more than 20 MiB of JSON")
    }

    @Test(arguments: UInt64(0)..<300)
    func `arbitrary bytes give JSON or a description of the damage`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let lines = try Self.containers.get()
        var bytes = lines[Int.random(in: lines.indices, using: &generator)]
        for _ in 0..<Int.random(in: 1...4, using: &generator) where !bytes.isEmpty {
            let place = Int.random(in: bytes.indices, using: &generator)
            switch Int.random(in: 0..<3, using: &generator) {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
            case 1: bytes.removeSubrange(place...)
            default: bytes.insert(0xFF, at: place)
            }
        }
        do {
            let text = try json(bytes)
            #expect(throws: Never.self, "seed \(seed)") {
                _ = try JSON(parsing: Array(text.utf8).span)
            }
        } catch {
            #expect(!(error as RecordDamage).description.isEmpty)
        }
    }

    private static let containers: Result<[[UInt8]], any Error> = Result {
        try Sample.lines(of: "fleece-values.jsonl").compactMap {
            [UInt8](hex: $0["hex"]?.string ?? "")
        }
        .filter { $0.count < 2_000 }
    }
}
