// swift-tools-version: 6.2
// Generated from the manifest of the repository by `make generate`.
import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "DivanCompression",
    products: [.library(name: "DivanCompression", targets: ["DivanCompression"])],
    dependencies: [.package(path: "../DivanTestKit")],
    targets: [
        .target(name: "DivanCompression", swiftSettings: strict),
        .testTarget(
            name: "DivanCompressionTests",
            dependencies: ["DivanCompression", "DivanTestKit"],
            swiftSettings: strict
        ),
    ]
)
