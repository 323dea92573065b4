import CouchbaseLiteSwift
import DivanTLS
import DivanTestKit
import Foundation
import PlugIns
import Testing

/// The settings of the guide to plug-ins, in a database that is shared.
@Suite(.timeLimit(.minutes(5))) struct PlugInSettingTests {
    @Test func `the settings of the guide sync two databases`() async throws {
        let folders = try [TemporaryDirectory(), TemporaryDirectory()]
        let (near, far) = (try openRoutes(in: folders[0].path), try openRoutes(in: folders[1].path))
        let log = keepLogInMemory()
        defer { LogSinks.custom = nil }
        for number in 0..<100 {
            let text = "the bus to the harbour, every \(number) minutes"
            try near.save(document: MutableDocument(id: "\(number)", data: ["text": text]))
        }
        try near.database.performMaintenance(type: .compact)
        #expect(try near.bodyCompression().rawValue == "phrases")
        let vault = InMemoryIdentityStore()
        let listener = try share(far, keepingIdentityIn: vault)
        defer { listener.stop() }
        #expect(try vault.labels().count == 1)
        let url = try #require(URL(string: "wss://127.0.0.1:\(listener.port ?? 0)/fleet"))
        var config = settings(near, url, token: "abc")
        config.acceptOnlySelfSignedServerCertificate = true
        await #expect(throws: NSError.self) { try await Replicator(config: config).run() }
        config.authenticator = BasicAuthenticator(username: "ada", password: "secret")
        try await Replicator(config: config).run()
        #expect(far.count == 100)
        #expect(log.lines.contains { $0.contains("Sync") })
        try near.database.close()
        try far.database.close()
    }
}
