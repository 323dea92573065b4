import CouchbaseLiteSwift
import DivanCommandLine
import DivanLog

/// The options of a long-running command about its log.
enum LogChoice {
    static let redaction = CommandSyntax.Option.value(
        "--log-redaction",
        "LEVEL",
        completion: .word(of: LogRedaction.allCases.map(\.rawValue)),
        "user data in the log: none (default), partial or full"
    )

    static let level = CommandSyntax.Option.value(
        "--log",
        "LEVEL",
        completion: .word(of: Journal.levels.map(\.name)),
        "print the log from LEVEL: error, warning, info or verbose"
    )

    /// Reads the options, and applies them to the log of this process.
    ///
    /// - Throws: `Failure` for an unknown level; nothing is then applied.
    static func apply(_ arguments: Arguments) throws(Failure) {
        let (redaction, level) = try read(arguments)
        LogSinks.redaction = redaction
        Journal.show(from: level ?? Journal.levelOfEnvironment)
    }

    /// Reads the options; the level is `nil` if it is missing.
    ///
    /// - Throws: `Failure` for an unknown level.
    static func read(
        _ arguments: Arguments
    ) throws(Failure) -> (redaction: LogRedaction, level: CouchbaseLiteSwift.LogLevel?) {
        var redaction = LogRedaction.none
        if let text = arguments.value("--log-redaction") {
            guard let known = LogRedaction(rawValue: text) else {
                throw Failure.usage(
                    "invalid value '\(text)' for '--log-redaction'",
                    hint: "use none, partial or full"
                )
            }
            redaction = known
        }
        guard let text = arguments.value("--log") else { return (redaction, nil) }
        guard let level = Journal.levels.first(where: { $0.name == text })?.level else {
            throw Failure.usage(
                "invalid value '\(text)' for '--log'",
                hint: "use error, warning, info or verbose"
            )
        }
        return (redaction, level)
    }
}
