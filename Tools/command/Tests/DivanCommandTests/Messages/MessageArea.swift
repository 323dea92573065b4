/// A section of `Tools/command/messages.md`: commands that fail, and what they need.
struct MessageArea: Sendable {
    /// A server that runs while the commands do.
    struct Server: Sendable {
        /// The variable that contains its host and port.
        let name: String
        /// The member of the `listening` event that contains its URL.
        var member = "urls"
        /// The arguments of `divan`.
        let command: String
    }

    /// The heading.
    let title: String
    /// What the commands refer to, for readers.
    let words: String
    /// The shell script that creates it.
    let preparation: String
    /// Servers that are started after the preparation.
    var servers: [Server] = []
    /// The commands, one per line of bash; each fails.
    let commands: String

    /// All areas, in the order of the page.
    static let all = [
        commandLine, databases, documents, queries, imports, keys, serving, sync, rest, studio,
    ]
}
