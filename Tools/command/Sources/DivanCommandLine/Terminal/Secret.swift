import Foundation
import Glibc
import Synchronization

/// A password, never from the command line: everybody on the machine can read that.
package enum Secret {
    // A command may connect twice, and nobody types a password twice for that.
    private static let typed = Mutex<[String: String]>([:])

    package static let option = CommandSyntax.Option.value(
        "--password-file",
        "FILE",
        completion: .file,
        "read the password from the first line of FILE (- is standard input)"
    )

    package static let details =
        "The password comes from --password-file, from the environment variable "
        + "DIVAN_PASSWORD, or is asked for on a terminal."

    /// Reads a password from where the arguments say; a new one is asked for twice.
    ///
    /// - Throws: `Failure` if there is none, or an empty one.
    package static func read(
        _ arguments: Arguments,
        option: String = "--password-file",
        variable: String = "DIVAN_PASSWORD",
        prompt: String = "Password",
        isNew: Bool = false
    ) throws -> String {
        let secret: String
        if let file = arguments.value(option) {
            secret = try firstLine(of: file)
        } else if let value = try Environment.value(variable) {
            secret = value
        } else if Streams.current.interruption != nil {
            // The terminal of this process does not belong to the other shell.
            throw Failure.usage(
                "another process holds the database, and cannot ask for the password: use "
                    + "\(option) or \(variable)"
            )
        } else {
            secret = try isNew ? askTwice(prompt, option, variable) : ask(prompt, option, variable)
        }
        guard !isNew || !secret.isEmpty else {
            throw Failure(kind: .invalid, sentence: "the password is empty; choose a longer one")
        }
        return secret
    }

    /// Asks a person, unless it was typed before.
    private static func ask(
        _ prompt: String,
        _ option: String,
        _ variable: String
    ) throws -> String {
        if let known = typed.withLock({ $0[prompt] }) { return known }
        guard isatty(STDIN_FILENO) == 1, let text = try HiddenLine.read("\(prompt): ") else {
            throw Failure.usage("no password: use \(option) or \(variable)")
        }
        typed.withLock { $0[prompt] = text }
        return text
    }

    private static func askTwice(
        _ prompt: String,
        _ option: String,
        _ variable: String
    ) throws -> String {
        let text = try ask(prompt, option, variable)
        guard try HiddenLine.read("Repeat it: ") == text else {
            throw Failure(
                kind: .invalid,
                sentence: "the two entries differ; nothing was changed"
            )
        }
        return text
    }

    /// More than any password or session ID has.
    private static let lineByteLimit = 64 << 10

    /// The first line of a file, without its end; `-` is standard input.
    package static func firstLine(of file: String) throws(Failure) -> String {
        // The input of another shell is its own.
        guard file == "-", Streams.current.interruption == nil else {
            return try InputFile(file).firstLine(limit: lineByteLimit)
        }
        if let known = typed.withLock({ $0[file] }) { return known }
        let line = try InputFile(file).firstLine(limit: lineByteLimit)
        typed.withLock { $0[file] = line }
        return line
    }
}
