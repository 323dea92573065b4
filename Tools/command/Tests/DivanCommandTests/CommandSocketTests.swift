import CouchbaseLiteSwift
import DivanCommand
import DivanPlatform
import DivanTestKit
import Foundation
import Testing

/// Shells work on a database that a program has open; this process is one.
@Suite(.timeLimit(.minutes(5))) struct CommandSocketTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
    }

    private func open(_ name: String, key: EncryptionKey? = nil) throws -> Database {
        var config = DatabaseConfiguration()
        config.directory = shell.path("")
        config.encryptionKey = key
        return try Database(name: name, config: config)
    }

    @Test func `the command changes a database that an app has open through its socket`() throws {
        let database = try open("orders")
        let name = ProcessInfo.processInfo.processName
        try shell.divan("put", "orders", "soup", "{}").expectFailure(
            5,
            "process \(CurrentProcess.id)"
        )

        let commandSocket = try CommandSocket(database)
        try shell.run("put", "orders", "soup", #"{"salt":1}"#)
        let orders = try database.defaultCollection()
        #expect(try orders.document(id: "soup")?.int(forKey: "salt") == 1)
        #expect(
            try shell.run("query", "orders", "SELECT salt FROM _", "--json").output.contains("1")
        )
        try shell.divan("put", "orders", "soup", "[").expectFailure(4, "body")
        try shell.run("rm", "orders", "soup")
        #expect(try orders.document(id: "soup") == nil)
        let socket = shell.path("orders.cblite2/holder")
        let attributes = try FileManager.default.attributesOfItem(atPath: socket)
        #expect(attributes[.posixPermissions] as? Int == 0o600)

        commandSocket.close()
        #expect(!FileManager.default.fileExists(atPath: socket))
        try shell.divan("put", "orders", "soup", "{}").expectFailure(
            5,
            "process \(CurrentProcess.id)"
        )
        try database.close()
        try shell.run("put", "orders", "soup", "{}")
        #expect(!name.isEmpty)
    }

    @Test func `the command works with a database of a running app and after it ends`() throws {
        let program = try Program.built("open-database")
            .start([shell.path(""), "desk"], input: .lines, patience: .seconds(40))
        let url = try program.line { $0.hasPrefix("ws://") }
        try shell.run("put", "desk", "soup", #"{"salt":1}"#)
        #expect(try shell.run("get", "desk", "soup").json()["salt"] as? Int == 1)
        // What a shell writes, the program's listener sends at once.
        try shell.run("new", "copy")
        try shell.run("pull", "copy", url)
        #expect(try shell.run("ls", "copy").output == "soup\n")
        let page = try shell.run("status", "desk").output
        #expect(page.contains("(open-database, process \(program.processIdentifier))"), "\(page)")
        #expect(try shell.run("top", "desk").output.contains("serve   desk"))

        // A crash leaves nothing that is in the way.
        program.kill()
        try shell.run("put", "desk", "tea", "{}")
        try shell.divan("status", "desk").expectFailure(3)
        #expect(try shell.run("ls", "desk").output == "soup\ntea\n")
    }

    @Test func `the socket is removed when the app ends`() throws {
        let program = try Program.built("open-database")
            .start([shell.path(""), "desk"], input: .lines, patience: .seconds(40))
        _ = try program.line { $0.hasPrefix("ws://") }
        let socket = shell.path("desk.cblite2/holder")
        #expect(FileManager.default.fileExists(atPath: socket))
        program.endInput()
        #expect(program.finish().status == 0)
        #expect(!FileManager.default.fileExists(atPath: socket))
    }

    @Test func `an encrypted database needs no key through the socket`() throws {
        let database = try open("safe", key: .password("open sesame"))
        let commandSocket = try CommandSocket(database)
        try shell.run("put", "safe", "soup", #"{"salt":2}"#)
        #expect(try database.defaultCollection().document(id: "soup")?.int(forKey: "salt") == 2)
        // Also if it is reached through a link.
        let link = shell.path("link")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: ".")
        try shell.run("put", "link/safe", "tea", "{}")
        #expect(try database.defaultCollection().document(id: "tea") != nil)
        commandSocket.close()
        try database.close()
    }

    @Test func `a closed or in-memory database has no socket`() throws {
        #expect(throws: NSError.self) { try CommandSocket(Database.inMemory()) }
        let database = try open("closed")
        try database.close()
        #expect(throws: NSError.self) { try CommandSocket(database) }
    }
}
