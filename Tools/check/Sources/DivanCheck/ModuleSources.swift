/// The sources of one module as code: without comments and the contents of texts.
struct ModuleSources {
    /// One file of it.
    struct File {
        let path: String
        let lines: [Substring]
    }

    let files: [File]

    /// The modules of the packages and tools.
    static func all(in tree: SourceTree) throws -> [ModuleSources] {
        var paths: [Substring: [String]] = [:]
        for folder in ["Packages", "Tools"] {
            for path in tree.files(under: folder, suffix: ".swift") {
                // Packages/<package>/Sources/<module>/…
                let parts = path.split(separator: "/")
                guard parts.count > 4, parts[2] == "Sources" else { continue }
                paths[parts[1] + "/" + parts[3], default: []].append(path)
            }
        }
        return try paths.sorted { $0.key < $1.key }.map { module in
            ModuleSources(
                files: try module.value.map { path in
                    File(path: path, lines: try tree.text(path).withoutCommentsAndTexts.lines)
                }
            )
        }
    }
}

extension String {
    /// The code without comments after two slashes and without the contents of single-line texts.
    var withoutCommentsAndTexts: String {
        var code: [UInt8] = []
        var text = self
        text.withUTF8 { bytes in
            code.reserveCapacity(bytes.count)
            var place = 0
            var isText = false
            while place < bytes.count {
                let byte = bytes[place]
                let next = place + 1 < bytes.count ? bytes[place + 1] : 0
                place += 1
                if byte == UInt8(ascii: "\n") {
                    isText = false
                } else if isText {
                    if byte == UInt8(ascii: "\\") { place += 1 }
                    guard byte == UInt8(ascii: "\"") else { continue }
                    isText = false
                } else if byte == UInt8(ascii: "\"") {
                    isText = true
                } else if byte == UInt8(ascii: "/"), next == byte {
                    while place < bytes.count, bytes[place] != UInt8(ascii: "\n") { place += 1 }
                    continue
                }
                code.append(byte)
            }
        }
        return String(decoding: code, as: UTF8.self)
    }
}

extension Substring {
    /// The identifiers of a line of code.
    var identifiers: [Substring] {
        utf8.split { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                false
            default: byte < 0x80
            }
        }.map { Substring($0) }
    }

    /// The type that a top-level line of a file declares.
    var declaredType: Substring? {
        guard let first = utf8.first, first != UInt8(ascii: " "), first != UInt8(ascii: "}") else {
            return nil
        }
        let words = identifiers.prefix(8)
        guard let kind = words.firstIndex(where: { Self.kinds.contains($0) }),
            !words[..<kind].contains(where: { Self.others.contains($0) })
        else { return nil }
        return words.dropFirst(kind + 1).first
    }

    private static let kinds: Set<Substring> = [
        "struct", "class", "enum", "actor", "protocol", "typealias",
    ]
    private static let others: Set<Substring> = [
        "extension", "func", "var", "let", "import", "case",
    ]
}
