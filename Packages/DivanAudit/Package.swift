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
    name: "DivanAudit",
    products: [.library(name: "DivanAudit", targets: ["DivanAudit"])],
    dependencies: [
        .package(path: "../DivanCrypto"),
        .package(path: "../DivanJSON"),
        .package(path: "../DivanPlatform"),
        .package(path: "../DivanTestKit"),
    ],
    targets: [
        .target(
            name: "DivanAudit",
            dependencies: ["DivanPlatform", "DivanCrypto", "DivanJSON"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DivanAuditTests",
            dependencies: [
                "DivanAudit",
                "DivanTestKit",
                "DivanPlatform",
                "DivanCrypto",
                "DivanJSON",
            ],
            swiftSettings: strict
        ),
    ]
)
