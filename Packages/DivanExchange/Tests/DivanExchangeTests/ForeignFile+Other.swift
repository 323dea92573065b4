import DivanExchange

/// GeoJSON, and compressed files.
extension ForeignFile {
    static let geo = [
        ForeignFile(
            "a feature collection of GeoJSON",
            page: "https://www.rfc-editor.org/rfc/rfc7946",
            as: .geoJSON,
            """
            {"type":"FeatureCollection","bbox":[100,0,105,1],"features":[
            {"type":"Feature","id":"f1","geometry":{"type":"Point","coordinates":[102.0,0.5]},"properties":{"prop0":"v"}},
            {"type":"Feature","id":7,"geometry":null,"properties":null}
            ]}
            """,
            documents: """
                {"_id":"7","geometry":null,"id":7,"properties":null,"type":"Feature"}
                {"_id":"f1","geometry":{"coordinates":[102.0,0.5],"type":"Point"},"id":"f1","properties":{"prop0":"v"},"type":"Feature"}

                """
        ),
        ForeignFile(
            "a GeoJSON text sequence",
            page: "https://www.rfc-editor.org/rfc/rfc8142",
            as: .geoJSON,
            """
            \u{1E}{"type":"Feature","id":"a","geometry":null,"properties":{}}
            \u{1E}{"type":"Feature","id":"b","geometry":null,"properties":{}}

            """,
            documents: """
                {"_id":"a","geometry":null,"id":"a","properties":{},"type":"Feature"}
                {"_id":"b","geometry":null,"id":"b","properties":{},"type":"Feature"}

                """
        ),
        ForeignFile(
            "newline-delimited GeoJSON",
            page: "https://stevage.github.io/ndgeojson/",
            as: .geoJSON,
            """
            {"type":"Feature","id":"a","geometry":{"type":"Point","coordinates":[1,2]},"properties":{}}
            {"type":"Point","id":"p","coordinates":[1,2]}

            """,
            documents: """
                {"_id":"a","geometry":{"coordinates":[1,2],"type":"Point"},"id":"a","properties":{},"type":"Feature"}
                {"_id":"p","coordinates":[1,2],"id":"p","type":"Point"}

                """
        ),
    ]

    /// `{"_id":"a","n":1}` and a line end, by gzip 1.12 without a name and a time.
    static let gzipMember: [UInt8] = [
        0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03, 0xAB, 0x56, 0x8A, 0xCF, 0x4C,
        0x51, 0xB2, 0x52, 0x4A, 0x54, 0xD2, 0x51, 0xCA, 0x53, 0xB2, 0x32, 0xAC, 0xE5, 0x02, 0x00,
        0x35, 0x90, 0x24, 0x90, 0x12, 0x00, 0x00, 0x00,
    ]
    /// The same by zstd 1.5, from a pipe.
    static let zstdFrame: [UInt8] = [
        0x28, 0xB5, 0x2F, 0xFD, 0x04, 0x58, 0x91, 0x00, 0x00, 0x7B, 0x22, 0x5F, 0x69, 0x64, 0x22,
        0x3A, 0x22, 0x61, 0x22, 0x2C, 0x22, 0x6E, 0x22, 0x3A, 0x31, 0x7D, 0x0A, 0xF5, 0x50, 0x35,
        0xC4,
    ]
    /// A skippable frame of two bytes.
    static let skippableFrame: [UInt8] = [0x5A, 0x2A, 0x4D, 0x18, 2, 0, 0, 0, 9, 9]

    static let compressed = [
        compressed("a gzip file", "https://www.rfc-editor.org/rfc/rfc1952", gzipMember),
        compressed(
            "two gzip members, and zeros to the end of a block",
            "https://www.gnu.org/software/gzip/manual/gzip.html",
            gzipMember + gzipMember + [0, 0, 0]
        ),
        compressed("a Zstandard file", "https://www.rfc-editor.org/rfc/rfc8878", zstdFrame),
        compressed(
            "two Zstandard frames, and skippable ones",
            "https://github.com/facebook/zstd/blob/dev/doc/zstd_compression_format.md",
            skippableFrame + zstdFrame + skippableFrame + zstdFrame
        ),
    ]

    private static func compressed(_ name: String, _ page: String, _ bytes: [UInt8]) -> ForeignFile
    {
        var file = ForeignFile(
            name,
            page: page,
            as: .json,
            "",
            documents: "{\"_id\":\"a\",\"n\":1}\n"
        )
        file.bytes = bytes
        return file
    }
}
