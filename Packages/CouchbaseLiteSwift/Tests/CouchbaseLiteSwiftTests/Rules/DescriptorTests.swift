import CouchbaseLiteSwift
import Dispatch
import DivanTestKit
import Foundation
import Testing

/// The open descriptors and threads of a process after everything that it started has ended.
@Suite(.timeLimit(.minutes(5))) struct DescriptorTests {
    private static func count(_ directory: String) -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/\(directory)").count)
            ?? -1
    }

    /// Starts and ends one of everything.
    private static func round(_ number: Int) async throws {
        let peers = try Peers()
        let collection = try peers.here.defaultCollection()
        try collection.put("a", number)
        let blob = Blob(contentType: "text/plain", data: Data("picture \(number)".utf8))
        let document = MutableDocument(id: "b").setBlob(blob, forKey: "picture")
        try collection.save(document: document)
        _ = document.blob(forKey: "picture")?.content
        let queue = DispatchQueue(label: "test")
        let query = try peers.here.createQuery("SELECT value FROM _ WHERE value > 0")
        let token = query.addChangeListener(withQueue: queue) { _ in }
        for try await _ in query.stream() {}
        let listener = try peers.listen { $0.disableTLS = number % 2 == 0 }
        var configuration = try peers.configuration(target: listener.endpoint())
        configuration.acceptOnlySelfSignedServerCertificate = !listener.config.disableTLS
        try await Replicator(config: configuration).run()
        configuration.continuous = true
        let replicator = Replicator(config: configuration)
        replicator.start()
        replicator.stop()
        try await Replicator(config: peers.configuration()).run()
        let unreachable = try URLEndpoint(validating: "ws://127.0.0.1:1/there")
        var hopeless = try peers.configuration(target: unreachable)
        hopeless.maxAttempts = 1
        try? await Replicator(config: hopeless).run()
        try peers.here.performMaintenance(type: .compact)
        token.remove()
        listener.stop()
        try peers.here.close()
        try peers.there.delete()
    }

    /// In its own process, because other tests also open files.
    @Test func `no file descriptor or thread leaks`() async {
        await #expect(processExitsWith: .success) {
            for number in 0..<5 { try await Self.round(number) }
            let (descriptors, threads) = (Self.count("fd"), Self.count("task"))
            for number in 0..<20 { try await Self.round(number) }
            // Threads of Dispatch come and go.
            let patience = ContinuousClock.now + .seconds(30)
            while Self.count("fd") > descriptors || Self.count("task") > threads + 8,
                ContinuousClock.now < patience
            { await Task.yield() }
            #expect(Self.count("fd") <= descriptors)
            #expect(Self.count("task") <= threads + 8)
        }
    }
}
