import Foundation

/// Writes a line at once, so that it keeps its place among what other programs write.
func say(_ text: String = "", terminator: String = "\n") {
    try? FileHandle.standardOutput.write(contentsOf: Data((text + terminator).utf8))
}
