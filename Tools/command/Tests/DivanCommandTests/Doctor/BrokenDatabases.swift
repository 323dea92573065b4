import DivanPlatform
import DivanTestKit
import Foundation
import Testing

extension BrokenSetUp {
    /// The database itself.
    static let databases: [BrokenSetUp] = [
        BrokenSetUp("the database does not exist", 3) { try $0.doctor("nowhere") },
        BrokenSetUp("a newer version wrote the database", 5) {
            // The user version is at byte 60 of an SQLite file, big-endian.
            try $0.change("a") { $0.replaceSubrange(60..<64, with: [0x7F, 0, 0, 1]) }
            return try $0.doctor("a")
        },
        BrokenSetUp("the file is not a database", 5) {
            try $0.change("a") { $0 = Data(String(repeating: "no database. ", count: 400).utf8) }
            return try $0.doctor("a")
        },
        BrokenSetUp("a page of the file is damaged", 5) {
            try $0.change("a") { bytes in
                for page in 1..<(bytes.count / 4096) {
                    bytes.replaceSubrange(page * 4096..<page * 4096 + 64, with: Data(count: 64))
                }
            }
            return try $0.doctor("a")
        },
        BrokenSetUp("the content of a blob is missing", 5) {
            try $0.shell.write("picture.jpg", "bytes")
            try $0.shell.run("blob", "put", "a", "one", "picture", "picture.jpg")
            let folder = $0.shell.path("a.cblite2/Attachments")
            for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
                try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
            }
            return try $0.doctor("a")
        },
        BrokenSetUp("the database is encrypted, and no key is given", 5) {
            try $0.seal()
            return try $0.doctor("s")
        },
        BrokenSetUp("the key is wrong", 5) {
            try $0.seal()
            return try $0.doctor("s", "--key-file", "other")
        },
        BrokenSetUp("all users can write to the database", 0) {
            try FileSystem.setPermissions(0o777, of: $0.shell.path("a.cblite2"))
            return try $0.doctor("a")
        },
        BrokenSetUp("the disk is mounted read-only", 0) {
            let disk = try SmallDisk($0.shell)
            try disk.divan("cp", "a", "disk/a").expectSuccess()
            let place = $0.shell.path("disk")
            try disk.run("mount", "-o", "remount,ro", place).expectSuccess()
            return try disk.divan("doctor", "disk/a", "--json")
        },
        BrokenSetUp("the disk is full", 5) {
            let disk = try SmallDisk($0.shell)
            try disk.divan("cp", "a", "disk/a").expectSuccess()
            // Bounded, and with an absolute path: the working directory is on the real disk.
            let fill = "head -c 4194304 /dev/zero >'\($0.shell.path("disk/zeros"))'; true"
            try disk.run("sh", "-c", fill).expectSuccess()
            return try disk.divan("doctor", "disk/a", "--json")
        },
        BrokenSetUp("another process has the database open", 0) {
            _ = try $0.serve("--no-tls")
            return try $0.doctor("a")
        },
        BrokenSetUp("conflicts are not resolved", 0) {
            try $0.part()
            let url = try $0.serve("--no-tls")
            #expect(try $0.shell.divan("pull", "b", url, "--conflicts", "leave").status == 8)
            return try $0.doctor("b")
        },
        BrokenSetUp("the peer has refused documents", 0) {
            try $0.part()
            #expect(try $0.shell.divan("push", "b", $0.serve("--no-tls")).status == 8)
            return try $0.doctor("b")
        },
    ]
}

extension BrokenPlace {
    /// Changes the file of a database.
    fileprivate func change(_ name: String, _ change: (inout Data) -> Void) throws {
        let file = URL(filePath: shell.path("\(name).cblite2/db.sqlite3"))
        var bytes = try Data(contentsOf: file)
        change(&bytes)
        try bytes.write(to: file)
    }

    /// Creates `s`, encrypted with `key`; `other` is another key.
    fileprivate func seal() throws {
        for (name, byte) in [("key", "5c"), ("other", "c5")] {
            try shell.write(name, String(repeating: byte, count: 32) + "\n")
            try FileSystem.setPermissions(0o600, of: shell.path(name))
        }
        try shell.run("new", "s", "--encrypt", "--key-file", "key")
    }

    /// Creates `b`, which knows `one` of `a` and has changed it, like `a`.
    fileprivate func part() throws {
        try shell.run("cp", "a", "b")
        try shell.run("put", "a", "one", #"{"of":"a"}"#)
        try shell.run("put", "b", "one", #"{"of":"b"}"#)
    }
}
