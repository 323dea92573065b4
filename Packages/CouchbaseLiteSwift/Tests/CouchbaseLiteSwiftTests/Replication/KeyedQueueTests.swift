import Testing

@testable import CouchbaseLiteSwift

/// A queue whose elements are found by their keys.
///
/// `@testable`: only blob fetching uses one.
@Suite struct KeyedQueueTests {
    @Test func `an element added again moves to the end and is not duplicated`() {
        var line = KeyedQueue<Int, String>()
        for number in 0..<5 { line.append("\(number)", under: number) }
        line.remove(1)
        line.remove(3)
        line.append("again", under: 1)
        #expect(line.update(4) { $0 += "!" } != nil)
        #expect(line.update(3) { $0 += "!" } == nil)
        #expect(line.count == 4 && line[3] == nil)
        #expect(line.take { $0 != "2" } == ["0", "4!", "again"])
        #expect(line.take { _ in true } == ["2"])
        #expect(line.count == 0)
    }

    /// If each step searched the whole queue, this would take minutes.
    @Test(.timeLimit(.minutes(5)))
    func `adding and removing a hundred thousand elements is fast in any order`() {
        var line = KeyedQueue<Int, Int>()
        for number in 0..<100_000 where line.update(number, { $0 += 1 }) == nil {
            line.append(number, under: number)
        }
        for number in (0..<100_000).reversed() where line[number] == number { line.remove(number) }
        #expect(line.count == 0)
    }
}
