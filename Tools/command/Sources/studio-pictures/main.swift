import DivanPlatform
import DivanTestKit
import Foundation

/// Draws the pictures of the studio that the documentation shows: studio-pictures FOLDER.
///
/// Unchanged pictures are not redrawn.
let words = CommandLine.arguments.dropFirst()
guard words.count == 1, let folder = words.first else {
    print("Usage: studio-pictures FOLDER")
    CurrentProcess.exit(2)
}

do {
    for line in try ScreenshotFolder(folder).draw(SampleStudio(), in: Browser()) { print(line) }
} catch {
    try? FileHandle.standardError.write(contentsOf: Data("studio-pictures: \(error)\n".utf8))
    CurrentProcess.exit(1)
}
