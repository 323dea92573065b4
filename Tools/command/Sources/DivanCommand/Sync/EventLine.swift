import DivanCommandLine
import DivanJSON

/// Writes events: a line of JSON with the time for machines, a sentence for people.
struct EventLine: Sendable {
    private let terminal: Terminal
    private let isTimed: Bool
    private let progress: ProgressLine?

    /// If `isTimed`, sentences begin with the time too: those of servers.
    init(_ terminal: Terminal, isTimed: Bool = false, progress: ProgressLine? = nil) {
        self.terminal = terminal
        self.isTimed = isTimed
        self.progress = progress
    }

    /// Writes an event; `sentence` is the output for people, if any; `members` are only evaluated for machines.
    ///
    /// `moment` is the time of the event, in milliseconds since 1970.
    func write(
        _ event: String,
        _ members: @autoclosure () -> JSONObject = [:],
        sentence: String? = nil,
        at moment: Int64 = Moment.now()
    ) {
        if terminal.isJSON {
            var object = members()
            object["event"] = .string(event)
            object["time"] = .string(Moment.text(moment))
            terminal.result(JSON.object(object).canonicalText)
        } else if let sentence {
            progress?.finish()
            let time = isTimed ? time(of: moment) + " " : ""
            terminal.note(time + sentence.escapingControlCharacters())
        }
    }

    /// The time of day (UTC) on a terminal; date and time in a file or a pipe.
    private func time(of moment: Int64) -> String {
        terminal.isInteractive ? Moment.timeOfDay(moment) : Moment.text(moment)
    }
}
