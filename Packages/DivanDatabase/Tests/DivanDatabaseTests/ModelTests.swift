import DivanDatabase
import DivanRevisions
import DivanTestKit
import Foundation
import Testing

/// Random operations on both engines and on a model: outcomes, documents, counts and sequences.
///
/// Everything that a step returns is the same on both; every so often all their contents are
/// compared with the model. `DIVAN_OPERATIONS` is the number of steps (`make model`: 100,000).
@Suite struct ModelTests {
    private static let count =
        ProcessInfo.processInfo.environment["DIVAN_OPERATIONS"].flatMap { Int($0) } ?? 1_500

    @Test(arguments: [UInt64(1), 2], [false, true])
    func `both engines behave like the model`(seed: UInt64, isSealed: Bool) throws {
        let options = StoreOptions(sealing: isSealed ? try TestSealing(1) : nil)
        let home = try TemporaryDirectory()
        let path = home.file("model.cblite2")
        var file = try Store.open(directory: path, options: options)
        let memory = Store.inMemory()
        defer { try? file.close() }
        var driver = ModelDriver(seed: seed)
        for number in 0..<Self.count / 2 {
            let step = driver.next(number)
            let (first, second) = (step.outcome(on: file), step.outcome(on: memory))
            let place = Comment(
                rawValue: "seed \(seed), step \(number), \(step.name): "
                    + "\(first), not \(step.expected ?? second)"
            )
            try #require(first == second, place)
            try #require(step.expected == nil || step.expected == first, place)
            if number.isMultiple(of: 97) || number == Self.count / 2 - 1 {
                for store in [file, memory] {
                    let found = try Model(of: store).difference(from: driver.model.visible)
                    try #require(found == nil, place)
                }
            }
            if number % 500 == 499 {
                try file.checkIntegrity()
                if number % 2_000 == 1_999 { try file.compact() }
                try file.close()
                file = try Store.open(directory: path, options: options)
            }
        }
        try memory.close()
    }
}
