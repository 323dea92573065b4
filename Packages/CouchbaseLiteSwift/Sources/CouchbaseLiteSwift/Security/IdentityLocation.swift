import DivanTLS
import Foundation
import Synchronization

/// Where identities are stored.
enum IdentityLocation {
    private static let chosen = Mutex<String?>(nil)

    /// The directory: the program's choice, otherwise `$DIVAN_IDENTITY_DIRECTORY`, otherwise `CouchbaseLite/Identities`
    /// in `$XDG_DATA_HOME` or `$HOME/.local/share`.
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
        return DatabaseConfiguration.dataDirectory { environment[$0] } + "/Identities"
    }
}
