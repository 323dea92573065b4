import Foundation

/// A menu that peers sync and browsers read: menu-server-example DIRECTORY, until its input ends.
///
/// Peers log in as `till` with the password in the environment variable `MENU_PASSWORD`.
let words = CommandLine.arguments.dropFirst().map { $0 }
let password = ProcessInfo.processInfo.environment["MENU_PASSWORD"] ?? ""
guard words.count == 1, !password.isEmpty else {
    print("Usage: MENU_PASSWORD=… menu-server-example DIRECTORY")
    exit(2)
}

do {
    let server = try MenuServer(directory: words[0], password: password)
    for line in try server.open() { print(line) }
    fflush(nil)
    while readLine() != nil {}
    try await server.close()
} catch {
    // An uncaught error would end the program with a crash report.
    print(error)
    exit(1)
}
