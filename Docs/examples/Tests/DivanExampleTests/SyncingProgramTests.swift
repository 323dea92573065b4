import Divan
import DivanTestKit
import Foundation
import Testing

/// The programs that sync work as described in their README; each runs as a process.
@Suite(.timeLimit(.minutes(5))) struct SyncingProgramTests {
    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
    }

    private func start(_ name: String, _ words: String...) throws -> RunningProgram {
        try Program.built(name).start(words, input: .lines, patience: .seconds(40))
    }

    @Test func `a kiosk shows the menu, and each change of it`() async throws {
        let restaurant = try Database.inMemory(name: "restaurant")
        let menu = try await restaurant.collection("menu")
        try await menu.save(Document(id: "1", ["name": "Soup", "price": 4.5, "isSoldOut": false]))
        let listener = try await Listener.start(
            sharing: restaurant,
            users: .passwords(["kiosk": "secret"])
        )
        let certificate = folder.file("menu.pem")
        try Data(try #require(listener.certificate).pem.utf8)
            .write(to: URL(filePath: certificate))
        let url = try #require(listener.localURL).absoluteString
        let kiosk = try start("kiosk-example", folder.path, url, certificate, "secret")
        // The query and the sync report independently of each other.
        var shown: Set<String> = []
        _ = try kiosk.line {
            shown.insert($0)
            return shown.isSuperset(of: ["Soup: 4.5", "up to date"])
        }
        try await menu.save(Document(id: "1", ["name": "Soup", "price": 4.5, "isSoldOut": true]))
        #expect(try kiosk.line { $0.hasPrefix("Soup") } == "Soup: sold out")
        kiosk.endInput()
        #expect(kiosk.finish().status == 0)
        await listener.stop()
    }

    @Test func `robots know where the others are`() throws {
        let authority = folder.file("fleet.pem")
        let first = try start("robots-example", "r2", authority, "wss://127.0.0.1:9")
        let seed = try first.line { $0.hasPrefix("wss://") }
        let second = try start("robots-example", "c3", authority, seed)
        _ = try second.line { $0.hasPrefix("wss://") }
        try first.type("kitchen")
        #expect(try second.line { $0.hasPrefix("r2") } == "r2 is in kitchen")
        try second.type("cellar")
        #expect(try first.line { $0.hasPrefix("c3") } == "c3 is in cellar")
        for robot in [first, second] {
            robot.endInput()
            #expect(robot.finish().status == 0)
        }
    }

    @Test func `each user of the server syncs their own notes`() async throws {
        let accounts = Data(#"{"anna":"secret","bob":"other","boss":"third"}"#.utf8)
        try accounts.write(to: URL(filePath: folder.file("accounts.json")))
        let server = try start("accounts-example", folder.path)
        let url = try #require(URL(string: try server.line { $0.hasPrefix("wss://127.0.0.1") }))
        let pem = try server.line { $0.hasSuffix(".pem") }
        let certificate = try Certificate(contentsOf: URL(filePath: pem))
        func sync(_ user: String, _ password: String) async throws -> [String] {
            let db = try Database.inMemory(name: user)
            let notes = try await db.collection("notes")
            if user != "boss" {
                try await notes.save(Document(id: "of-\(user)", ["owner": .init(user)]))
            }
            try await Sync(
                db,
                with: url,
                credentials: .password(user, password),
                trust: .pinned(certificate)
            ).run()
            var ids: [String] = []
            for id in ["of-anna", "of-bob"] where try await notes.get(id) != nil {
                ids.append(id)
            }
            return ids
        }
        #expect(try await sync("anna", "secret") == ["of-anna"])
        #expect(try await sync("bob", "other") == ["of-bob"])
        #expect(try await sync("boss", "third") == ["of-anna", "of-bob"])
        await #expect(throws: DivanError.self) { try await sync("bob", "secret") }
        #expect(try server.line { $0.hasPrefix("refused bob") }.contains("password"))
        server.endInput()
        #expect(server.finish().status == 0)
    }
}
