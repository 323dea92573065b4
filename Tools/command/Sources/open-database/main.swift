import CouchbaseLiteSwift
import DivanCommand
import DivanPlatform
import Foundation

/// A program that keeps a database open until its input ends: open-database DIRECTORY NAME.
///
/// `divan status` shows it, and it runs `divan put` and other commands; the tests use its database from
/// other processes.
let words = CommandLine.arguments.dropFirst().map { $0 }
guard words.count == 2 else {
    print("Usage: open-database DIRECTORY NAME")
    CurrentProcess.exit(2)
}

do {
    var config = DatabaseConfiguration()
    config.directory = words[0]
    config.publishesStatus = true
    let database = try Database(name: words[1], config: config)
    let socket = try CommandSocket(database)
    var sharing = URLEndpointListenerConfiguration(collections: [try database.defaultCollection()])
    sharing.networkInterface = "127.0.0.1"
    sharing.disableTLS = true
    let listener = URLEndpointListener(config: sharing)
    try listener.start()
    for url in listener.urls ?? [] { print(url.absoluteString) }
    CurrentProcess.flushStandardOutput()
    while readLine() != nil {}
    listener.stop()
    socket.close()
    try database.close()
} catch {
    print(error.localizedDescription)
    CurrentProcess.exit(1)
}
