/// Values measured at many moments: a line of a picture.
struct Series: Codable {
    struct Point: Codable {
        var x: Double
        var y: Double
    }

    /// What was measured, and by what.
    var name: String
    var points: [Point]
}
