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
    name: "DivanQuery",
    products: [.library(name: "DivanQuery", targets: ["DivanQuery"])],
    dependencies: [.package(path: "../DivanJSON"), .package(path: "../DivanTestKit")],
    targets: [
        .target(name: "DivanQuery", dependencies: ["DivanJSON"], swiftSettings: strict),
        .testTarget(
            name: "DivanQueryTests",
            dependencies: ["DivanQuery", "DivanTestKit", "DivanJSON"],
            swiftSettings: strict
        ),
    ]
)
