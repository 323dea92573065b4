import Foundation

/// The files of a checkout that the checks read.
public struct SourceTree: Sendable {
    /// Absolute path of the checkout.
    public let root: String

    /// Opens the checkout at `root`.
    public init(root: String) {
        self.root = root
    }

    /// Returns the names of the packages under `Packages/`, sorted.
    public func packages() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: root + "/Packages").sorted()
            .filter { !$0.hasSuffix(".swift") }
    }

    /// Returns the paths, relative to the checkout, of files under `folder` that end in `suffix`.
    ///
    /// Build products and test data are left out.
    public func files(under folder: String, suffix: String) -> [String] {
        guard let names = FileManager.default.enumerator(atPath: root + "/" + folder) else {
            return []
        }
        var files: [String] = []
        for case let name as String in names where name.hasSuffix(suffix) {
            let parts = name.split(separator: "/")
            if parts.contains(".build") || parts.contains("Fixtures") { continue }
            files.append(folder + "/" + name)
        }
        return files.sorted()
    }

    /// Returns the text of a file of the checkout.
    public func text(_ path: String) throws -> String {
        try String(contentsOfFile: root + "/" + path, encoding: .utf8)
    }

    /// Whether a file or folder of the checkout exists.
    public func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: root + "/" + path)
    }
}

extension String {
    /// The lines of the text, empty ones included.
    var lines: [Substring] { split(separator: "\n", omittingEmptySubsequences: false) }
}
