import Foundation

/// One bit of one file.
struct Flip: CustomStringConvertible {
    let file: String
    let offset: Int
    let bit: UInt8

    /// A bit of the database file, or, once in ten times, of a blob's.
    static func random(
        in bundle: String,
        using generator: inout some RandomNumberGenerator
    ) throws -> Flip {
        let blobs = try FileManager.default.contentsOfDirectory(atPath: bundle + "/Attachments")
            .filter { $0.hasSuffix(".blob") }.sorted()
        let isBlob = Int.random(in: 0..<10, using: &generator) == 0
        let name =
            isBlob ? "Attachments/" + (blobs.randomElement(using: &generator) ?? "") : "db.sqlite3"
        let file = bundle + "/" + name
        let attributes = try FileManager.default.attributesOfItem(atPath: file)
        let count = attributes[.size] as? Int ?? 0
        return Flip(
            file: file,
            offset: Int.random(in: 0..<max(count, 1), using: &generator),
            bit: UInt8.random(in: 0..<8, using: &generator)
        )
    }

    /// Flips the bit; a second call restores it.
    func apply() throws {
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions]
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        let handle = try FileHandle(forUpdating: URL(filePath: file))
        try handle.seek(toOffset: UInt64(offset))
        guard let byte = try handle.read(upToCount: 1)?.first else { return }
        try handle.seek(toOffset: UInt64(offset))
        try handle.write(contentsOf: Data([byte ^ (1 << bit)]))
        try handle.close()
        if let mode {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
        }
    }

    var description: String {
        "\(URL(filePath: file).lastPathComponent), byte \(offset), bit \(bit)"
    }
}
