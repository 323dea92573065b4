/// A build without a C library's headers reports which package to install.
///
/// A file that includes one of them checks with `__has_include` first, and its `#error` names the
/// package. A header that Swift imports shows nothing of the C library: one module would seem to define
/// `timeval` and whatever else it includes, and which module that is differs from build to build.
struct HeadersCheck {
    let tree: SourceTree

    /// The prefixes of a library's headers, and the package that contains them.
    private static let packages = [
        ("avahi-client/", "libavahi-client-dev"), ("editline/", "libedit-dev"),
        ("libstemmer.h", "libstemmer-dev"), ("lz4.h", "liblz4-dev"),
        ("openssl/", "libssl-dev"), ("sqlite3.h", "libsqlite3-dev"),
        ("unicode/", "libicu-dev"), ("zlib.h", "zlib1g-dev"),
    ]
    /// The compiler's own, and what comes with the header of Avahi's client.
    private static let harmless = ["stddef.h", "stdint.h", "stdbool.h", "avahi-common/"]

    func violations() throws -> [Violation] {
        let files = [".c", ".h"].flatMap { tree.files(in: "Packages", "Tools/command", suffix: $0) }
        let includes = try Pattern("^#include <([^>]*)>")
        return try files.filter { $0.contains("/Sources/") }.flatMap { file -> [Violation] in
            let text = try tree.text(file)
            return includes.matches(in: text).compactMap { match in
                let header = match.groups[1]
                let library = Self.packages.first { header.hasPrefix($0.0) }
                if let (prefix, package) = library, !text.contains("__has_include(<\(prefix)") {
                    return Violation(
                        "\(file):\(match.line)",
                        "<\(header)> is included without asking whether it is there",
                        "#if !__has_include, #error that names \(package)"
                    )
                }
                guard file.contains("/include/"), library == nil,
                    !Self.harmless.contains(where: header.hasPrefix)
                else { return nil }
                return Violation(
                    "\(file):\(match.line)",
                    "Swift would take what <\(header)> defines for this module's",
                    "include it where C needs it, and show types of <stdint.h>"
                )
            }
        }
    }
}
