import CouchbaseLiteSwift
import Foundation

func openCarefully(_ name: String, for version: String, in directory: String) throws -> Database {
    var config = DatabaseConfiguration()
    config.directory = directory
    let copy = "\(name)-before-\(version)"
    if Database.exists(withName: name, inDirectory: directory),
        !Database.exists(withName: copy, inDirectory: directory)
    {
        let path = "\(directory)/\(name).cblite2"
        try Database.copy(fromPath: path, toDatabase: copy, withConfig: config)
    }
    return try Database(name: name, config: config)
}

func advice(forOpening error: NSError) -> String {
    switch error.code {
    case CBLError.databaseTooNew: "This database is newer than the program: install the newer one."
    case CBLError.busy: "Another program has this database open."
    default: error.localizedDescription
    }
}
