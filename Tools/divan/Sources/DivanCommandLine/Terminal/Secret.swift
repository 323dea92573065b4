import Foundation
import Glibc

/// A password, never from the command line: everybody on the machine can read that.
package enum Secret {
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
            guard isatty(STDIN_FILENO) == 1, let typed = try HiddenLine.read("\(prompt): ") else {
                throw Failure.usage("no password: use \(option) or \(variable)")
            }
            if isNew, try HiddenLine.read("Repeat it: ") != typed {
                throw Failure(
                    kind: .invalid,
                    sentence: "the two entries differ; nothing was changed"
                )
            }
            secret = typed
        }
        guard !isNew || !secret.isEmpty else {
            throw Failure(kind: .invalid, sentence: "the password is empty; choose a longer one")
        }
        return secret
    }

    /// Whether `read` would ask a person.
    package static func isAskedFor(
        _ arguments: Arguments,
        option: String = "--password-file",
        variable: String = "DIVAN_PASSWORD"
    ) -> Bool {
        arguments.value(option) == nil && ((try? Environment.value(variable)) ?? nil) == nil
    }

    /// More than any password or session ID has.
    private static let lineByteLimit = 64 << 10

    /// The first line of a file, without its end; `-` is standard input.
    package static func firstLine(of file: String) throws(Failure) -> String {
        try InputFile(file).firstLine(limit: lineByteLimit)
    }
}
