// swift-tools-version: 6.2
import PackageDescription

// The same settings in every package of the repository; `make check` compares them.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "DivanCompression",
    products: [.library(name: "DivanCompression", targets: ["DivanCompression"])],
    dependencies: [
        .package(path: "../DivanTestKit")
    ],
    targets: [
        .target(name: "DivanCompression", swiftSettings: strict),
        .testTarget(
            name: "DivanCompressionTests",
            dependencies: ["DivanCompression", "DivanTestKit"],
            swiftSettings: strict
        ),
    ]
)
