import DivanTestKit
import Foundation
import Testing

/// A program that is linked from a static library of the packages' object files.
///
/// A linker takes from such a library only the object files that something refers to.
@Suite(.timeLimit(.minutes(10))) struct StaticLibraryTests {
    @Test(arguments: [[], ["-Xlinker", "--gc-sections"]])
    func `errors from the static library have the same codes and messages`(options: [String]) throws
    {
        let library = try StaticLibrary()
        let program = try library.program(
            of: [URL(filePath: #filePath).deletingLastPathComponent().path + "/ErrorTable.swift"],
            main: "for line in try ErrorTable.lines() { print(line) }",
            options: options
        )
        let printed = try StaticLibrary.run(program, [])
        let lines = printed.split(separator: "\n").map(String.init)
        #expect(lines == (try ErrorTable.lines()))
        #expect(lines.first?.hasPrefix("document ID: CouchbaseLite 29:") == true)
    }
}

/// The object files of the packages that a program needs, as one archive.
private struct StaticLibrary {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let folder: TemporaryDirectory
    private let products: URL
    private let packages: URL

    init() throws {
        folder = try TemporaryDirectory()
        products = try #require(Bundle.main.executableURL).deletingLastPathComponent()
        packages =
            URL(filePath: #filePath)
            .appending(path: "../../../../..").standardizedFileURL
        try archive()
    }

    /// Compiles and links a program; returns its path.
    func program(of sources: [String], main: String, options: [String]) throws -> String {
        // The imports link what the archive's object files need.
        let imports = [
            "CouchbaseLiteSwift", "Dispatch", "Foundation", "FoundationEssentials",
            "Synchronization",
        ]
        .map { "import \($0)\n" }.joined()
        try Data("\(imports)\(main)\n".utf8).write(to: URL(filePath: folder.file("main.swift")))
        let program = folder.file("program")
        _ = try Self.run(
            "/usr/bin/env",
            ["swiftc", "-swift-version", "6", "-I", products.appending(path: "Modules").path]
                + moduleMaps() + [folder.file("main.swift")] + sources
                + ["-L", folder.path, "-lDivanStatic"] + systemLibraries() + options
                + ["-o", program]
        )
        return program
    }

    private func archive() throws {
        let all = try FileManager.default.contentsOfDirectory(atPath: packages.path)
        let modules = all.filter { $0 != "DivanTestKit" }
        var objects: [String] = []
        for (package, module) in modules.flatMap({ [($0, $0), ($0, "C" + $0)] }) {
            let place = products.appending(path: "\(module).build")
            let current = objectNames(of: module, in: package)
            let files = FileManager.default.enumerator(atPath: place.path)
            for case let name as String in files ?? .init()
            where current.contains((name as NSString).lastPathComponent) {
                objects.append(place.appending(path: name).path)
            }
        }
        guard objects.count > 100 else {
            throw Failure(description: "no object files in \(products.path)")
        }
        let list = folder.file("objects")
        try Data(objects.joined(separator: "\n").utf8).write(to: URL(filePath: list))
        _ = try Self.run(
            "/usr/bin/env",
            ["ar", "crs", folder.file("libDivanStatic.a"), "@\(list)"]
        )
    }

    /// The names of the object files of a module's present sources; a build directory keeps those of removed ones.
    private func objectNames(of module: String, in package: String) -> Set<String> {
        let place = packages.appending(path: "\(package)/Sources/\(module)")
        var names: Set<String> = []
        for case let name as String in FileManager.default.enumerator(atPath: place.path) ?? .init()
        where name.hasSuffix(".swift") || name.hasSuffix(".c") {
            names.insert((name as NSString).lastPathComponent + ".o")
        }
        return names
    }

    private func moduleMaps() throws -> [String] {
        let all = try FileManager.default.contentsOfDirectory(atPath: packages.path)
        return all.flatMap { name -> [String] in
            let headers = packages.appending(path: "\(name)/Sources/C\(name)/include")
            let maps = [
                headers.appending(path: "module.modulemap"),
                products.appending(path: "C\(name).build/module.modulemap"),
            ]
            guard let map = maps.first(where: { FileManager.default.fileExists(atPath: $0.path) })
            else { return [] }
            return ["-Xcc", "-fmodule-map-file=\(map.path)", "-Xcc", "-I\(headers.path)"]
        }
    }

    /// The libraries that the manifest links.
    private func systemLibraries() throws -> [String] {
        let manifest = try String(
            contentsOf: packages.appending(path: "../Package.swift"),
            encoding: .utf8
        )
        let names = manifest.matches(of: /libraries: \[([^\]]*)\]/).flatMap { match in
            match.1.matches(of: /"([^"]+)"/).map { "-l\($0.1)" }
        }
        return Set(names).sorted()
    }

    static func run(_ program: String, _ arguments: [String]) throws -> String {
        let outcome = try Program(program).run(arguments)
        guard outcome.status == 0 else {
            throw Failure(description: String((outcome.output + outcome.errors).suffix(4_000)))
        }
        return outcome.output
    }
}
