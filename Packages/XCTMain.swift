import Foundation
import Testing

/// The main function of the test bundle.
///
/// Swift Testing finds its tests in the binary. XCTest would need an index of the build, which costs a quarter of the
/// time to build the tests.
@main struct EntryPoint {
    static func main() async {
        // This process has read the variable already, and prints a backtrace if it crashes. The processes of
        // exit tests crash on purpose; a backtrace of this large binary takes 15 s.
        setenv("SWIFT_BACKTRACE", "enable=no", 1)
        await Testing.__swiftPMEntryPoint() as Never
    }
}
