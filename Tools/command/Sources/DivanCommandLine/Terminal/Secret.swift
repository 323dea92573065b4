import DivanPlatform
import Foundation
import Synchronization

/// A password, never from the command line, which every user of the machine can read.
package enum Secret {
    // A command may connect twice, but asks for a password once.
    private static let typed = Mutex<[String: String]>([:])

    package static let option = CommandSyntax.Option.value(
        "--password-file",
        "FILE",
        completion: .file,
        "read the password from the first line of FILE ('-': stdin)"
    ).grouped(.authentication)

    package static let details =
        "The password is read from --password-file or DIVAN_PASSWORD; without them, divan "
        + "prompts for it."

    /// Reads a password from the source that the arguments name; prompts twice for a new one.
    ///
    /// - Throws: `Failure` if it is missing or empty.
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
                "cannot prompt for the password while another process has the database open",
                hint: "use '\(option) FILE' or the environment variable \(variable)"
            )
        } else {
            secret = try isNew ? askTwice(prompt, option, variable) : ask(prompt, option, variable)
        }
        guard !isNew || !secret.isEmpty else {
            throw Failure(kind: .invalid, sentence: "the password is empty")
        }
        return secret
    }

    /// Prompts for the password, unless it was typed before.
    private static func ask(
        _ prompt: String,
        _ option: String,
        _ variable: String
    ) throws -> String {
        if let known = typed.withLock({ $0[prompt] }) { return known }
        guard FileDescriptor.standardInput.isTerminal,
            let text = try HiddenInput.read("\(prompt): ")
        else {
            throw Failure.usage(
                "no password given",
                hint: "use '\(option) FILE' or the environment variable \(variable)"
            )
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
        guard try HiddenInput.read("Repeat password: ") == text else {
            throw Failure(
                kind: .invalid,
                sentence: "the passwords do not match; nothing was changed"
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
