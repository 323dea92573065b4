public import Foundation

/// Damage as a failing disk does it.
public enum RowDamage {
    /// Changes the byte behind a text where a second one follows closely: behind an ID in a row, whose body
    /// holds the second text, not in an index.
    ///
    /// - Returns: How many bytes were changed.
    @discardableResult
    public static func change(
        behind text: String,
        near follower: String,
        in file: URL
    ) throws -> Int {
        var bytes = try Data(contentsOf: file)
        var rest = bytes.startIndex..<bytes.endIndex
        var count = 0
        while let found = bytes.range(of: Data(text.utf8), in: rest) {
            rest = found.upperBound..<bytes.endIndex
            let near = found.upperBound..<min(found.upperBound + 64, bytes.endIndex)
            guard bytes.range(of: Data(follower.utf8), in: near) != nil else { continue }
            bytes[found.upperBound] = 0
            count += 1
        }
        try bytes.write(to: file)
        return count
    }
}
