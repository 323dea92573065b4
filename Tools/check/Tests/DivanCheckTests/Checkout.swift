import Foundation

@testable import DivanCheck

/// A small checkout in a temporary folder that breaks no rule until a test makes it.
final class Checkout {
    let tree: SourceTree

    init() throws {
        let root = FileManager.default.temporaryDirectory
            .appendingPathComponent("divan-check-\(UUID().uuidString)").path
        tree = SourceTree(root: root)
        let packages = ["DivanDelta", "DivanJSON"]
        for package in packages {
            let folder = "Packages/\(package)"
            try write("\(folder)/Package.swift", "// as generated\n")
            try write("\(folder)/CHANGELOG.md", "# Changes\n")
            try write(
                "\(folder)/README.md",
                "**Why a package**\n## Use\n```swift\n```\n## Replace it\n"
            )
            try write("\(folder)/Tests/\(package)Tests/ATests.swift", "import Testing\n")
            try write("\(folder)/Sources/\(package)/Main.swift", "struct Main {}\n")
            let catalogue = "\(folder)/Sources/\(package)/\(package).docc"
            try write("\(catalogue)/\(package).md", "# ``\(package)``\n```swift\n```\n## Topics\n")
        }
        try write("Packages/DivanDelta/Sources/DivanDelta/Main.swift", "import DivanJSON\n")
        try write("Package.swift", Self.rootManifest())
        try write("README.md", "Apache-2.0\n")
        try write("LICENSE", "Apache License\n")
        try write("SECURITY.md", "Tell of a vulnerability here.\n")
        try write("CONTRIBUTING.md", "make check\n")
        try write("CHANGELOG.md", "## 0.1.0\n")
        try write(".spi.yml", "documentation_targets: [DivanDelta, DivanJSON]\n")
        try write(
            "Docs/architecture.md",
            """
            <!-- arrows -->
            | layer | package | contents | imports |
            |---|---|---|---|
            | 0 | JSON | x | – |
            | 1 | Delta | x | JSON |
            <!-- /arrows -->

            """
        )
    }

    deinit {
        try? FileManager.default.removeItem(atPath: tree.root)
    }

    func write(_ path: String, _ text: String) throws {
        let url = URL(fileURLWithPath: tree.root + "/" + path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try Data(text.utf8).write(to: url)
    }

    func remove(_ path: String) throws {
        try FileManager.default.removeItem(atPath: tree.root + "/" + path)
    }

    static func rootManifest(
        packages: [String] = ["DivanDelta", "DivanJSON"],
        further: String = ""
    ) -> String {
        let targets = packages.map { name in
            let arrows = name == "DivanDelta" ? "[\"DivanJSON\"]" : "[]"
            let path = "Packages/\(name)/Sources/\(name)"
            return ".target(name: \"\(name)\", dependencies: \(arrows), path: \"\(path)\"),\n"
        }
        return manifest("[\n\(targets.joined())\(further)]")
    }

    static func manifest(_ targets: String) -> String {
        """
        // swift-tools-version: 6.2
        import PackageDescription
        let package = Package(name: "Root", targets: \(targets))
        """
    }
}
