import Foundation

/// What the figures of a group have to reach: `Tools/bench/thresholds/GROUP.json`, a requirement for
/// each figure's name.
///
/// A requirement lies at most 1.3 times away from the worst of the runs that it was taken from, so
/// that it notices what becomes slower and not that the machine was busy.
struct Thresholds {
    private var waiting: [String: Requirement] = [:]

    /// None; what a group without a file has to reach.
    init() {}

    /// Reads the requirements of a group out of the checkout in the current directory.
    init(group: String) throws {
        let path = "Tools/bench/thresholds/\(group).json"
        guard let text = FileManager.default.contents(atPath: path) else { return }
        waiting = try JSONDecoder().decode([String: Requirement].self, from: text)
    }

    /// Hands out the requirement of a figure that was measured.
    mutating func take(_ name: String) -> Requirement? {
        waiting.removeValue(forKey: name)
    }

    /// Figures that are required and were not measured.
    var unmeasured: [String] { waiting.keys.sorted() }
}
