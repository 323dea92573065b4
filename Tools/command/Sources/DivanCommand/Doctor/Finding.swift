import DivanCommandLine
import DivanJSON

/// The result of one step of an examination.
struct Finding: Sendable, Equatable {
    /// How serious it is.
    enum Verdict: String, Sendable {
        case ok
        /// It works, but needs attention.
        case warning
        /// It does not work until this is fixed.
        case failed
    }

    /// The step, one word: `name`, `tls`, `credentials`.
    let step: String
    let verdict: Verdict
    /// The result.
    let seen: String
    /// The suggested action.
    var remedy: String?
    /// The measurements, for machines.
    var figures: JSONObject?
    /// The command's exit code for it.
    var kind = Failure.Kind.failed

    /// How `seen` describes an HTTP response.
    static func answer(_ status: Int, _ explanation: String) -> String {
        "HTTP \(status)" + (explanation.isEmpty ? "" : " “\(explanation)”")
    }

    static func ok(_ step: String, _ seen: String) -> Finding {
        Finding(step: step, verdict: .ok, seen: seen)
    }

    static func warning(_ step: String, _ seen: String, _ remedy: String) -> Finding {
        Finding(step: step, verdict: .warning, seen: seen, remedy: remedy)
    }

    static func failed(
        _ step: String,
        _ seen: String,
        _ remedy: String,
        _ kind: Failure.Kind
    ) -> Finding {
        Finding(step: step, verdict: .failed, seen: seen, remedy: remedy, kind: kind)
    }

    /// The step for people; `way` keeps its name in JSON, for scripts.
    private var title: String { step == "way" ? "latency" : step }

    /// The finding as lines for people.
    var lines: [String] {
        let mark = verdict == .ok ? "ok  " : verdict == .warning ? "warn" : "FAIL"
        let head = "\(mark)  \(title.padding(to: 12))\(seen)".escapingControlCharacters()
        guard let remedy else { return [head] }
        return [head, "      \("".padding(to: 12))-> \(remedy)".escapingControlCharacters()]
    }

    /// The finding for machines.
    var json: JSON {
        var object: JSONObject = [
            "step": .string(step), "verdict": .string(verdict.rawValue), "seen": .string(seen),
        ]
        if let remedy { object["remedy"] = .string(remedy) }
        if let figures { object["figures"] = .object(figures) }
        return .object(object)
    }

    func show(_ terminal: Terminal) {
        if terminal.isJSON { return terminal.result(json.canonicalText) }
        for line in lines { terminal.result(line) }
    }
}

/// Shows the findings of an examination, and remembers the first failure.
final class FindingList {
    private let terminal: Terminal
    private var failure: Finding?

    init(_ terminal: Terminal) {
        self.terminal = terminal
    }

    func show(_ finding: Finding) {
        finding.show(terminal)
        if finding.verdict == .failed { failure = failure ?? finding }
    }

    /// - Throws: The first failure, with the name of what was examined.
    func requireSuccess(of subject: String) throws(Failure) {
        guard let failure else { return }
        throw Failure(
            kind: failure.kind,
            sentence: "\(subject): \(failure.step): \(failure.seen)"
        )
    }
}
