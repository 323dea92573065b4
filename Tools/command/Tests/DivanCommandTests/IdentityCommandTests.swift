import DivanPlatform
import DivanTestKit
import Foundation
import Testing

/// `divan identity`: keys and certificates of a person, created, shown, transferred, removed.
@Suite(.timeLimit(.minutes(5))) struct IdentityCommandTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
    }

    private func mode(_ file: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: shell.path(file))
        return try #require(attributes[.posixPermissions] as? Int)
    }

    private let directory = "data/CouchbaseLite/Identities"

    @Test func `a new identity is readable by its owner only`() throws {
        let outcome = try shell.run(
            "identity",
            "new",
            "jukebox",
            "--host",
            "jukebox.local,192.168.1.20",
            "--days",
            "30",
            "--key",
            "p256"
        )
        #expect(outcome.output.contains("subject  CN=jukebox\n"))
        #expect(outcome.output.contains("names    jukebox.local, 192.168.1.20\n"))
        #expect(outcome.output.contains("key      P-256 private key\n"))
        #expect(try mode(directory) == 0o700)
        #expect(try mode("\(directory)/jukebox.pem") == 0o600)
        let listed = try shell.run("identity", "ls").output
        #expect(listed.hasPrefix("jukebox  20") && listed.contains("  CN=jukebox  "))
        let fingerprint = try #require(
            outcome.output.split(separator: "\n").last { $0.contains("SHA-256") }
        )
        #expect(listed.contains("\n\(fingerprint)\n"), "\(listed)")
        #expect(try shell.run("identity", "show", "jukebox").output == outcome.output)
    }

    @Test func `without a home directory the error says which variable to set`() throws {
        try shell.run("new", "db")
        // Nobody, not even root, can make a directory there.
        let nowhere = ["XDG_DATA_HOME": "/proc/nowhere"]
        for words in [
            ["identity", "new", "robot", "--key", "p256"],
            ["serve", "db", "--interface", "127.0.0.1"],
        ] {
            try shell.divan(words, environment: nowhere)
                .expectFailure(3, "/proc/nowhere", "set XDG_DATA_HOME or DIVAN_IDENTITY_DIRECTORY")
        }
    }

    @Test func `a label that only looks the same removes nothing`() throws {
        try shell.run("identity", "new", "caf\u{E9}", "--key", "p256")
        try shell.divan("identity", "rm", "cafe\u{301}", "--yes").expectFailure(3, "not found in ")
        #expect(try shell.run("identity", "ls", "--json").lines.count == 1)
    }

    @Test func `the default key type is RSA, which every peer supports`() throws {
        let shown = try shell.run("identity", "new", "phone", "--json").json()
        #expect(shown["key"] as? String == "RSA private key of 2048 bits")
        #expect(shown["label"] as? String == "phone")
    }

    @Test func `an authority signs an identity, and the chain contains it`() throws {
        try shell.run("identity", "new", "cellar", "--authority", "--key", "p256")
        let shown = try shell.divan(
            ["identity", "new", "robot", "--issuer", "cellar", "--key", "p256", "--for", "client"]
        )
        shown.expectSuccess()
        #expect(shown.output.contains("issuer   CN=cellar\n"))
        #expect(shown.output.contains("issuer 1\n  subject  CN=cellar\n"))
        let both = try shell.run("identity", "export", "robot", "--chain").output
        #expect(both.components(separatedBy: "BEGIN CERTIFICATE").count == 3)
        let one = try shell.run("identity", "export", "robot").output
        #expect(both.hasPrefix(one) && !both.contains("PRIVATE"))
        try shell.write("robot.pem", both)
        let verified = try shell.bash(
            """
            divan identity export cellar > cellar.pem
            openssl verify -CAfile cellar.pem -purpose sslclient robot.pem
            """
        )
        #expect(verified.output.contains("robot.pem: OK"), "\(verified.errors)")
    }

    @Test func `an authority that expires first causes a warning`() throws {
        try shell.run("identity", "new", "cellar", "--authority", "--days", "10", "--key", "p256")
        let outcome = try shell.run("identity", "new", "robot", "--issuer", "cellar")
        #expect(outcome.errors.contains("warning: robot cannot be used after 20"))
    }

    @Test func `a renewed identity keeps its key, and its signed certificates stay valid`() throws {
        try shell.run("identity", "new", "cellar", "--authority", "--days", "9", "--key", "p256")
        try shell.run("identity", "new", "robot", "--issuer", "cellar", "--days", "9")
        let old = try shell.run("identity", "export", "robot", "--chain").output
        try shell.write("old.pem", old)
        let authority = try shell.run("identity", "renew", "cellar", "--days", "400")
        #expect(authority.output.contains("certificate authority"))
        #expect(authority.errors.contains("has signed stay valid"))
        let renewed = try shell.run("identity", "renew", "robot", "--days", "300", "--json").json()
        #expect(renewed["label"] as? String == "robot")
        try shell.write("new.pem", try shell.run("identity", "export", "robot", "--chain").output)
        let verified = try shell.bash(
            """
            divan identity export cellar > cellar.pem
            openssl verify -CAfile cellar.pem old.pem new.pem
            for file in old new; do openssl x509 -in $file.pem -noout -pubkey > $file.key; done
            cmp old.key new.key
            openssl x509 -in new.pem -noout -checkend $((299 * 86400))
            """
        )
        verified.expectSuccess()
        #expect(verified.output.contains("old.pem: OK\nnew.pem: OK\n"), "\(verified.errors)")
        let longer = try shell.run("identity", "renew", "robot", "--days", "900")
        #expect(longer.errors.contains("warning: robot cannot be used after 20"))
        try shell.run("identity", "rm", "cellar", "--yes")
        try shell.divan("identity", "renew", "robot").expectFailure(3, "CN=cellar")
        try shell.divan("identity", "renew", "nobody").expectFailure(3, "nobody")
    }

    @Test(arguments: ["--p12", "--pem"])
    func `an identity is exported and imported in an encrypted file`(_ form: String) throws {
        let made = try shell.run("identity", "new", "robot", "--key", "p256").output
        let open = ["DIVAN_PASSWORD": "open sesame"]
        try shell.divan(["identity", "export", "robot", form, "robot.x"], environment: open)
            .expectSuccess()
        #expect(try mode("robot.x") == 0o600)
        try shell.run("identity", "rm", "robot", "--yes")
        try shell.divan(
            ["identity", "import", "robot", "robot.x"],
            environment: ["DIVAN_PASSWORD": "open barley"]
        ).expectFailure(4, "robot.x", "password")
        try shell.divan(["identity", "import", "robot", "robot.x"]).expectFailure(2, "no password")
        try shell.divan(["identity", "import", "robot", "robot.x"], environment: open)
            .expectSuccess()
        #expect(try shell.run("identity", "show", "robot").output == made)
        let listed = try shell.divan(
            ["identity", "export", "robot", form, "robot.x"],
            environment: open
        )
        listed.expectFailure(10, "robot.x already exists")
    }

    @Test func `identity export --json prints the certificate or the file path`() throws {
        try shell.run("identity", "new", "robot", "--key", "p256")
        let object = try shell.run("identity", "export", "robot", "--json").json()
        #expect(object["label"] as? String == "robot")
        #expect(object["pem"] as? String == (try shell.run("identity", "export", "robot").output))
        let shown = try shell.run("identity", "show", "robot").output
        #expect(shown.contains(try #require(object["fingerprint"] as? String)))
        let file = ["--pem", "robot.pem", "--no-password", "--json"]
        let written = try shell.divan(["identity", "export", "robot"] + file)
        #expect(written.output == #"{"label":"robot","path":"robot.pem"}"# + "\n")
        #expect(try shell.text("robot.pem").contains("PRIVATE KEY"))
    }

    @Test func `openssl reads exported identities`() throws {
        try shell.run("identity", "new", "robot", "--key", "p384")
        let outcome = try shell.bash(
            """
            echo 'open sesame' > secret.txt
            divan identity export robot --p12 robot.p12 --password-file secret.txt
            openssl pkcs12 -in robot.p12 -passin file:secret.txt -nodes -nokeys
            divan identity export robot --pem robot-key.pem --no-password
            openssl pkey -in robot-key.pem -noout
            """
        )
        outcome.expectSuccess()
        #expect(
            outcome.output.contains("subject=CN = robot") || outcome.output.contains("CN=robot")
        )
    }

    @Test func `identity ls shows the purpose and the database of each identity`() throws {
        try shell.run("new", "menu")
        let server = try shell.serve("menu")
        _ = try server.url()
        server.stop()
        try shell.run("identity", "new", "robot", "--key", "p256", "--for", "client")
        let listed = try shell.run("identity", "ls").output
        #expect(listed.contains("  listener of database menu"), "\(listed)")
        #expect(listed.contains("  CN=robot  client"), "\(listed)")
        let lines = try shell.run("identity", "ls", "--json").output.split(separator: "\n")
        #expect(lines.contains { $0.contains(#""for":"listener of database menu""#) })
        try FileManager.default.removeItem(atPath: shell.path("menu.cblite2"))
        #expect(try shell.run("identity", "ls").output.contains("listener of an unknown database"))
    }

    @Test func `identity rm requires --yes and existing labels`() throws {
        try shell.run("identity", "new", "robot", "--key", "p256")
        try shell.divan("identity", "rm", "robot").expectFailure(2, "--yes")
        try shell.divan("identity", "rm", "robot", "other", "--yes").expectFailure(3, "'other'")
        #expect(try shell.run("identity", "ls", "--json").json()["label"] as? String == "robot")
        try shell.run("identity", "rm", "robot", "--yes")
        #expect(try shell.run("identity", "ls").output.isEmpty)
    }

    @Test func `a readable identity directory is rejected, and a damaged file is reported`() throws
    {
        try shell.run("identity", "new", "robot", "--key", "p256")
        try shell.write("\(directory)/broken.pem", "-----BEGIN nothing")
        try FileSystem.setPermissions(0o600, of: shell.path("\(directory)/broken.pem"))
        let listed = try shell.run("identity", "ls").output
        #expect(listed.contains("broken  unusable: ") && listed.contains("robot   20"))
        try FileSystem.setPermissions(0o755, of: shell.path(directory))
        try shell.divan("identity", "ls").expectFailure(4, "mode 755", "chmod")
        try shell.divan("serve", "x", "--identity", "robot").expectFailure(4, "mode 755", "chmod")
    }

    @Test(arguments: ["--p12", "--pem"])
    func `an encrypted identity file is reported with the password options`(_ form: String) throws {
        let file = form == "--p12" ? "robot.p12" : "robot.pem"
        try shell.write("secret.txt", "sesame\n")
        try shell.run("new", "db")
        try shell.run("identity", "new", "robot", "--key", "p256")
        try shell.run("identity", "export", "robot", form, file, "--password-file", "secret.txt")
        let words = ["serve", "db", "--identity", file]
        try shell.divan(words).expectFailure(
            4,
            "divan: \(file) is encrypted",
            "hint: set DIVAN_IDENTITY_PASSWORD"
        )
        try shell.divan(words, environment: ["DIVAN_IDENTITY_PASSWORD": "wrong"])
            .expectFailure(4, "\(file): wrong password", "hint: correct DIVAN_IDENTITY_PASSWORD")
    }

    @Test func `a certificate without a key causes no permission error`() throws {
        try shell.run("new", "db")
        try shell.run("identity", "new", "robot", "--key", "p256")
        try shell.run("identity", "export", "robot", "--pem", "key.pem", "--no-password")
        try shell.bash("openssl x509 -in key.pem -out cert.pem && chmod 644 cert.pem key.pem")
            .expectSuccess()
        let seen = try shell.divan("serve", "db", "--identity", "cert.pem")
        seen.expectFailure(4, "cert.pem: ", "no private key found", "hint: add the BEGIN")
        #expect(!seen.errors.contains("other users can read"), "\(seen.errors)")
        let sync = ["pull", "db", "wss://127.0.0.1:1/x", "--identity", "key.pem"]
        let warned = try shell.divan(sync).errors
        #expect(
            warned.contains("other users can read key.pem, which contains a private key"),
            "\(warned)"
        )
    }

    @Test func `usage errors of identity are explained`() throws {
        try shell.divan("identity").expectFailure(2, "identity new", "identity rm")
        try shell.divan("identity", "new").expectFailure(2, "missing argument LABEL")
        try shell.divan("identity", "new", "x", "--key", "dsa").expectFailure(2, "p256")
        try shell.divan("identity", "new", "x", "--key", "rsa:512").expectFailure(2, "rsa:2048")
        try shell.divan("identity", "new", "x", "--for", "fun").expectFailure(2, "client")
        try shell.divan("identity", "new", "x", "--days", "0").expectFailure(2, "1 to 36500")
        try shell.divan("identity", "new", "x", "--issuer", "y").expectFailure(3, "'y'", "ls")
        try shell.divan("identity", "show", "x").expectFailure(3, "'x'", "identity new x")
        try shell.divan("identity", "import", "x", "no.p12").expectFailure(3, "no.p12")
        try shell.run("identity", "new", "x", "--key", "p256")
        try shell.divan("identity", "new", "x").expectFailure(10, "already")
        try shell.divan("identity", "new", "y", "--issuer", "x").expectFailure(
            4,
            "cannot sign certificates"
        )
        try shell.divan("identity", "export", "x", "--p12", "f", "--no-password")
            .expectFailure(2, "'--p12' and '--no-password' cannot be combined")
        try shell.write("noise.p12", "noise")
        try shell.divan(
            ["identity", "import", "z", "noise.p12"],
            environment: ["DIVAN_PASSWORD": "x"]
        ).expectFailure(4, "noise.p12", "PKCS #12")
    }
}
