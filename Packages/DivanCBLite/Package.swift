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
    name: "DivanCBLite",
    products: [.library(name: "DivanCBLite", targets: ["DivanCBLite"])],
    dependencies: [
        .package(path: "../DivanCrypto"),
        .package(path: "../DivanJSON"),
        .package(path: "../DivanPlatform"),
        .package(path: "../DivanRevisions"),
        .package(path: "../DivanSQLite"),
        .package(path: "../DivanTestKit"),
    ],
    targets: [
        .target(name: "CDivanCBLite", linkerSettings: [.linkedLibrary("c")]),
        .target(
            name: "DivanCBLite",
            dependencies: [
                "CDivanCBLite",
                "DivanPlatform",
                "DivanSQLite",
                "DivanRevisions",
                "DivanCrypto",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DivanCBLiteTests",
            dependencies: [
                "DivanCBLite",
                "DivanTestKit",
                "DivanJSON",
                "DivanPlatform",
                "DivanSQLite",
                "DivanRevisions",
                "DivanCrypto",
            ],
            swiftSettings: strict
        ),
    ]
)
