import DivanCrypto
import DivanTLS
import DivanTestKit
import Foundation

/// The `openssl` command as a foreign peer.
enum OpenSSLCommand {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The command's path; these tests require it.
    static func path() throws -> String {
        let folders = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin"
        let paths = folders.split(separator: ":").map { "\($0)/openssl" }
        guard let path = paths.first(where: FileManager.default.isExecutableFile) else {
            throw Failure(description: "no openssl command on PATH; install the openssl package")
        }
        return path
    }

    /// Makes a self-signed certificate with an alternative name and further sections in `openssl`'s syntax.
    static func certificate(
        of key: PrivateKey,
        name: String,
        alternativeName: String,
        sections: String = ""
    ) throws -> TLSCertificate {
        let folder = try TemporaryDirectory()
        let (keyFile, settingsFile) = (folder.file("key"), folder.file("cnf"))
        try Data(key.pem().utf8).write(to: URL(filePath: keyFile))
        let settings = """
            [req]
            distinguished_name=dn
            prompt=no
            x509_extensions=v3
            [dn]
            CN=\(name)
            [v3]
            subjectAltName=\(alternativeName)
            \(sections)
            """
        try Data(settings.utf8).write(to: URL(filePath: settingsFile))
        let arguments = [
            "req", "-x509", "-new", "-days", "30", "-key", keyFile, "-config", settingsFile,
        ]
        return try TLSCertificate(pem: try run(arguments, input: ""))
    }

    /// Runs the command to its end and returns its output as text.
    static func run(_ arguments: [String], input: String) throws -> String {
        try run(arguments, inputBytes: Data(input.utf8))
    }

    /// Runs the command to its end and returns its output as text.
    static func run(_ arguments: [String], inputBytes: Data) throws -> String {
        String(decoding: try output(arguments, inputBytes: inputBytes), as: UTF8.self)
    }

    /// Runs the command to its end and returns its output.
    static func output(_ arguments: [String], inputBytes: Data) throws -> Data {
        let outcome = try Program(try path()).run(arguments, inputBytes: inputBytes)
        guard outcome.status == 0 else {
            throw Failure(
                description: "openssl \(arguments.joined(separator: " ")): \(outcome.errors)"
            )
        }
        return outcome.outputBytes
    }
}
