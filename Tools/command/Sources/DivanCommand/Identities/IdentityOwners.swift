import CouchbaseLiteSwift
import DivanCrypto
import DivanJSON
import Foundation

/// The databases whose listeners use the identities that were created without a name.
///
/// Such a label contains the public UUID of its database. Databases are searched for in this directory, in
/// the default one, and among those that are open; unreadable databases are skipped.
struct IdentityOwners {
    private static let prefix = "CBL-ANON-"
    /// Maximum number of databases examined.
    private static let lookCount = 200

    private let names: [ExactText: String]

    init(of labels: [String]) {
        let wanted = Set(labels.filter { $0.hasPrefix(Self.prefix) }.map { ExactText($0) })
        var names: [ExactText: String] = [:]
        if !wanted.isEmpty {
            for path in Self.candidates().prefix(Self.lookCount) where names.count < wanted.count {
                guard let uuid = path.publicUUIDWithoutKey else { continue }
                let label = ExactText(Self.prefix + Self.text(of: uuid))
                if wanted.contains(label) { names[label] = path.name }
            }
        }
        self.names = names
    }

    /// The purpose of an identity that was created without a name; `nil` for others.
    func sentence(for label: String) -> String? {
        guard label.hasPrefix(Self.prefix) else { return nil }
        return names[ExactText(label)].map { "listener of database \($0)" }
            ?? "listener of an unknown database"
    }

    private static func text(of uuid: [UInt8]) -> String { Hex.encode(uuid.span) }

    private static func candidates() -> [DatabasePath] {
        let files = FileManager.default
        let directories = [files.currentDirectoryPath, DatabaseConfiguration().directory]
        let lying = directories.flatMap { directory in
            ((try? files.contentsOfDirectory(atPath: directory)) ?? []).sorted()
                .filter { $0.hasSuffix(DatabasePath.suffix) }.map { "\(directory)/\($0)" }
        }
        return (lying + RunningDatabases.bundles()).map { DatabasePath($0) }
    }
}
