import Foundation
import Glibc

/// Name and password as a person gives them to a command.
struct Credentials: Sendable {
    var user: String
    var password: String

    static let options: [CommandSyntax.Option] = [
        .value("--user", "NAME", short: "-u", "the user's name"),
        .value(
            "--password-file",
            "FILE",
            completion: .file,
            "read the password from the first line of FILE (- is standard input)"
        ),
    ]

    static let details =
        "The password comes from --password-file, from the environment variable "
        + "DIVAN_PASSWORD, or is asked for on a terminal."

    /// Reads the credentials that the arguments name; `nil` when no user was given.
    static func read(_ arguments: Arguments, _ terminal: Terminal) throws -> Credentials? {
        guard let text = arguments.value("--user") else {
            if arguments.has("--password-file") {
                throw Failure.usage("--password-file needs --user NAME")
            }
            return nil
        }
        let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
        if parts.count == 2 {
            terminal.warn(
                "a password on the command line can be read by every user of this machine; "
                    + "use --password-file or DIVAN_PASSWORD"
            )
            return Credentials(user: parts[0], password: parts[1])
        }
        return Credentials(user: text, password: try password(arguments))
    }

    private static func password(_ arguments: Arguments) throws -> String {
        if let file = arguments.value("--password-file") {
            let bytes =
                file == "-"
                ? FileHandle.standardInput.readDataToEndOfFile()
                : FileManager.default.contents(atPath: file)
            guard let bytes else {
                throw Failure(kind: .notFound, sentence: "\(file): cannot be read")
            }
            let line = bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
            return String(decoding: line, as: UTF8.self)
        }
        if let password = ProcessInfo.processInfo.environment["DIVAN_PASSWORD"] { return password }
        guard isatty(STDIN_FILENO) == 1, let password = getpass("Password: ") else {
            throw Failure.usage("no password: use --password-file or DIVAN_PASSWORD")
        }
        return String(cString: password)
    }
}
