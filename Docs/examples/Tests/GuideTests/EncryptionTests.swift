import Divan
import DivanTestKit
import Foundation
import Testing

/// The functions of the guide to encryption do what it says.
@Suite struct EncryptionTests {
    @Test func `an encrypted field is not readable on the server`() async throws {
        let mine = try Database.inMemory(name: "mine")
        let theirs = try Database.inMemory(name: "theirs")
        let copies = try await theirs.collection("people")
        let listener = try await Listener.start(sharing: theirs, options: .local)
        try saveEmployee(in: try await mine.collection("people"))
        let key = EncryptionKey.bytes(Data(repeating: 7, count: 32))
        try await sync(mine, with: try #require(listener.localURL), key: key)
        let copy = try #require(try await copies.get("ada"))
        #expect(copy.keys.sorted() == ["encrypted$ssn", "name"])
        #expect(!copy.json.contains("123-45"))
        await listener.stop()
    }

    @Test func `a database key is read from systemd credentials or a file`() throws {
        let folder = try TemporaryDirectory()
        let keys = URL(filePath: folder.path)
        for (name, byte) in [("notes", UInt8(1)), ("next.key", 2)] {
            let file = keys.appending(path: name)
            try Data(repeating: byte, count: 32).write(to: file)
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o600],
                ofItemAtPath: file.path
            )
        }
        setenv("CREDENTIALS_DIRECTORY", keys.path, 1)
        defer { unsetenv("CREDENTIALS_DIRECTORY") }
        let notes = try openNotes(in: keys)
        try notes.documents.save(Document(id: "one"))
        try changeKey(of: notes, to: keys.appending(path: "next.key"))
        #expect(try notes.documents.count() == 1)
        try notes.close()
        let error = #expect(throws: DivanError.self) { try openNotes(in: keys) }
        #expect(error?.code == .wrongKey)
    }
}

extension Listener.Options {
    /// On this machine only, in clear text.
    static var local: Self {
        var options = Self()
        options.networkInterface = "127.0.0.1"
        options.usesTLS = false
        return options
    }
}
