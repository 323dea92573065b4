import DivanTestKit
import Foundation
import Testing

/// Files that earlier commits of this repository made; `Tests/Fixtures/releases` says how.
@Suite(.timeLimit(.minutes(5))) struct OlderReleaseTests {
    static let releases = ["f20bc679", "fecc7f21"]
    /// Before encryption, indexes, version vectors, dumps and users.
    static let first = "80659b3b"

    /// A folder with the files of a release.
    private func shell(_ release: String) throws -> Shell {
        let shell = try Shell()
        let archive = Guide.root.appending(path: "Tests/Fixtures/releases/\(release).tar.gz")
        try shell.bash("tar xzf '\(archive.path)'").expectSuccess()
        return shell
    }

    @Test(arguments: releases)
    func `databases of an older release open intact, and answer queries with their indexes`(
        release: String
    ) throws {
        let shell = try shell(release)
        let key = ["--key-file", "password.txt", "--key-is-password"]
        for (name, options) in [("trees", []), ("other", []), ("vectors", []), ("sealed", key)] {
            try shell.divan(["check", name] + options).expectSuccess()
            let soup = try shell.divan(["get", name, "soup"] + options)
            #expect(soup.output.contains("Lentil soup"), "\(name): \(soup)")
            let blob = try shell.divan(["blob", "get", name, "soup", "picture", "-"] + options)
            #expect(blob.output == "a small picture", "\(name): \(blob)")
            try shell.divan(["get", name, "gone"] + options).expectFailure(3)
        }
        let words = "SELECT META().id AS id FROM _ WHERE MATCH(words, 'lentil')"
        #expect(try shell.run("query", "trees", words, "--json").output == "{\"id\":\"soup\"}\n")
        let place = try shell.run("get", "trees", "paris", "-c", "geo.places").output
        #expect(place.contains("2100000"))
    }

    @Test(arguments: releases)
    func `databases of an older release can be changed, resolved and upgraded`(
        release: String
    ) throws {
        let shell = try shell(release)
        #expect(try shell.run("conflicts", "ls", "other").output.contains("stew"))
        try shell.run("conflicts", "resolve", "other", "stew", "--local")
        for name in ["trees", "other", "vectors"] {
            try shell.run("put", name, "soup", #"{"title":"Another soup"}"#)
            if name != "vectors" { try shell.run("upgrade", name, "--yes") }
            try shell.run("put", name, "new", "{}")
            try shell.run("check", name)
        }
    }

    @Test(arguments: releases + [first])
    func `databases of an older release sync with new ones`(release: String) throws {
        let shell = try shell(release)
        for name in release == Self.first ? ["trees"] : ["trees", "vectors"] {
            try shell.run("check", name)
            try shell.run("new", "fresh-\(name)")
            if name == "vectors" { try shell.run("upgrade", "fresh-\(name)", "--yes") }
            let server = try shell.serve(name, "--no-tls")
            let url = try server.url()
            try shell.run("pull", "fresh-\(name)", url)
            try shell.run("put", "fresh-\(name)", "new", #"{"from":"now"}"#)
            try shell.run("push", "fresh-\(name)", url)
            server.stop()
            try shell.run("compare", name, "fresh-\(name)")
        }
    }

    @Test(arguments: releases)
    func `a dump of an older release restores the database`(release: String) throws {
        let shell = try shell(release)
        try shell.run("restore", "restored", "trees.dump")
        try shell.run("compare", "trees", "restored")
        try shell.run("check", "restored")
    }

    @Test(arguments: releases)
    func `identities, users and configurations of an older release work`(release: String) throws {
        let shell = try shell(release)
        #expect(try shell.run("identity", "ls").output.contains("kiosk"))
        let secure = try shell.serve("trees", "--identity", "kiosk", "--write-certificate", "pin")
        try shell.run("new", "a")
        try shell.run("pull", "a", try secure.url(), "--pin", "pin")
        secure.stop()
        let server = try shell.start("serve", "--config", "serve.json")
        let url = try server.url()
        try shell.run("new", "b")
        try shell.divan("pull", "b", url).expectFailure(7)
        try shell.run("pull", "b", url, "--user", "anna", "--password-file", "password.txt")
        server.stop()
        try shell.run("compare", "a", "b")
    }
}
