import DivanPlatform
import DivanTestKit

/// How much the tests are asked to do.
enum Environment {
    /// The number of messages in a random test.
    static var messageCount: Int { number("DIVAN_ISAL_MESSAGES") ?? 3_000 }

    /// The seed of a random test.
    static var seed: UInt64 { TestSeed.choose(below: 1_000_000) }

    private static func number(_ name: String) -> Int? {
        CurrentProcess.variable(name).flatMap { Int($0) }
    }
}

/// Realistic and unrealistic messages: repetitive text, noise, a single repeated byte, mixtures; mostly short.
struct RandomMessages {
    private var generator: SeededGenerator
    private let words: [[UInt8]] = [
        "\"name\":", "\"airline\":", "true,", "{\"geo\":{\"lat\":", "sofa", "divan", "}]}", "0.125",
    ].map { Array($0.utf8) }

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    mutating func next() -> [UInt8] {
        let most = [16, 300, 1_500, 1_500, 16_384, 70_000][weighted()]
        let count = Int.random(in: 1...most, using: &generator)
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: return noise(count)
        case 1:
            let byte = UInt8.random(in: 0...255, using: &generator)
            return [UInt8](repeating: byte, count: count)
        case 2: return noise(count / 2) + text(count - count / 2)
        default: return text(count)
        }
    }

    /// Long messages are rare, so that many fit into a test.
    private mutating func weighted() -> Int {
        let number = Int.random(in: 0..<100, using: &generator)
        return number < 95 ? number % 4 : number < 99 ? 4 : 5
    }

    private mutating func noise(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            withUnsafeBytes(of: generator.next()) { bytes.append(contentsOf: $0) }
        }
        return Array(bytes.prefix(count))
    }

    private mutating func text(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            bytes += words[Int.random(in: words.indices, using: &generator)]
            bytes += Array(String(Int.random(in: 0..<100_000, using: &generator)).utf8)
        }
        return Array(bytes.prefix(count))
    }
}
