import DivanCrypto
import Foundation

/// Inputs that earlier runs found worth keeping: together they reach what those runs reached.
///
/// One file for each target that has some, `Corpus/TARGET`, one input per line in base64.
public enum KeptInputs {
    /// The kept inputs of a target; none if there is no file.
    public static func inputs(of target: String) throws -> [[UInt8]] {
        let path = folder + "/" + target
        guard FileManager.default.fileExists(atPath: path) else { return [] }
        let text = String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
        return text.split(separator: "\n").compactMap { Base64.decode($0) }
    }

    /// The text of such a file, with the smallest inputs of a folder, at most `byteCount` in total.
    public static func text(from folder: String, byteCount: Int) throws -> String {
        let inputs = try FileManager.default.contentsOfDirectory(atPath: folder).map {
            [UInt8](try Data(contentsOf: URL(filePath: "\(folder)/\($0)")))
        }
        var room = byteCount
        var lines: [String] = []
        for input in inputs.sorted(by: { $0.count < $1.count }) where input.count <= room {
            room -= input.count
            lines.append(Base64.encode(input.span))
        }
        return lines.sorted().map { $0 + "\n" }.joined()
    }

    private static var folder: String {
        var url = URL(filePath: #filePath)
        for _ in 0..<3 { url.deleteLastPathComponent() }
        return url.path() + "Corpus"
    }
}
