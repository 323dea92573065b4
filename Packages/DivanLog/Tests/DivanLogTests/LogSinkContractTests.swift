import DivanLog
import Foundation
import Synchronization
import Testing

/// Each implementation of this package's protocol, and what the contract finds.
@Suite struct LogSinkContractTests {
    @Test
    func `a closure sink that escapes text fulfills the contract`() async {
        let kept = Mutex("")
        let sink = ClosureSink(level: .debug) { entry in
            kept.withLock { $0 += escapedForLog(entry.message) + "\n" }
        }
        #expect(await LogSinkContract.violations(of: sink) { kept.withLock { $0 } } == [])
    }

    @Test
    func `a file sink fulfills the contract`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let configuration = FileSink.Configuration(directory: folder.path)
        let sink = try FileSink(level: .debug, configuration: configuration)
        let violations = await LogSinkContract.violations(of: sink) {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
            return names.map { name in
                (try? String(contentsOf: folder.appending(path: name), encoding: .utf8)) ?? ""
            }.joined()
        }
        #expect(violations == [])
    }

    @Test
    func `the contract detects a sink that does not escape and loses entries`() async {
        let kept = Mutex("")
        let sink = ClosureSink(level: .debug) { entry in
            kept.withLock { if entry.level != .error { $0 += entry.message + "\n" } }
        }
        let violations = await LogSinkContract.violations(of: sink) { kept.withLock { $0 } }
        #expect(violations.count == 2, "\(violations)")
    }
}
