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
    name: "DivanStudio",
    products: [.library(name: "DivanStudio", targets: ["DivanStudio"])],
    dependencies: [
        .package(path: "../DivanConflicts"),
        .package(path: "../DivanCrypto"),
        .package(path: "../DivanDatabase"),
        .package(path: "../DivanHTTP"),
        .package(path: "../DivanJSON"),
        .package(path: "../DivanMesh"),
        .package(path: "../DivanPlatform"),
        .package(path: "../DivanQuery"),
        .package(path: "../DivanREST"),
        .package(path: "../DivanRevisions"),
        .package(path: "../DivanTestKit"),
        .package(path: "../DivanTransport"),
    ],
    targets: [
        .target(
            name: "DivanStudio",
            dependencies: [
                "DivanPlatform",
                "DivanREST",
                "DivanQuery",
                "DivanTransport",
                "DivanDatabase",
                "DivanConflicts",
                "DivanRevisions",
                "DivanHTTP",
                "DivanJSON",
                "DivanMesh",
                "DivanCrypto",
            ],
            resources: [.embedInCode("Assets")],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DivanStudioTests",
            dependencies: [
                "DivanStudio",
                "DivanTestKit",
                "DivanPlatform",
                "DivanREST",
                "DivanQuery",
                "DivanTransport",
                "DivanDatabase",
                "DivanConflicts",
                "DivanRevisions",
                "DivanHTTP",
                "DivanJSON",
                "DivanMesh",
                "DivanCrypto",
            ],
            swiftSettings: strict
        ),
    ]
)
