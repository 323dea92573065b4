import DivanGrowth
import DivanTestKit
import Testing

/// The work per received byte is bounded: eight times the size takes at most twelve times as long.
///
/// `make growth` prints the table; the usual run measures each third reader.
@Suite(.serialized) struct GrowthTests {
    private static let indices = stride(
        from: 0,
        to: Shape.all.count,
        by: TestLength.of(3, long: 1)
    )

    @Test(arguments: Array(indices))
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
