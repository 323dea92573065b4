import Foundation

/// The page about a run of the suite.
struct Report {
    /// Our ends, the server first.
    let sides: [Side]
    /// Programs and their versions.
    let versions: [(name: String, version: String)]
    /// When the suite ran.
    let date: Date

    /// What is wrong; empty if the suite is passed.
    var complaints: [String] { sides.flatMap(\.complaints) }

    /// The page as Markdown.
    var page: String {
        """
        # WebSocket conformance: the Autobahn suite

        The results of `make autobahn`, which writes this page. It runs the Autobahn test suite \
        against DivanTransport over real sockets: the fuzzing client against our server, and the \
        fuzzing server against our client. Of the compression groups (12 and 13), one case each \
        shows that the offer is ignored. The run fails unless each case is OK or listed below.

        Run on \(day) with \(versions.map { "\($0.name) \($0.version)" }.joined(separator: ", ")).

        | our end | cases | OK | NON-STRICT | INFORMATIONAL | UNIMPLEMENTED | FAILED | UNCLEAN |
        |---|---|---|---|---|---|---|---|
        \(sides.map(row).joined(separator: "\n"))

        \(sides.map(names).joined(separator: "\n"))

        NON-STRICT cases end correctly, but earlier frames in the same packet are not answered \
        first. The run allows 3.2 to 3.4, 4.1.3 to 4.1.5, 4.2.3 to 4.2.5 and 5.15.

        INFORMATIONAL cases have no required result: data after a close, and unregistered close \
        codes. UNIMPLEMENTED cases need permessage-deflate, which Divan never negotiates because \
        BLIP compresses its own messages.

        Groups: 1 framing, 2 pings, 3 reserved bits, 4 opcodes, 5 fragments, 6 UTF-8, 7 closing, \
        9 large messages (to 16 MiB, with limits raised for the run), 10 automatic fragments.

        """
    }

    private var day: String {
        date.formatted(.iso8601.year().month().day())
    }

    private func row(_ side: Side) -> String {
        let unclean = side.cases.filter { $0.closing == "UNCLEAN" }.count
        let counts = ["OK", "NON-STRICT", "INFORMATIONAL", "UNIMPLEMENTED", "FAILED"]
            .map { "\(side.numbers($0).count)" }
        return "| \(side.name) | \(side.cases.count) | "
            + (counts + ["\(unclean)"]).joined(separator: " | ") + " |"
    }

    private func names(_ side: Side) -> String {
        let named = ["NON-STRICT", "INFORMATIONAL", "UNIMPLEMENTED"].map { behavior in
            let numbers = side.numbers(behavior)
            return "\(behavior) \(numbers.isEmpty ? "none" : numbers.joined(separator: ", "))"
        }
        return "- \(side.name): " + named.joined(separator: "; ")
    }
}
