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
    name: "DivanSealedFields",
    products: [.library(name: "DivanSealedFields", targets: ["DivanSealedFields"])],
    dependencies: [
        .package(path: "../DivanCrypto"),
        .package(path: "../DivanJSON"),
        .package(path: "../DivanPlatform"),
        .package(path: "../DivanSeal"),
        .package(path: "../DivanTestKit"),
    ],
    targets: [
        .target(
            name: "DivanSealedFields",
            dependencies: ["DivanPlatform", "DivanSeal", "DivanJSON", "DivanCrypto"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DivanSealedFieldsTests",
            dependencies: [
                "DivanSealedFields",
                "DivanTestKit",
                "DivanPlatform",
                "DivanSeal",
                "DivanJSON",
                "DivanCrypto",
            ],
            swiftSettings: strict
        ),
    ]
)
