import DivanPlatform
import Foundation

/// Syncs a real database between two peers over TLS; exits with 0 only if the databases are equal.
let directory = NSTemporaryDirectory() + "divan-demo-\(UUID().uuidString)"
let start = Date()
var status: Int32 = 0
do {
    try FileManager.default.createDirectory(
        atPath: directory,
        withIntermediateDirectories: true
    )
    var demo = try Demo(directory: directory)
    try demo.run()
    say(String(format: "\n   Done in %.1f s.", Date().timeIntervalSince(start)))
} catch {
    try? FileHandle.standardError.write(contentsOf: Data("demo: \(error)\n".utf8))
    status = 1
}
try? FileManager.default.removeItem(atPath: directory)
CurrentProcess.exit(status)
