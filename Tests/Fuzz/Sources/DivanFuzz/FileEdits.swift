import Foundation

/// Reads an input as edits to the bytes of a file: what an attacker with access to the disk can do to it.
///
/// An encrypted file has a tag for each part, so bytes alone would not get far: the file is a real one,
/// and the input says which of its bytes are changed, moved, cut off or inserted.
enum FileEdits {
    private static let maximumCount = 16

    private enum Edit: UInt8, CaseIterable {
        case flip, overwrite, cut, append, copyBlock, zero
    }

    static func apply(_ reader: inout InputReader, to bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<maximumCount where !reader.isAtEnd && !bytes.isEmpty {
            let edit = Edit(rawValue: reader.byte() % UInt8(Edit.allCases.count)) ?? .flip
            let place = reader.place(below: bytes.count)
            switch edit {
            case .flip: bytes[place] ^= reader.byte()
            case .overwrite: overwrite(&bytes, at: place, with: reader.piece())
            case .cut: bytes.removeSubrange(place...)
            case .append: bytes += reader.piece()
            case .copyBlock:
                // Pages, frames and chunks begin at multiples of this, or one head later.
                let (from, size) = (reader.place(below: bytes.count), 4_096)
                overwrite(&bytes, at: place, with: Array(bytes[from...].prefix(size)))
            case .zero:
                overwrite(&bytes, at: place, with: [UInt8](repeating: 0, count: reader.count()))
            }
        }
        return bytes
    }

    private static func overwrite(_ bytes: inout [UInt8], at place: Int, with piece: [UInt8]) {
        let end = min(place + piece.count, bytes.count)
        bytes.replaceSubrange(place..<end, with: piece.prefix(end - place))
    }

    /// One edit of each kind, at an offset of a file.
    static func seeds(at place: Int) -> [[UInt8]] {
        let at = [0, UInt8(place >> 16 & 255), UInt8(place >> 8 & 255), UInt8(place & 255)]
        return [
            [0] + at + [1], [1] + at + [3, 0, 1, 2, 3], [2] + at, [3] + at + [2, 0, 7, 7],
            [4] + at + [0, 0, 0, 0], [5] + at + [16, 0],
        ]
    }
}

extension InputReader {
    /// An offset in something of that many bytes, from four bytes.
    mutating func place(below count: Int) -> Int {
        let number = (0..<4).reduce(0) { number, _ in number << 8 | Int(byte()) }
        return number % max(count, 1)
    }
}

/// Writes the file of a database to the place of a bundle.
func writeBundle(_ file: [UInt8], at path: String) throws {
    try FileManager.default.createDirectory(
        atPath: path + "/Attachments",
        withIntermediateDirectories: true
    )
    try Data(file).write(to: URL(filePath: path + "/db.sqlite3"))
}
