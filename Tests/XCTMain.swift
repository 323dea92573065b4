import Testing

/// The main function of the test bundle.
///
/// Swift Testing finds its tests in the binary. XCTest would need an index of the build, which costs a quarter of the
/// time to build the tests.
@main struct EntryPoint {
    static func main() async { await Testing.__swiftPMEntryPoint() as Never }
}
