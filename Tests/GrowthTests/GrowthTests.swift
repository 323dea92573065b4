import DivanGrowth
import Testing

/// The work per received byte is bounded: eight times the size takes at most twelve times as long.
///
/// `make growth` prints the table.
@Suite(.serialized) struct GrowthTests {
    @Test(arguments: Shape.all.indices)
    func `the time of each reader grows linearly with its input`(index: Int) throws {
        let measurement = try Measurement(Shape.all[index])
        #expect(measurement.isLinear, "\(Measurement.head)\n\(measurement.row)")
    }

    /// A ratio that cannot fail would prove nothing.
    @Test func `quadratic growth is detected`() throws {
        let measurement = try Measurement(Shape.quadratic)
        #expect(!measurement.isLinear, "\(measurement.row)")
    }
}
