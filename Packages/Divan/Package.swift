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
        .package(path: "../DivanCompression"),
        .package(path: "../DivanJSON"),
        .package(path: "../DivanQuery"),
        .package(path: "../DivanRevisions"),
        .package(path: "../DivanSQL"),
        .package(path: "../DivanStore"),
        .package(path: "../DivanTestKit"),
    ],
    targets: [
        .target(
            name: "Divan",
            dependencies: [
                "CouchbaseLiteSwift",
                "DivanStore",
                "DivanQuery",
                "DivanSQL",
                "DivanRevisions",
                "DivanJSON",
                "DivanCompression",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DivanTests",
            dependencies: [
                "Divan",
                "DivanTestKit",
                "CouchbaseLiteSwift",
                "DivanStore",
                "DivanQuery",
                "DivanSQL",
                "DivanRevisions",
                "DivanJSON",
                "DivanCompression",
            ],
            swiftSettings: strict
        ),
    ]
)
