import Foundation

/// The documents of the demo: the ISO code tables and flags that Debian packages.
struct RealData {
    /// A file of documents and the collection for them.
    struct Table {
        var collection: String
        var file: String
        var documentCount: Int
    }

    private let tables = [
        (file: "iso_3166-1", list: "3166-1", collection: "geo.countries", key: "alpha_2"),
        (file: "iso_3166-2", list: "3166-2", collection: "geo.subdivisions", key: "code"),
        (file: "iso_639-3", list: "639-3", collection: "words.languages", key: "alpha_3"),
        (file: "iso_15924", list: "15924", collection: "words.scripts", key: "alpha_4"),
        (file: "iso_4217", list: "4217", collection: "geo.currencies", key: "alpha_3"),
    ]

    /// Names of the collections.
    var collections: [String] { tables.map(\.collection) }

    /// Writes each table as JSON lines into `directory`.
    func write(into directory: String) throws -> [Table] {
        try tables.map { table in
            let source = "/usr/share/iso-codes/json/\(table.file).json"
            guard let bytes = FileManager.default.contents(atPath: source),
                let root = try JSONSerialization.jsonObject(with: bytes) as? [String: Any],
                let entries = root[table.list] as? [[String: Any]]
            else { throw DemoFailure("\(source) does not exist; run 'make setup'") }
            var lines = Data()
            for var entry in entries {
                guard let code = entry[table.key] as? String else { continue }
                entry["_id"] = code.lowercased()
                if table.collection == "geo.countries" { entry["flag"] = flag(of: code) }
                lines += try JSONSerialization.data(withJSONObject: entry, options: .sortedKeys)
                lines.append(UInt8(ascii: "\n"))
            }
            let file = "\(directory)/\(table.collection).jsonl"
            try lines.write(to: URL(fileURLWithPath: file))
            return Table(collection: table.collection, file: file, documentCount: entries.count)
        }
    }

    /// A blob with the inline picture of a flag, or `nil` if it does not exist.
    private func flag(of country: String) -> [String: Any]? {
        let file = "/usr/share/iso-flags-png-320x240/\(country.lowercased()).png"
        guard let picture = FileManager.default.contents(atPath: file) else { return nil }
        return [
            "@type": "blob", "content_type": "image/png", "data": picture.base64EncodedString(),
        ]
    }
}

/// The reason why the demo failed.
struct DemoFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
