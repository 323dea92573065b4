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
    name: "DivanAuth",
    products: [.library(name: "DivanAuth", targets: ["DivanAuth"])],
    dependencies: [
        .package(path: "../DivanCrypto"),
        .package(path: "../DivanHTTP"),
        .package(path: "../DivanJSON"),
        .package(path: "../DivanPlatform"),
        .package(path: "../DivanTestKit"),
    ],
    targets: [
        .target(name: "CDivanAuth", linkerSettings: [.linkedLibrary("crypto")]),
        .target(
            name: "DivanAuth",
            dependencies: ["CDivanAuth", "DivanPlatform", "DivanCrypto", "DivanHTTP", "DivanJSON"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DivanAuthTests",
            dependencies: [
                "DivanAuth",
                "DivanTestKit",
                "DivanPlatform",
                "DivanCrypto",
                "DivanHTTP",
                "DivanJSON",
            ],
            swiftSettings: strict
        ),
    ]
)
