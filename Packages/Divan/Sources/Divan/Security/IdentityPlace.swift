import DivanTLS
import Foundation
import Synchronization

/// Where identities are kept.
enum IdentityPlace {
    private static let chosen = Mutex<String?>(nil)

    /// The directory: what the program chose, else `$DIVAN_IDENTITY_DIRECTORY`, else
    /// `CouchbaseLite/Identities` in `$XDG_DATA_HOME` or `$HOME/.local/share`.
    static var directory: String {
        get { chosen.withLock { $0 } ?? standardDirectory }
        set { chosen.withLock { $0 = newValue } }
    }

    static var store: DirectoryIdentityStore { DirectoryIdentityStore(directory: directory) }

    private static var standardDirectory: String {
        let environment = ProcessInfo.processInfo.environment
        if let directory = environment["DIVAN_IDENTITY_DIRECTORY"], !directory.isEmpty {
            return directory
        }
        // XDG Base Directory Specification: an empty or relative value counts as unset.
        if let home = environment["XDG_DATA_HOME"], home.hasPrefix("/") {
            return home + "/CouchbaseLite/Identities"
        }
        // `NSHomeDirectory` reads the list of users and knows nothing of `$HOME`.
        let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? NSHomeDirectory()
        return home + "/.local/share/CouchbaseLite/Identities"
    }
}
