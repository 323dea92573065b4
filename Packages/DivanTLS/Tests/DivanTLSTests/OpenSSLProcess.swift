import DivanPlatform
import DivanTLS
import DivanTestKit
import Foundation

/// A running `openssl s_client` or `s_server`, killed with its last reference.
final class OpenSSLProcess {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private let folder: TemporaryDirectory
    private(set) var printed = ""

    /// Starts the command; identities and roots are passed as files.
    init(
        _ arguments: [String],
        identity: TLSCredential? = nil,
        root: TLSCertificate? = nil
    ) throws {
        folder = try TemporaryDirectory()
        var arguments = arguments
        if let identity {
            let path = folder.file("identity.pem")
            try identity.pem().write(toFile: path, atomically: true, encoding: .utf8)
            arguments += ["-cert", path, "-key", path]
            let above = identity.certificates.dropFirst().map(\.pem).joined()
            let chain = folder.file("chain.pem")
            try above.write(toFile: chain, atomically: true, encoding: .utf8)
            if !above.isEmpty { arguments += ["-cert_chain", chain] }
        }
        if let root {
            let path = folder.file("root.pem")
            try root.pem.write(toFile: path, atomically: true, encoding: .utf8)
            arguments += ["-CAfile", path, "-verify_return_error"]
        }
        process.executableURL = URL(filePath: try OpenSSLCommand.path())
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        process.standardError = output
        try process.run()
    }

    deinit {
        stop()
    }

    /// Ends the process without notice to its peer.
    func stop() {
        guard process.isRunning else { return }
        Signal.kill.send(to: process.processIdentifier)
        process.waitUntilExit()
    }

    /// Types a line.
    func type(_ line: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))
    }

    /// Ends its input, which makes `s_client` send close_notify.
    func endInput() throws {
        try input.fileHandleForWriting.close()
    }

    /// Reads its output until `text` appears; false if it ends before.
    func prints(_ text: String) -> Bool {
        while !printed.contains(text) {
            let piece = output.fileHandleForReading.availableData
            if piece.isEmpty { return false }
            printed += String(decoding: piece, as: UTF8.self)
        }
        return true
    }

    /// The port on which `s_server` says it accepts.
    func port() throws -> UInt16 {
        guard prints("ACCEPT 127.0.0.1:"), prints("\n"),
            let line = printed.split(separator: "\n").first(where: { $0.hasPrefix("ACCEPT ") }),
            let port = line.split(separator: ":").last.flatMap({ UInt16($0) })
        else { throw OpenSSLCommand.Failure(description: "s_server did not start: \(printed)") }
        return port
    }
}
