import Foundation

/// The root manifest lists exactly the targets of the packages' own manifests, and those of the trials and the
/// bench, which have none.
///
/// Both are read as SwiftPM understands them (`swift package dump-package`).
public struct ManifestsCheck {
    private let tree: SourceTree

    /// Checks the given checkout.
    public init(_ tree: SourceTree) {
        self.tree = tree
    }

    /// Returns the targets that are missing, superfluous or different, one violation each.
    public func violations() throws -> [Violation] {
        let root = try targets(of: ".")
        var violations: [Violation] = []
        var seen: Set<String> = []
        let packages = try tree.packages().map { "Packages/\($0)" }
        let folders = packages + ["Tools/command", "Tools/check", "Docs/examples"]
        for folder in folders where tree.exists("\(folder)/Package.swift") {
            for (name, own) in try targets(of: folder).sorted(by: { $0.key < $1.key }) {
                seen.insert(name)
                guard let listed = root[name] else {
                    violations.append(mismatch(folder, "the root manifest lacks \(name)"))
                    continue
                }
                for difference in own.differences(from: listed) {
                    violations.append(
                        mismatch(folder, "\(name) differs from the root manifest in \(difference)")
                    )
                }
            }
        }
        violations += try outsideViolations(settings: root["Divan"]?.settings ?? [])
        for (name, target) in root.sorted(by: { $0.key < $1.key })
        where !seen.contains(name) && !isOnlyInRoot(target) {
            violations.append(mismatch("Package.swift", "\(name) is in no package's manifest"))
        }
        return violations
    }

    /// Trials and bench are built from the root alone, so that one build serves all tests.
    private func isOnlyInRoot(_ target: Target) -> Bool {
        target.path.hasPrefix("Tests/") || target.path.hasPrefix("Tools/bench/")
    }

    /// Separate manifests, which dependents of the root never read, use its settings.
    private func outsideViolations(settings: Set<String>) throws -> [Violation] {
        var violations: [Violation] = []
        for folder in ["Tests/Fuzz"]
        where tree.exists("\(folder)/Package.swift") {
            let targets = try targets(of: folder).filter { !$0.key.hasPrefix("CDivan") }
            for (name, target) in targets.sorted(by: { $0.key < $1.key })
            where target.settings != settings {
                violations.append(
                    mismatch(folder, "\(name) has other settings than the root manifest's Divan")
                )
            }
        }
        return violations
    }

    private func mismatch(_ place: String, _ problem: String) -> Violation {
        Violation(place: place, problem: problem, remedy: "bring the two manifests in step")
    }

    private struct Target {
        var path: String
        var kind: String
        var dependencies: Set<String>
        var settings: Set<String>

        func differences(from other: Target) -> [String] {
            var differences: [String] = []
            if path != other.path { differences.append("path (\(path), \(other.path))") }
            if kind != other.kind { differences.append("kind (\(kind), \(other.kind))") }
            if dependencies != other.dependencies {
                let odd = dependencies.symmetricDifference(other.dependencies).sorted()
                differences.append("dependencies (\(odd.joined(separator: ", ")))")
            }
            if settings != other.settings { differences.append("settings") }
            return differences
        }
    }

    private func targets(of folder: String) throws -> [String: Target] {
        let json = try dump(folder)
        guard let package = try JSONSerialization.jsonObject(with: json) as? [String: Any],
            let list = package["targets"] as? [[String: Any]]
        else { return [:] }
        var targets: [String: Target] = [:]
        for entry in list {
            guard let name = entry["name"] as? String, let kind = entry["type"] as? String else {
                continue
            }
            let usual = kind == "test" ? "Tests/\(name)" : "Sources/\(name)"
            let inner = entry["path"] as? String ?? usual
            targets[name] = Target(
                path: folder == "." ? inner : "\(folder)/\(inner)",
                kind: kind,
                dependencies: dependencyNames(entry["dependencies"]),
                settings: settingTexts(entry["settings"])
            )
        }
        return targets
    }

    private func dependencyNames(_ value: Any?) -> Set<String> {
        var names: Set<String> = []
        for dependency in value as? [[String: Any]] ?? [] {
            for form in dependency.values {
                if let name = (form as? [Any])?.first as? String { names.insert(name) }
            }
        }
        return names
    }

    private func settingTexts(_ value: Any?) -> Set<String> {
        let settings = value as? [[String: Any]] ?? []
        return Set(
            settings.compactMap { setting in
                let options: JSONSerialization.WritingOptions = [.sortedKeys, .fragmentsAllowed]
                return (try? JSONSerialization.data(withJSONObject: setting, options: options))
                    .map { String(decoding: $0, as: UTF8.self) }
            }
        )
    }

    private func dump(_ folder: String) throws -> Data {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "swift", "package", "--package-path", "\(tree.root)/\(folder)", "--ignore-lock",
            "dump-package",
        ]
        // Only with this does the root manifest treat its warnings as errors; the others always do.
        process.environment = ProcessInfo.processInfo.environment
            .merging(["DIVAN_STRICT": "1"]) { $1 }
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return bytes
    }
}
