import DivanTestKit
import Testing

/// The functions that pass input to parsers in every way a network can.
@Suite struct PiecesTests {
    @Test(arguments: UInt64(0)..<20)
    func `random pieces join to the original bytes`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let bytes = [UInt8].random(count: 100, using: &generator)
        let pieces = bytes.pieces(longest: 7, using: &generator)
        #expect(Array(pieces.joined()) == bytes)
        #expect(pieces.allSatisfy { (1...7).contains($0.count) })
    }

    @Test
    func `every split contains all bytes in order`() {
        let bytes: [UInt8] = [1, 2, 3]
        #expect(bytes.everyCut.count == 5)
        #expect(bytes.everyCut.allSatisfy { Array($0.joined()) == bytes })
        #expect(bytes.singles.map(Array.init) == [[1], [2], [3]])
    }

    @Test
    func `a parser that depends on how bytes are split is detected`() {
        let bytes: [UInt8] = [1, 2, 3]
        #expect(bytes.cutsThatDiffer { $0.joined().reduce(0, +) }.isEmpty)
        #expect(bytes.cutsThatDiffer { $0.count }.count == 5)
    }

    @Test
    func `hexadecimal text is parsed and formatted`() {
        #expect([UInt8](hex: "00 fF\n10") == [0x00, 0xFF, 0x10])
        #expect([0x00, 0xFF, 0x10].hexText == "00ff10")
        #expect([UInt8](hex: "0") == nil)
        #expect([UInt8](hex: "0g") == nil)
        #expect([UInt8](hex: "0 0") == nil)
    }

    @Test
    func `the README example works`() {
        var generator = SeededGenerator(seed: 7)
        let bytes = [UInt8].random(count: 64, using: &generator)
        let differing = bytes.cutsThatDiffer { pieces in
            pieces.reduce(0) { sum, piece in piece.reduce(sum) { $0 &+ Int($1) } }
        }
        #expect(differing.isEmpty)
    }
}
