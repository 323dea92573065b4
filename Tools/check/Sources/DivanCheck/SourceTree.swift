import Foundation

/// The files of a checkout that the rules read.
public struct SourceTree: Sendable {
    /// Absolute path of the checkout.
    public let root: String

    /// Opens the checkout at `root`.
    public init(root: String) {
        self.root = root
    }

    /// The names of the packages under `Packages/`, sorted.
    func packages() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: root + "/Packages").sorted()
            .filter { !$0.hasSuffix(".swift") }
    }

    /// The paths, relative to the checkout, of files in folders that end in `suffix`.
    ///
    /// Build products and test data are left out.
    func files(in folders: String..., suffix: String = ".swift") -> [String] {
        folders.flatMap { folder -> [String] in
            let names = FileManager.default.enumerator(atPath: "\(root)/\(folder)")
            return (names?.compactMap { $0 as? String } ?? []).sorted().filter { name in
                let parts = name.split(separator: "/")
                return name.hasSuffix(suffix) && !parts.contains(".build")
                    && !parts.contains("Fixtures")
            }
            .map { "\(folder)/\($0)" }
        }
    }

    /// The sources of packages.
    func sources() -> [String] { files(in: "Packages").filter { $0.contains("/Sources/") } }

    /// The text of a file of the checkout.
    func text(_ path: String) throws -> String {
        try String(contentsOfFile: root + "/" + path, encoding: .utf8)
    }

    /// The lines of files, one after the other.
    func lines(of files: [String]) throws -> [Line] {
        try files.flatMap { file in
            try text(file).lines.enumerated().map { Line(file: file, number: $0 + 1, text: $1) }
        }
    }

    /// Whether a file or folder of the checkout exists.
    func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: root + "/" + path)
    }
}

/// A line of a source or of a page.
struct Line {
    var file: String
    var number: Int
    var text: Substring

    var place: String { "\(file):\(number)" }
    var code: Substring { text.code }
}

extension String {
    /// The lines of the text, empty ones included.
    var lines: [Substring] { split(separator: "\n", omittingEmptySubsequences: false) }

    /// The folder of a path.
    var parent: String { split(separator: "/").dropLast().joined(separator: "/") }
}
