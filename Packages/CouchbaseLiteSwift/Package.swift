// swift-tools-version: 6.2
import PackageDescription

// The same settings in every package of the repository; `make check` compares them.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "CouchbaseLiteSwift",
    products: [.library(name: "CouchbaseLiteSwift", targets: ["CouchbaseLiteSwift"])],
    dependencies: [
        .package(path: "../Divan"),
        .package(path: "../DivanTestKit"),
    ],
    targets: [
        .target(
            name: "CouchbaseLiteSwift",
            dependencies: ["Divan"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "CouchbaseLiteSwiftTests",
            dependencies: ["CouchbaseLiteSwift", "DivanTestKit", "Divan"],
            swiftSettings: strict
        ),
        // Applications' source as it is, without this repository's upcoming features.
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
                .swiftLanguageMode(.v6), .defaultIsolation(MainActor.self),
                .treatAllWarnings(as: .error),
            ]
        ),
    ]
)
