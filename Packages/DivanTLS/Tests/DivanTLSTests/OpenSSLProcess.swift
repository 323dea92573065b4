import DivanTLS
import DivanTestKit
import Foundation

/// A running `openssl s_client` or `s_server`, killed with its last reference.
final class OpenSSLProcess {
    private let program: RunningProgram
    private let folder: TemporaryDirectory
    /// Its output so far, including its errors.
    var printed: String { program.text }

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
        program = try Program(try OpenSSLCommand.path())
            .start(arguments, input: .lines, errors: .amongLines)
    }

    deinit {
        stop()
    }

    /// Ends the process without notice to its peer.
    func stop() {
        program.kill()
    }

    /// Types a line.
    func type(_ line: String) throws {
        try program.type(line)
    }

    /// Ends its input, which makes `s_client` send close_notify.
    func endInput() {
        program.endInput()
    }

    /// Reads its output until `text` appears; false if it ends before.
    func prints(_ text: String) -> Bool {
        (try? program.wait(for: text)) != nil
    }

    /// The port on which `s_server` says it accepts.
    func port() throws -> UInt16 {
        let line = try program.line { $0.hasPrefix("ACCEPT 127.0.0.1:") }
        guard let port = line.split(separator: ":").last.flatMap({ UInt16($0) }) else {
            throw OpenSSLCommand.Failure(description: "s_server did not start: \(printed)")
        }
        return port
    }
}
