import DivanDelta
import DivanJSON

/// Any delta gives a value or an error; a delta that we compute leads from one value to the other.
enum JSONDeltas: FuzzTarget {
    static let name = "json-delta"

    /// Separates the delta from the old value; no JSON text contains it.
    private static let separator: UInt8 = 0xFF

    static func violation(of input: [UInt8]) -> String? {
        var reader = InputReader(input)
        let first = reader.bytes(until: separator)
        let second = reader.bytes(until: separator)
        guard let delta = try? JSON(parsing: first), let old = try? JSON(parsing: second) else {
            return nil
        }
        if let new = try? JSONDelta.apply(delta, to: old) {
            if let flaw = roundTrip(from: old, to: new) { return flaw }
        }
        return roundTrip(from: old, to: delta)
    }

    private static func roundTrip(from old: JSON, to new: JSON) -> String? {
        let delta = JSONDelta.make(from: old, to: new)
        do {
            let result = try JSONDelta.apply(delta, to: old)
            return result == new ? nil : "\(delta) leads to \(result), not \(new)"
        } catch {
            return "our own delta \(delta): \(error)"
        }
    }

    static func seeds() throws -> [[UInt8]] {
        let file = try Fixtures.json("DivanDelta", "delta.json")
        var seeds: [[UInt8]] = []
        for part in ["create", "apply"] {
            for element in file[part]?.array ?? [] {
                guard let old = element["old"], let delta = element["delta"] else { continue }
                seeds.append(try delta.canonicalBytes() + [separator] + old.canonicalBytes())
                guard let new = element["new"] else { continue }
                seeds.append(try new.canonicalBytes() + [separator] + old.canonicalBytes())
            }
        }
        return seeds
    }
}
