import DivanCommandLine
import DivanJSON

/// Writes events of a continuous command: a line of JSON for machines, a sentence for people.
struct EventLine: Sendable {
    private let terminal: Terminal
    private let progress: ProgressLine?

    init(_ terminal: Terminal, progress: ProgressLine? = nil) {
        self.terminal = terminal
        self.progress = progress
    }

    /// Writes an event; `sentence` is the output for people, if any; `members` are only evaluated for machines.
    func write(
        _ event: String,
        _ members: @autoclosure () -> JSONObject = [:],
        sentence: String? = nil
    ) {
        if terminal.isJSON {
            var object = members()
            object["event"] = .string(event)
            terminal.result(JSON.object(object).canonicalText)
        } else if let sentence {
            progress?.finish()
            terminal.note(sentence.escapingControlCharacters())
        }
    }
}
