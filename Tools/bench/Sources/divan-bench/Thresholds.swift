import Foundation

/// The requirements of a group's figures: `Tools/bench/thresholds/<group>.json`, a requirement for
/// each figure's name.
///
/// A requirement is at most a factor of 1.3 away from the worst of the runs that it was taken from, so
/// that it detects a slowdown, but not a busy machine. A group without requirements
/// says so, with `{}`.
///
/// A build without optimization has separate requirements in `thresholds/debug`, only for the groups
/// that count: CI builds it anyway.
struct Thresholds {
    private var waiting: [String: Requirement] = [:]

    /// None; for figures outside of a group.
    init() {}

    /// Reads the requirements of a group from the checkout in the current directory.
    ///
    /// - Throws: If there are none and the run is strict: no figure could miss them.
    init(group: String, isStrict: Bool) throws {
        let path = "\(Self.folder)/\(group).json"
        guard let text = FileManager.default.contents(atPath: path) else {
            guard isStrict else { return }
            throw BenchFailure("a strict run needs \(path): start it in the checkout's root")
        }
        do {
            waiting = try JSONDecoder().decode([String: Requirement].self, from: text)
        } catch {
            throw BenchFailure("\(path): \(error)")
        }
    }

    #if DEBUG
    private static let folder = "Tools/bench/thresholds/debug"
    #else
    private static let folder = "Tools/bench/thresholds"
    #endif

    /// Reads the requirements of some groups, before the first of them is measured.
    static func of(groups: [String], isStrict: Bool) throws -> [String: Thresholds] {
        var thresholds: [String: Thresholds] = [:]
        for group in groups {
            thresholds[group] = try Thresholds(group: group, isStrict: isStrict)
        }
        return thresholds
    }

    /// Removes and returns the requirement of a figure that was measured.
    mutating func take(_ name: String) -> Requirement? {
        waiting.removeValue(forKey: name)
    }

    /// Figures that are required and were not measured.
    var unmeasured: [String] { waiting.keys.sorted() }
}
