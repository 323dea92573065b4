import DivanTestKit
import Testing

@testable import DivanBLIP

/// The table compared with a dictionary.
@Suite struct NumberTableTests {
    /// Numbers grow; most are removed soon, some later, and some never.
    @Test(arguments: UInt64(0)..<TestLength.of(8, long: 50))
    func `a number table behaves like a dictionary`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var (table, model) = (NumberTable<Int>(), [UInt64: Int]())
        var last: UInt64 = 0
        let stayCount = Int.random(in: 0...3_000, using: &generator)
        for _ in 0..<6_000 {
            last += UInt64.random(in: 1...8, using: &generator) / 8 + 1
            let value = Int.random(in: 0..<100, using: &generator)
            table[last] = value
            model[last] = value
            let number = UInt64.random(in: 0...last, using: &generator)
            switch Int.random(in: 0..<8, using: &generator) {
            case 0:
                table[number] = value
                model[number] = value
            case 1:
                let isThere: Void? = table.change(number) { $0 += 1 }
                #expect((isThere != nil) == (model[number] != nil), "seed \(seed)")
                model[number]? += 1
            case 2:
                table[number] = nil
                model[number] = nil
            default: break
            }
            while model.count > stayCount, let gone = model.keys.min() {
                #expect(table.remove(gone) == model.removeValue(forKey: gone), "seed \(seed)")
            }
            #expect(table.count == model.count && table[number] == model[number], "seed \(seed)")
        }
        #expect(table.numbers == model.keys.sorted(), "seed \(seed)")
        #expect(table.elements.sorted() == model.values.sorted(), "seed \(seed)")
        #expect(table.remove(0) == model[0] && table.change(last + 1) { $0 } == nil)
    }

    @Test func `a number that is never removed does not make the table grow`() {
        var table = NumberTable<Int>()
        table[1] = 1
        for number in UInt64(2)..<10_000 {
            table[number] = 0
            #expect(table.remove(number) == 0)
        }
        #expect(table.places.count == NumberTable<Int>.lastPlaceCount && table.strays.count == 1)
        #expect(table[1] == 1 && table.count == 1)
    }
}
