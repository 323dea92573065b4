import DivanReplicator
import DivanSealedFields
import Foundation

extension ReplicatorConfiguration {
    /// The callbacks in the engine's form.
    var fieldCiphers: FieldCiphers {
        var ciphers = FieldCiphers()
        if let encryptor = documentPropertyEncryptor {
            ciphers.sealing = { value, question in
                try FieldFailure.translating(question) {
                    try encryptor(ReplicatedProperty(question), Data(value))?.field
                }
            }
        }
        if let decryptor = documentPropertyDecryptor {
            ciphers.opening = { field, question in
                try FieldFailure.translating(question) {
                    try decryptor(ReplicatedProperty(question), EncryptedProperty(field))
                        .map { Array($0) }
                }
            }
        }
        return ciphers
    }
}

extension FieldFailure {
    /// Calls the application, and distinguishes a service that is unavailable for now from a refusal.
    fileprivate static func translating<Output>(
        _ question: FieldContext,
        _ body: () throws -> Output
    ) throws -> Output {
        do {
            return try ServiceCallback.run(body)
        } catch {
            let thrown = error as NSError
            guard thrown.domain == CBLError.domain,
                thrown.code == CBLError.httpServiceUnavailable
            else { throw error }
            throw FieldFailure.unavailable(
                keyPath: question.keyPath,
                reason: thrown.localizedDescription
            )
        }
    }
}
