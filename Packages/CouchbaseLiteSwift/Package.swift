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
    name: "CouchbaseLiteSwift",
    products: [.library(name: "CouchbaseLiteSwift", targets: ["CouchbaseLiteSwift"])],
    dependencies: [.package(path: "../Divan"), .package(path: "../DivanTestKit")],
    targets: [
        .target(name: "CouchbaseLiteSwift", dependencies: ["Divan"], swiftSettings: strict),
        .testTarget(
            name: "CouchbaseLiteSwiftTests",
            dependencies: ["CouchbaseLiteSwift", "DivanTestKit", "Divan"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DeclarationTests",
            dependencies: ["CouchbaseLiteSwift", "DivanTestKit"],
            swiftSettings: [.treatAllWarnings(as: .error)]
        ),
        .testTarget(
            name: "SwiftFiveTests",
            dependencies: ["CouchbaseLiteSwift", "DivanTestKit"],
            swiftSettings: [.swiftLanguageMode(.v5)]
        ),
        .testTarget(
            name: "SwiftSixTests",
            dependencies: ["CouchbaseLiteSwift", "DivanTestKit"],
            swiftSettings: [
                .swiftLanguageMode(.v6),
                .defaultIsolation(MainActor.self),
                .treatAllWarnings(as: .error),
            ]
        ),
    ]
)
