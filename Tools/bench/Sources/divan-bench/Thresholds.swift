import Foundation

/// What the figures of a group have to reach: `Tools/bench/thresholds/<group>.json`, a requirement for
/// each figure's name.
///
/// A requirement lies at most 1.3 times away from the worst of the runs that it was taken from, so
/// that it notices what becomes slower and not that the machine was busy. A group of which nothing is
/// required says so, with `{}`.
///
/// A build without optimization has requirements of its own in `thresholds/debug`, of those groups alone
/// that count: CI builds it anyway.
struct Thresholds {
    private var waiting: [String: Requirement] = [:]

    /// None; what figures outside of a group have to reach.
    init() {}

    /// Reads the requirements of a group out of the checkout in the current directory.
    ///
    /// - Throws: Where there are none and the run is strict, which no figure could miss then.
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

    /// Hands out the requirement of a figure that was measured.
    mutating func take(_ name: String) -> Requirement? {
        waiting.removeValue(forKey: name)
    }

    /// Figures that are required and were not measured.
    var unmeasured: [String] { waiting.keys.sorted() }
}
