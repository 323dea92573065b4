import CouchbaseLiteSwift
import Dispatch
import Foundation

func prepareProcess(dataDirectory: String) {
    // Listeners without a queue run on the main queue, which a daemon may never drain.
    Database.defaultListenerQueue = DispatchQueue(label: "kiosk.changes")
    // There is no keychain: identities are files with mode 0600 in this directory.
    TLSIdentity.storeDirectory = dataDirectory + "/identities"
}

func openDatabase(dataDirectory: String) throws -> Database {
    var config = DatabaseConfiguration()
    config.directory = dataDirectory
    return try Database(name: "kiosk", config: config)
}

func keepListening(
    to collection: Collection,
    _ body: @escaping @Sendable ([String]) -> Void
) -> ListenerToken {
    collection.addChangeListener(queue: DispatchQueue(label: "kiosk.menu")) { change in
        body(change.documentIDs)
    }
}

func serverIdentity() throws -> TLSIdentity {
    if let kept = try TLSIdentity.identity(withLabel: "kiosk") { return kept }
    return try TLSIdentity.createIdentity(
        for: .serverAuth,
        attributes: [certAttrCommonName: "kiosk"],
        expiration: Date(timeIntervalSinceNow: 10 * 365 * 86_400),
        label: "kiosk"
    )
}

func keepLogs(dataDirectory: String) {
    LogSinks.console = ConsoleLogSink(level: .warning)
    LogSinks.file = FileLogSink(level: .info, directory: dataDirectory + "/logs")
}
