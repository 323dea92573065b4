import Foundation
import Synchronization

/// The targets of a manifest, as SwiftPM understands it.
struct Manifest {
    struct Target: Equatable {
        var name: String
        var kind: String
        /// Relative to the checkout.
        var path: String
        var dependencies: [String]
        /// As Swift code, by the argument that takes them.
        var settings: [String: [String]]
        var resources: [String]

        /// The system libraries that it links.
        var linkedLibraries: [String] {
            settings["linkerSettings", default: []].compactMap { setting in
                setting.wholeMatch(of: /\.linkedLibrary\("(.+)"\)/).map { String($0.1) }
            }
        }
    }

    var targets: [Target] = []

    /// Reads the manifest in a folder of a checkout.
    init(of folder: String, in tree: SourceTree) throws {
        let json = try JSONSerialization.jsonObject(with: try Self.dump(folder, tree))
        for case let entry as [String: Any] in (json as? [String: Any])?["targets"] as? [Any] ?? []
        {
            guard let name = entry["name"] as? String, let kind = entry["type"] as? String else {
                continue
            }
            let path = entry["path"] as? String ?? "\(kind == "test" ? "Tests" : "Sources")/\(name)"
            targets.append(
                Target(
                    name: name,
                    kind: kind,
                    path: folder == "." ? path : "\(folder)/\(path)",
                    dependencies: Self.list(entry["dependencies"]).compactMap { dependency in
                        dependency.values.compactMap { ($0 as? [Any])?.first as? String }.first
                    },
                    settings: Self.settings(entry["settings"]),
                    resources: Self.list(entry["resources"]).compactMap { resource in
                        guard let path = resource["path"], let rule = resource["rule"] else {
                            return nil
                        }
                        return ".\((rule as? [String: Any])?.keys.first ?? "")(\"\(path)\")"
                    }
                )
            )
        }
    }

    private static func list(_ value: Any?) -> [[String: Any]] { value as? [[String: Any]] ?? [] }

    private static func settings(_ value: Any?) -> [String: [String]] {
        var settings: [String: [String]] = [:]
        for setting in list(value) {
            guard let tool = setting["tool"] as? String,
                let (name, values) = (setting["kind"] as? [String: [String: Any]])?.first
            else { continue }
            let value = "\(values["_0"] ?? "")"
            let code =
                switch name {
                case "treatAllWarnings": "as: .\(value)"
                case "swiftLanguageMode": ".v\(value)"
                case "defaultIsolation": "\(value).self"
                default: "\"\(value)\""
                }
            settings["\(tool)Settings", default: []].append(".\(name)(\(code))")
        }
        return settings
    }

    /// What SwiftPM says about a text: it compiles each manifest, which takes a second.
    private static let dumps = Mutex<[String: Data]>([:])

    private static func dump(_ folder: String, _ tree: SourceTree) throws -> Data {
        let text = try tree.text("\(folder)/Package.swift")
        if let known = dumps.withLock({ $0[text] }) { return known }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            ["swift", "package", "--package-path", "\(tree.root)/\(folder)", "--ignore-lock"]
            + ["dump-package"]
        // Only with this does the root manifest treat its warnings as errors; the others always do.
        process.environment = ProcessInfo.processInfo.environment
            .merging(["DIVAN_STRICT": "1"]) { $1 }.filter { $0.key != "DIVAN_OPTIMIZED_C" }
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        // The end of the output is the end of the program; on Linux, `waitUntilExit` sometimes misses it.
        let json = try output.fileHandleForReading.readToEnd() ?? Data()
        dumps.withLock { $0[text] = json }
        return json
    }
}
