import Foundation

/// Where a database is: the words of a person, resolved.
///
/// `travel`, `travel.cblite2` and `/data/travel.cblite2/` all name a bundle directory.
struct DatabasePath: Equatable, Sendable {
    /// The directory that holds the bundle.
    let parent: String
    /// The database's name, without the suffix.
    let name: String

    init(_ text: String) {
        var path = text
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        let url = URL(fileURLWithPath: path)
        parent = url.deletingLastPathComponent().path
        let last = url.lastPathComponent
        name = last.hasSuffix(Self.suffix) ? String(last.dropLast(Self.suffix.count)) : last
    }

    /// The bundle directory.
    var bundle: String { "\(parent)/\(name)\(Self.suffix)" }

    static let suffix = ".cblite2"
}
