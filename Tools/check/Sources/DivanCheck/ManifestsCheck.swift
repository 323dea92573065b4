/// The root manifest is the source of the packages' own manifests, which `make generate` writes.
///
/// The manifests of tools and examples, which have products and comments of their own, list the same
/// targets as the root.
struct ManifestsCheck: Generated {
    let tree: SourceTree

    func violations() throws -> [Violation] {
        let root = try Manifest(of: ".", in: tree).targets
        var violations = try stale()
        for folder in ["Tools/command", "Tools/check", "Docs/examples"]
        where tree.exists("\(folder)/Package.swift") {
            let own = try Manifest(of: folder, in: tree).targets
            for target in root.map(Self.sorted) where target.path.hasPrefix("\(folder)/") {
                guard !own.map(Self.sorted).contains(target) else { continue }
                violations.append(
                    Violation(folder, "\(target.name) differs from the root manifest", Self.remedy)
                )
            }
            for target in own where !root.contains(where: { $0.name == target.name }) {
                violations.append(
                    Violation(folder, "the root manifest lacks \(target.name)", Self.remedy)
                )
            }
        }
        return violations
    }

    private static let remedy = "list the target with the same settings in both"

    private static func sorted(_ target: Manifest.Target) -> Manifest.Target {
        var target = target
        target.dependencies.sort()
        return target
    }

    func generated() throws -> [String: String] {
        let root = try Manifest(of: ".", in: tree).targets
        var texts: [String: String] = [:]
        for package in try tree.packages() {
            let targets = root.filter { $0.path.hasPrefix("Packages/\(package)/") }
            texts["Packages/\(package)/Package.swift"] = text(package, targets)
        }
        return texts
    }

    // MARK: The text

    private static let strict = [
        ".enableUpcomingFeature(\"ExistentialAny\")",
        ".enableUpcomingFeature(\"InternalImportsByDefault\")",
        ".enableUpcomingFeature(\"MemberImportVisibility\")", ".treatAllWarnings(as: .error)",
    ]

    private func text(_ package: String, _ targets: [Manifest.Target]) -> String {
        let own = Set(targets.map(\.name))
        let siblings = Set(targets.flatMap(\.dependencies)).subtracting(own).sorted()
            .map { ".package(path: \"../\($0)\")" }
        // C modules first, tests last.
        let places = ["C": 0, "test": 2]
        let ordered = targets.enumerated().sorted { left, right in
            func place(_ target: Manifest.Target) -> Int {
                places[target.kind] ?? (target.name.hasPrefix("C\(package)") ? 0 : 1)
            }
            return (place(left.element), left.offset) < (place(right.element), right.offset)
        }
        let product = ".library(name: \"\(package)\", targets: [\"\(package)\"])"
        var parts = ["name: \"\(package)\"", "products: [\(product)]"]
        if !siblings.isEmpty { parts.append(list("dependencies", siblings, at: 4)) }
        let all = ordered.map { target($0.element, of: package) }
        parts.append("targets: [\n        " + all.joined(separator: ",\n        ") + ",\n    ]")
        return """
            // swift-tools-version: 6.2
            // Generated from the manifest of the repository by `make generate`.
            import PackageDescription

            let strict: [SwiftSetting] = [
                \(Self.strict.joined(separator: ",\n    ")),
            ]

            let package = Package(
                \(parts.joined(separator: ",\n    "))
            )

            """
    }

    private func target(_ target: Manifest.Target, of package: String) -> String {
        let kind = ["test": ".testTarget", "executable": ".executableTarget"][target.kind]
        let usual = (target.kind == "test" ? "Tests/" : "Sources/") + target.name
        let path = target.path.dropFirst("Packages/\(package)/".count)
        var parts = ["name: \"\(target.name)\""]
        if !target.dependencies.isEmpty {
            let names = target.dependencies.map { "\"\($0)\"" }
            parts.append(list("dependencies", names, at: 12))
        }
        if path != usual { parts.append("path: \"\(path)\"") }
        if !target.resources.isEmpty { parts.append(list("resources", target.resources, at: 12)) }
        for (tool, settings) in target.settings.sorted(by: { $0.key > $1.key }) {
            let isStrict = tool == "swiftSettings" && settings == Self.strict
            parts.append(isStrict ? "\(tool): strict" : list(tool, settings, at: 12))
        }
        let line = "\(kind ?? ".target")(\(parts.joined(separator: ", ")))"
        if line.count + 9 <= 100, !line.contains("\n") { return line }
        return (kind ?? ".target") + "(\n            " + parts.joined(separator: ",\n            ")
            + "\n        )"
    }

    /// An argument that is a list: on one line if it fits.
    private func list(_ label: String, _ items: [String], at indentation: Int) -> String {
        let line = "\(label): [\(items.joined(separator: ", "))]"
        if line.count + indentation < 100 { return line }
        let indent = String(repeating: " ", count: indentation)
        return "\(label): [\n" + items.map { "\(indent)    \($0),\n" }.joined() + "\(indent)]"
    }
}
