import Foundation
import Testing

/// The contract for storage engines.
@Suite struct StorageEngineContractTests {
    @Test func `an engine has at most thirty requirements, and the contract checks each`() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/DivanStorage")
        func text(_ name: String) throws -> String {
            try String(contentsOf: folder.appending(path: name), encoding: .utf8)
        }
        func requirements(_ name: String) throws -> [String] {
            try text(name).matches(of: /\n    (?:func|var) (\w+)/).map { String($0.1) }
        }
        let files = try FileManager.default
            .contentsOfDirectory(atPath: folder.appending(path: "Contract").path)
        let contract = try files.map { try text("Contract/\($0)") }.joined()
        let core = try requirements("Engine/StorageEngine.swift")
        #expect((25...30).contains(core.count), "\(core)")
        for name in try core + requirements("Engine/StorageBatches.swift") {
            let use = try Regex("\\.\(name)\\b")
            #expect(contract.contains(use), "the contract does not use \(name)")
        }
    }
}
