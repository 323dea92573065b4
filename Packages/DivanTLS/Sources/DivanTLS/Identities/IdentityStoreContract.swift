import DivanCrypto
import FoundationEssentials

/// The requirements for every identity store, as a check for any test framework.
public enum IdentityStoreContract {
    /// Returns one sentence for each violated requirement; none if the store is correct.
    ///
    /// The store must be empty; a correct store is empty again afterwards.
    ///
    /// - Throws: `CredentialError` if the samples cannot be created.
    public static func violations(
        of store: some TLSIdentityStore
    ) throws(CredentialError) -> [String] {
        let (first, second) = (try sample("first"), try sample("second"))
        var violations: [String] = []
        func check(_ promise: String, _ holds: () throws -> Bool) {
            do {
                if try !holds() { violations.append(promise) }
            } catch {
                violations.append("\(promise) It threw: \(error)")
            }
        }
        check("An empty store must have no labels.") { try store.labels().isEmpty }
        check("An unknown label must return nil.") { try store.credential(label: "unknown") == nil }
        check("Deleting an unknown label must not throw.") {
            try store.delete(label: "unknown")
            return true
        }
        for label in labels {
            check("Saving label \(label) must succeed.") {
                try store.save(label == labels[0] ? first : second, label: label)
                return true
            }
        }
        check("A saved credential must be returned with its key.") {
            let credential = try store.credential(label: labels[0])
            return credential == first && credential?.key == first.key
        }
        check("Saving an existing label must throw and keep the old credential.") {
            try keeps(first, from: second, in: store)
        }
        check("replace must save the new credential.") {
            try replaces(first, by: second, in: store)
        }
        check("Labels must be sorted by bytes.") { try store.labels() == labels.sortedByBytes() }
        for label in invalidLabels {
            let start = "\(label.prefix(8))".debugDescription
            check("Label \(start) must be rejected.") {
                refuses({ try store.save(first, label: label) }, .invalidLabel(label))
            }
        }
        for label in labels + invalidLabels {
            check("Label \(label.prefix(80).debugDescription) must not exist after deletion.") {
                try store.delete(label: label)
                return try store.credential(label: label) == nil
            }
        }
        check("No labels must remain.") { try store.labels().isEmpty }
        return violations
    }

    /// Whether the label of one identity is not given to another.
    private static func keeps(
        _ first: TLSCredential,
        from second: TLSCredential,
        in store: some TLSIdentityStore
    ) throws -> Bool {
        guard refuses({ try store.save(second, label: labels[0]) }, .labelTaken(labels[0]))
        else { return false }
        return try store.credential(label: labels[0]) == first
    }

    /// Whether an existing identity and a missing one can be replaced; restores the state before.
    private static func replaces(
        _ first: TLSCredential,
        by second: TLSCredential,
        in store: some TLSIdentityStore
    ) throws -> Bool {
        try store.replace(second, label: labels[0])
        try store.replace(first, label: "new")
        let found = (try store.credential(label: labels[0]), try store.credential(label: "new"))
        try store.delete(label: "new")
        try store.replace(first, label: labels[0])
        return found.0 == second && found.1 == first
    }

    private static let invalidLabels = [
        "", "a\u{0}b", "a\nb", String(repeating: "x", count: TLSLimits.labelByteCount + 1),
    ]

    /// Labels that a store might confuse with paths or with each other.
    private static let labels = [
        "plain", "with space", "..", ".", "a/b", "a%2fb", "A", "a", "\u{E9}", "e\u{301}",
        String(repeating: "x", count: 72), "com.example.peer." + String(repeating: "/", count: 99),
        String(repeating: "\u{E9}", count: TLSLimits.labelByteCount / 2),
        String(repeating: "\u{E9}", count: TLSLimits.labelByteCount / 2 - 1) + "xy",
    ]

    private static func refuses(
        _ action: () throws -> Void,
        _ reason: CredentialError.Reason
    ) -> Bool {
        do {
            try action()
            return false
        } catch {
            return (error as? CredentialError)?.reason == reason
        }
    }

    private static func sample(_ name: String) throws(CredentialError) -> TLSCredential {
        let template = CertificateTemplate(
            attributes: ["CN": name],
            usages: .serverAuth,
            now: Date(timeIntervalSince1970: 1_800_000_000)
        )
        return try TLSCredential.generate(template, key: .p256)
    }
}
