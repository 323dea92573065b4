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
    name: "DivanREST",
    products: [.library(name: "DivanREST", targets: ["DivanREST"])],
    dependencies: [
        .package(path: "../DivanAuth"),
        .package(path: "../DivanCrypto"),
        .package(path: "../DivanDatabase"),
        .package(path: "../DivanHTTP"),
        .package(path: "../DivanJSON"),
        .package(path: "../DivanLog"),
        .package(path: "../DivanPlatform"),
        .package(path: "../DivanQuery"),
        .package(path: "../DivanRevisions"),
        .package(path: "../DivanTLS"),
        .package(path: "../DivanTestKit"),
        .package(path: "../DivanTransport"),
    ],
    targets: [
        .target(
            name: "DivanREST",
            dependencies: [
                "DivanPlatform",
                "DivanTransport",
                "DivanDatabase",
                "DivanQuery",
                "DivanRevisions",
                "DivanAuth",
                "DivanTLS",
                "DivanHTTP",
                "DivanJSON",
                "DivanCrypto",
                "DivanLog",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DivanRESTTests",
            dependencies: [
                "DivanREST",
                "DivanTestKit",
                "DivanPlatform",
                "DivanTransport",
                "DivanDatabase",
                "DivanQuery",
                "DivanRevisions",
                "DivanAuth",
                "DivanTLS",
                "DivanHTTP",
                "DivanJSON",
                "DivanCrypto",
                "DivanLog",
            ],
            swiftSettings: strict
        ),
    ]
)
