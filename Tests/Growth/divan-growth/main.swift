import DivanGrowth
import DivanPlatform
import Foundation

/// `divan-growth [words of a row…]` measures each reader with its worst inputs and prints the table.
let words = CommandLine.arguments.dropFirst()
var failureCount = 0
print(Measurement.head)
for shape in Shape.all where words.allSatisfy({ "\(shape.reader) \(shape.input)".contains($0) }) {
    do {
        let measurement = try Measurement(shape)
        print(measurement.row)
        if !measurement.isLinear { failureCount += 1 }
    } catch {
        print("\(shape.reader), \(shape.input): \(error)")
        failureCount += 1
    }
}
print(failureCount == 0 ? "No time grows faster than size." : "\(failureCount) grow faster.")
CurrentProcess.exit(failureCount == 0 ? 0 : 1)
