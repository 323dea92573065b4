import Foundation

/// Writes a line at once, so that it stays in order with the output of other programs.
func say(_ text: String = "", terminator: String = "\n") {
    try? FileHandle.standardOutput.write(contentsOf: Data((text + terminator).utf8))
}
