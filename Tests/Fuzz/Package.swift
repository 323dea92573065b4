// swift-tools-version: 6.2
import PackageDescription

// The same settings in every package of the repository.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

// A separate package, because it links with the fuzzer's runtime, which `make fuzz` supplies;
// the targets themselves are also in the root manifest, where ordinary tests replay them.
let package = Package(
    name: "DivanFuzz",
    dependencies: [
        .package(path: "../../Packages/CouchbaseLiteSwift"),
        .package(path: "../../Packages/DivanAuth"),
        .package(path: "../../Packages/DivanBLIP"),
        .package(path: "../../Packages/DivanCBLite"),
        .package(path: "../../Packages/DivanCompression"),
        .package(path: "../../Packages/DivanCrypto"),
        .package(path: "../../Packages/DivanDatabase"),
        .package(path: "../../Packages/DivanDelta"),
        .package(path: "../../Packages/DivanHTTP"),
        .package(path: "../../Packages/DivanISAL"),
        .package(path: "../../Packages/DivanJSON"),
        .package(path: "../../Packages/DivanLZ4"),
        .package(path: "../../Packages/DivanPlatform"),
        .package(path: "../../Packages/DivanQuery"),
        .package(path: "../../Packages/DivanReplicator"),
        .package(path: "../../Packages/DivanRevisions"),
        .package(path: "../../Packages/DivanSeal"),
        .package(path: "../../Packages/DivanTLS"),
        .package(path: "../../Packages/DivanTestKit"),
        .package(path: "../../Packages/DivanWebSocket"),
        .package(path: "../../Packages/DivanZlib"),
        .package(path: "../../Packages/DivanZstd"),
    ],
    targets: [
        .target(
            name: "DivanFuzz",
            dependencies: [
                "DivanPlatform",
                "CouchbaseLiteSwift", "DivanAuth", "DivanBLIP", "DivanCBLite", "DivanCompression",
                "DivanCrypto", "DivanDelta", "DivanHTTP", "DivanISAL", "DivanJSON", "DivanLZ4",
                "DivanQuery",
                "DivanReplicator",
                "DivanRevisions", "DivanSeal", "DivanDatabase",
                "DivanTestKit", "DivanTLS", "DivanWebSocket", "DivanZlib", "DivanZstd",
            ],
            swiftSettings: strict
        ),
        .target(name: "CDivanFuzzer"),
        .executableTarget(
            name: "divan-fuzz",
            dependencies: ["DivanPlatform", "CouchbaseLiteSwift", "DivanFuzz", "CDivanFuzzer"],
            swiftSettings: strict
        ),
    ]
)
