/// Packages import what the root manifest lets them, and the table in `Docs/architecture.md` shows it.
///
/// The manifest has no dependency that is not imported. Cores do without Foundation, and only
/// DivanPlatform imports the system's C library, so that a port to another system changes one package.
/// The sync engine links only some system libraries, however long the path to one: it needs no SQLite.
struct ArrowsCheck: Generated {
    let tree: SourceTree

    private static let page = "Docs/architecture.md"
    private static let (start, end) = ("<!-- arrows -->", "<!-- /arrows -->")
    private static let coresWithoutFoundation = [
        "DivanCrypto", "DivanCompression", "DivanJSON", "DivanWebSocket", "DivanBLIP",
        "DivanDelta", "DivanRevisions", "DivanQuery", "DivanSQL", "DivanMesh",
        "DivanConflicts", "DivanReplicator", "DivanVectors",
    ]
    /// The system libraries in the closure of a package.
    private static let linkedLibraries: [String: Set<String>] = [
        "DivanReplicator": ["c", "crypto", "m", "z"]
    ]
    private static let libraries = ["Android", "Bionic", "Darwin", "Glibc", "Musl", "SwiftGlibc"]

    func violations() throws -> [Violation] {
        let targets = try Manifest(of: ".", in: tree).targets
        var violations = try stale() + foreign() + linked(by: targets)
        for package in try tree.packages() {
            guard let target = targets.first(where: { $0.name == package }) else {
                violations.append(Violation("Package.swift", "\(package) is missing", "list it"))
                continue
            }
            var unused = Set(target.dependencies)
            let sources = tree.files(in: "Packages/\(package)/Sources")
            for (module, place) in try sources.flatMap(imports) {
                unused.remove(module)
                let isOurs = /C?Divan.*|CouchbaseLiteSwift/
                if module.wholeMatch(of: isOurs) != nil, module != package,
                    !target.dependencies.contains(module)
                {
                    violations.append(
                        Violation(
                            place,
                            "\(package) may not import \(module)",
                            "turn the arrow round, or list it in the root manifest"
                        )
                    )
                }
                if module == "Foundation", Self.coresWithoutFoundation.contains(package) {
                    violations.append(
                        Violation(
                            place,
                            "\(package) is a core and may not import Foundation",
                            "let the caller pass what it needs"
                        )
                    )
                }
            }
            for module in unused.sorted() {
                violations.append(
                    Violation("Package.swift", "\(package) does not use \(module)", "remove it")
                )
            }
        }
        return violations
    }

    /// System libraries that the closure of a package may not contain, with the path to each.
    private func linked(by targets: [Manifest.Target]) -> [Violation] {
        var violations: [Violation] = []
        for (package, allowed) in Self.linkedLibraries {
            var open = [[package]]
            var seen: Set<String> = []
            while let path = open.popLast() {
                guard let target = targets.first(where: { $0.name == path.last }),
                    seen.insert(target.name).inserted
                else { continue }
                open += target.dependencies.map { path + [$0] }
                for library in target.linkedLibraries where !allowed.contains(library) {
                    violations.append(
                        Violation(
                            "Package.swift",
                            "\(path.joined(separator: " → ")) links \(library)",
                            "remove an arrow, or split a package on this path"
                        )
                    )
                }
            }
        }
        return violations
    }

    /// Imports of the C library outside DivanPlatform.
    ///
    /// Foundation re-exports it on Linux; what uses it that way is found by `make platforms`.
    private func foreign() throws -> [Violation] {
        let files = tree.files(in: "Packages", "Tools", "Tests", "Docs/examples")
            .filter { !$0.hasPrefix("Packages/DivanPlatform/") }
        return try files.flatMap(imports).compactMap { module, place in
            guard Self.libraries.contains(module) else { return nil }
            let remedy = "use DivanPlatform, or add the call to it"
            return Violation(place, "\(module) is imported outside DivanPlatform", remedy)
        }
    }

    /// The modules that a file imports, as a whole or a declaration of them, with their places.
    private func imports(_ file: String) throws -> [(module: String, place: String)] {
        let imports = try Pattern(
            #"^ *(?:@\w+ |public |internal |package |fileprivate |private )*import "#
                + #"(?:(?:struct|class|enum|protocol|typealias|func|let|var) )?(\w+)"#
        )
        return imports.matches(in: try tree.text(file)).map {
            (String($0.groups[1]), "\(file):\($0.line)")
        }
    }

    // MARK: The table

    /// The page, with layers and imports as in the manifest; what a package contains stays as it is.
    func generated() throws -> [String: String] {
        let text = try tree.text(Self.page)
        guard let start = text.firstRange(of: Self.start), let end = text.firstRange(of: Self.end)
        else { return [Self.page: text + "\n\(Self.start)\n\(Self.end)\n"] }
        let packages = Set(try tree.packages())
        var arrows: [String: [String]] = [:]
        for target in try Manifest(of: ".", in: tree).targets where packages.contains(target.name) {
            arrows[target.name] = target.dependencies.filter(packages.contains).sorted()
        }
        var layers = arrows.mapValues { _ in 0 }
        for _ in arrows {
            for (name, below) in arrows {
                layers[name] = (below.compactMap { layers[$0] }.max() ?? -1) + 1
            }
        }
        let rows = text[start.upperBound..<end.lowerBound].split(separator: "\n").map(\.cells)
        let contents = Dictionary(
            rows.filter { $0.count == 4 }.map { (String($0[1]), String($0[2])) }
        ) { first, _ in first }
        let table = layers.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map { name, layer in
            let below = arrows[name, default: []].map(Self.short)
            return "| \(layer) | \(Self.short(name)) | \(contents[Self.short(name)] ?? "?") "
                + "| \(below.isEmpty ? "–" : below.joined(separator: ", ")) |"
        }
        let head = "| layer | package | contents | imports |\n|---|---|---|---|\n"
        let page =
            text[..<start.upperBound] + "\n" + head + table.joined(separator: "\n") + "\n"
            + text[end.lowerBound...]
        return [Self.page: String(page)]
    }

    private static func short(_ package: String) -> String {
        package == "Divan" || !package.hasPrefix("Divan") ? package : String(package.dropFirst(5))
    }
}
