/// Errors in the custom codecs and identities of a configuration.
enum PlugInFailure: Error, Equatable {
    /// The name of a codec cannot be negotiated or stored.
    case invalidCodecName(String)
    /// A codec has the name of another one.
    case takenCodecName(String)
    /// The number of a codec is outside the range for applications.
    case invalidCodecNumber(UInt8, name: String, allowed: ClosedRange<UInt8>)
    /// Two codecs have the same number.
    case takenCodecNumber(UInt8, name: String)
    /// A setting names a codec that the configuration does not contain.
    case unknownCodec(String, property: String)
    /// An identity store has no identity with this label.
    case missingIdentity(label: String)
}

extension PlugInFailure: NumberedError {
    var number: ErrorNumber {
        switch self {
        case .invalidCodecName, .takenCodecName, .invalidCodecNumber, .takenCodecNumber:
            .divan(CBLError.invalidParameter)
        case .unknownCodec: .divan(CBLError.unsupported)
        case .missingIdentity: .divan(CBLError.crypto)
        }
    }
}

extension PlugInFailure: CustomStringConvertible {
    /// One line: place, problem, remedy.
    var description: String {
        switch self {
        case .invalidCodecName(let name):
            "codec \(name.debugDescription): invalid name; use 1 to \(Self.nameByteCount) letters "
                + "and digits"
        case .takenCodecName(let name):
            "codec \(name): another codec has this name; choose a name that no other codec in the "
                + "configuration, and no built-in codec, has"
        case .invalidCodecNumber(let number, let name, let allowed):
            "codec \(name): invalid number \(number); use \(allowed.lowerBound) to "
                + "\(allowed.upperBound)"
        case .takenCodecNumber(let number, let name):
            "codec \(name): another codec of the configuration has the number \(number); choose a "
                + "number that was never used for the database"
        case .unknownCodec(let name, let property):
            "codec \(name) is unknown; add it to DatabaseConfiguration.\(property)"
        case .missingIdentity(let label):
            "identity \(label.debugDescription) does not exist in the identity store; create it "
                + "first"
        }
    }
}

// MARK: - Names of codecs

extension PlugInFailure {
    /// As many as a subprotocol can name.
    static let nameByteCount = 16

    /// The names of Divan's own codecs and settings, in capitals.
    private static let reservedNames: Set = [
        "AUTOMATIC", "DEFLATE", "LZ4", "MIXED", "NONE", "ZSTD",
    ]

    /// - Throws: `invalidCodecName` or `takenCodecName` if the name is not one for a custom codec.
    static func check(codecName name: String) throws(PlugInFailure) {
        let isValid = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: false
            }
        }
        guard isValid, (1...nameByteCount).contains(name.utf8.count) else {
            throw .invalidCodecName(name)
        }
        // Peers compare names in capitals.
        guard !reservedNames.contains(name.uppercased()) else { throw .takenCodecName(name) }
    }

    /// - Throws: The error of the first codec that has an invalid or repeated name or number.
    static func check(
        codecs: [(number: UInt8, name: String)],
        numbers allowed: ClosedRange<UInt8>
    ) throws(PlugInFailure) {
        var seen = (names: Set<String>(), numbers: Set<UInt8>())
        for (number, name) in codecs {
            try check(codecName: name)
            guard allowed.contains(number) else {
                throw .invalidCodecNumber(number, name: name, allowed: allowed)
            }
            guard seen.names.insert(name.uppercased()).inserted else { throw .takenCodecName(name) }
            guard seen.numbers.insert(number).inserted else {
                throw .takenCodecNumber(number, name: name)
            }
        }
    }
}
