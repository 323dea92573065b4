import DivanJSON

/// The types of GeoJSON.
///
/// Source: RFC 7946 §1.4.
enum GeoJSON {
    private static let types: Set = [
        "Feature", "FeatureCollection", "Point", "MultiPoint", "LineString", "MultiLineString",
        "Polygon", "MultiPolygon", "GeometryCollection",
    ]

    /// Whether a text has a type of GeoJSON, or is not an object, which the import reports.
    static func mayBe(_ text: [UInt8]) -> Bool {
        var reader = JSONReader(text)
        do {
            try reader.beginObject()
            while let key = try reader.nextKey() {
                if key == "type" {
                    guard try reader.peekKind() == .string else { return false }
                    return types.contains(try reader.readString())
                }
                try reader.skip()
            }
            return false
        } catch {
            return true
        }
    }
}
