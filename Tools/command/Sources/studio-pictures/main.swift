import DivanTestKit
import Foundation

/// Draws the pictures of the studio that the documentation shows: studio-pictures FOLDER.
///
/// A picture that shows the same as before is not redrawn, so that only real changes appear.
let words = CommandLine.arguments.dropFirst()
guard words.count == 1, let folder = words.first else {
    print("Usage: studio-pictures FOLDER")
    exit(2)
}

do {
    for line in try Album(folder).draw(Kitchen(), in: Browser()) { print(line) }
} catch {
    try? FileHandle.standardError.write(contentsOf: Data("studio-pictures: \(error)\n".utf8))
    exit(1)
}
