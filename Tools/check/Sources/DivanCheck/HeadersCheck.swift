import Foundation

/// A build without a C library's headers reports which package to install.
///
/// A file that includes one of them, or a header in its folder that does, checks with
/// `__has_include` first, and its `#error` names the package. And a header that Swift imports shows
/// nothing of the C library: one module would seem to define `timeval` and whatever else it includes,
/// and which module that is differs from build to build.
public struct HeadersCheck {
    private let tree: SourceTree

    /// The prefixes of a library's headers, and the package that contains them.
    private static let packages = [
        ("avahi-client/", "libavahi-client-dev"), ("editline/", "libedit-dev"),
        ("libstemmer.h", "libstemmer-dev"), ("lz4.h", "liblz4-dev"),
        ("openssl/", "libssl-dev"), ("sqlite3.h", "libsqlite3-dev"),
        ("unicode/", "libicu-dev"), ("zlib.h", "zlib1g-dev"),
    ]

    /// What else a header that Swift imports may include: the compiler's own, and what
    /// comes with the header of Avahi's client.
    private static let harmless = ["stddef.h", "stdint.h", "stdbool.h", "avahi-common/"]

    /// Checks the given checkout.
    public init(_ tree: SourceTree) {
        self.tree = tree
    }

    /// Returns the includes that would only report a missing file.
    public func violations() throws -> [Violation] {
        let folders = ["Packages", "Tools/command"]
        let files = folders.flatMap { folder in
            tree.files(under: folder, suffix: ".c") + tree.files(under: folder, suffix: ".h")
        }
        var violations: [Violation] = []
        for file in files where file.contains("/include/") {
            for header in Self.included(in: try tree.text(file))
            where !(Self.harmless + Self.packages.map(\.0)).contains(where: header.hasPrefix) {
                violations.append(
                    Violation(
                        place: file,
                        problem: "Swift would take what <\(header)> defines for this module's",
                        remedy: "include it where C needs it, and show types of <stdint.h>"
                    )
                )
            }
        }
        for file in files where file.contains("/Sources/") {
            let text = try tree.text(file)
            for (header, package) in Self.packages where text.contains("#include <\(header)") {
                guard !text.contains("__has_include(<\(header)") else { continue }
                violations.append(
                    Violation(
                        place: file,
                        problem: "<\(header)…> is included without asking whether it is there",
                        remedy: "#if !__has_include, #error that names \(package)"
                    )
                )
            }
        }
        return violations
    }

    private static func included(in text: String) -> [String] {
        text.lines.filter { $0.hasPrefix("#include <") }
            .map { String($0.dropFirst("#include <".count).prefix { $0 != ">" }) }
    }
}
