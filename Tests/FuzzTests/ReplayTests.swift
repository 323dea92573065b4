import DivanFuzz
import DivanTestKit
import Foundation
import Testing

/// No seed, and no input that fuzzing once found, breaks anything (any more).
///
/// An input under `Fuzz/Found/TARGET` stays there for ever; its name says what it did.
@Suite struct ReplayTests {
    @Test(arguments: FuzzTargets.all.indices)
    func `seed inputs violate no invariant`(index: Int) throws {
        let target = FuzzTargets.all[index]
        let seeds = try target.seeds()
        #expect(!seeds.isEmpty, "\(target.name) has nothing to start from")
        let step = TestLength.of(4, long: 1)
        for (number, seed) in seeds.enumerated() where number.isMultiple(of: step) {
            #expect(target.violation(of: seed) == nil, "\(target.name), seed \(number)")
        }
    }

    @Test(arguments: FuzzTargets.all.indices)
    func `recorded inputs violate no invariant`(index: Int) throws {
        let target = FuzzTargets.all[index]
        let folder = Self.found + "/" + target.name
        guard FileManager.default.fileExists(atPath: folder) else { return }
        for name in try FileManager.default.contentsOfDirectory(atPath: folder).sorted() {
            let input = [UInt8](try Data(contentsOf: URL(filePath: "\(folder)/\(name)")))
            #expect(target.violation(of: input) == nil, "\(target.name), \(name)")
        }
    }

    @Test func `every directory of recorded inputs belongs to a target`() throws {
        let folders = Set(try FileManager.default.contentsOfDirectory(atPath: Self.found))
        let names = Set(FuzzTargets.all.map { $0.name })
        #expect(folders.subtracting(names).isEmpty)
    }

    private static var found: String {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        return tests.path() + "Fuzz/Found"
    }
}
