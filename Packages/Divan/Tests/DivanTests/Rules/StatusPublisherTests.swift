import DivanJSON
import DivanTestKit
import Foundation
import Synchronization
import Testing

@testable import Divan

/// What other processes are told of a database.
@Suite(.timeLimit(.minutes(1))) struct StatusPublisherTests {
    private final class Service: DatabaseService {
        var report: (@Sendable () -> JSONObject)? {
            { ["verb": "sync", "stall": "reply to rev of ada"] }
        }

        func beginStop() {}

        func waitForStop() {}
    }

    @Test func `a database that is sealed while it syncs names its documents no more`() async throws
    {
        let home = try TemporaryDirectory()
        let bundle = home.file("a.cblite2")
        try FileManager.default.createDirectory(
            atPath: bundle,
            withIntermediateDirectories: true
        )
        let isSealed = Atomic(false)
        let publisher = StatusPublisher(bundle: bundle) { !isSealed.load(ordering: .relaxed) }
        defer { publisher.finish() }
        func isNamed() -> Bool {
            let board = bundle + "/.status/"
            let names = (try? FileManager.default.contentsOfDirectory(atPath: board)) ?? []
            return names.contains {
                (try? String(contentsOfFile: board + $0, encoding: .utf8))?.contains("ada") ?? false
            }
        }
        let service = Service()
        publisher.begin(service)
        while !isNamed() { try await Task.sleep(for: .milliseconds(20)) }
        isSealed.store(true, ordering: .relaxed)
        while isNamed() { try await Task.sleep(for: .milliseconds(20)) }
    }
}
