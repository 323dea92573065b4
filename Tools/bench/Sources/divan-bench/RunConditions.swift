import DivanPlatform
import Foundation

/// What must be known about a run before its figures are compared with another's.
struct RunConditions: Codable {
    /// When the run began, as ISO 8601 in UTC.
    let date: String
    /// The checkout's commit, with the suffix `-dirty` if files were changed; `unknown` without Git.
    let commit: String
    /// Processes that ran or were ready to run, the mean of the minute before the run.
    let load: Double

    /// The current ones.
    static func now(commit: String?) -> RunConditions {
        let text = (try? String(contentsOfFile: "/proc/loadavg", encoding: .utf8)) ?? ""
        let load = text.split(separator: " ").first.flatMap { Double($0) } ?? 0
        return RunConditions(
            date: ISO8601DateFormatter().string(from: Date()),
            commit: commit ?? "unknown",
            load: load
        )
    }
}
