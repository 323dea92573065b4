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
    name: "Divan",
    products: [.library(name: "Divan", targets: ["Divan"])],
    dependencies: [
        .package(path: "../CouchbaseLiteSwift"),
        .package(path: "../DivanAuth"),
        .package(path: "../DivanCompression"),
        .package(path: "../DivanCrypto"),
        .package(path: "../DivanDatabase"),
        .package(path: "../DivanDiscovery"),
        .package(path: "../DivanExchange"),
        .package(path: "../DivanJSON"),
        .package(path: "../DivanLog"),
        .package(path: "../DivanPlatform"),
        .package(path: "../DivanQuery"),
        .package(path: "../DivanRevisions"),
        .package(path: "../DivanSQL"),
        .package(path: "../DivanTLS"),
        .package(path: "../DivanTestKit"),
        .package(path: "../DivanTransport"),
    ],
    targets: [
        .target(
            name: "Divan",
            dependencies: [
                "CouchbaseLiteSwift",
                "DivanAuth",
                "DivanCompression",
                "DivanCrypto",
                "DivanDiscovery",
                "DivanExchange",
                "DivanJSON",
                "DivanLog",
                "DivanPlatform",
                "DivanQuery",
                "DivanRevisions",
                "DivanSQL",
                "DivanDatabase",
                "DivanTLS",
                "DivanTransport",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DivanTests",
            dependencies: [
                "Divan",
                "DivanTestKit",
                "CouchbaseLiteSwift",
                "DivanAuth",
                "DivanCompression",
                "DivanCrypto",
                "DivanDiscovery",
                "DivanExchange",
                "DivanJSON",
                "DivanLog",
                "DivanPlatform",
                "DivanQuery",
                "DivanRevisions",
                "DivanSQL",
                "DivanDatabase",
                "DivanTLS",
                "DivanTransport",
            ],
            swiftSettings: strict
        ),
    ]
)
