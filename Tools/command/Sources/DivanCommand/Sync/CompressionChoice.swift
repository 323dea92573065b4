import CouchbaseLiteSwift
import DivanCommandLine

/// The compression options of a command.
enum CompressionChoice {
    static let option = CommandSyntax.Option.value(
        "--compression",
        "HOW",
        completion: .word(of: ["auto", "none", "lz4", "deflate"]),
        "auto (default), none, lz4, deflate, or deflate:1 (fastest) to deflate:9 (smallest)"
    ).grouped(.connection)

    /// Reads the option; `nil` if it is missing.
    static func read(_ arguments: Arguments) throws -> ReplicationCompression? {
        guard let text = arguments.value("--compression") else { return nil }
        switch text {
        case "auto", "automatic": return .automatic
        case "none": return ReplicationCompression.none
        case "lz4": return .lz4
        case "deflate": return .deflate(level: 6)
        default:
            let parts = text.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == 2, parts[0] == "deflate", let level = Int(parts[1]),
                (1...9).contains(level)
            else {
                throw Failure.usage(
                    "invalid value '\(text)' for '--compression'",
                    hint: "use auto, none, lz4, deflate, or deflate:1 to deflate:9"
                )
            }
            return .deflate(level: level)
        }
    }
}
