import Foundation

/// Writes a line at once, so that it keeps its place among what other programs write.
func say(_ text: String = "", terminator: String = "\n") {
    FileHandle.standardOutput.write(Data((text + terminator).utf8))
}
