import DivanCompression
import DivanDatabase
import DivanDiscovery
import DivanTestKit
import Foundation
import Testing

@testable import plug_ins_example

/// The plug-ins of plug-ins-example, and their contracts.
@Suite(.timeLimit(.minutes(5))) struct PlugInProgramTests {
    @Test func `the codec meets the contract`() {
        #expect(CodecContract.violations(of: RunCodec()) == [])
    }

    @Test func `the storage engine meets the contract`() throws {
        #expect(try StorageEngineContract.violations { CountingEngine() } == [])
    }

    @Test func `the discovery meets the contract`() async throws {
        let folder = try TemporaryDirectory()
        let discovery = FolderDiscovery(folder: URL(filePath: folder.path))
        let mine = try PeerAdvertisement(name: "bar", port: 4_985, attributes: ["database": "a"])
        let activity = try discovery.advertise(mine) { _ in }
        let violations = try await PeerDiscoveryContract.violations(
            of: discovery,
            finding: "bar",
            patience: .seconds(10)
        )
        #expect(violations == [])
        activity.stop()
    }

    @Test func `the program has at most 150 lines`() throws {
        let source = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/plug-ins-example/main.swift")
        let lines = try String(contentsOf: source, encoding: .utf8).split(
            separator: "\n",
            omittingEmptySubsequences: false
        )
        #expect(lines.count - 1 <= 150)
    }
}
