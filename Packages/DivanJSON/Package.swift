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
    name: "DivanJSON",
    products: [.library(name: "DivanJSON", targets: ["DivanJSON"])],
    dependencies: [.package(path: "../DivanTestKit")],
    targets: [
        .target(name: "DivanJSON", swiftSettings: strict),
        .testTarget(
            name: "DivanJSONTests",
            dependencies: ["DivanJSON", "DivanTestKit"],
            swiftSettings: strict
        ),
    ]
)
