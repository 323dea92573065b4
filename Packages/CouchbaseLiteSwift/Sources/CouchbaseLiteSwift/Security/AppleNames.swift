public import Foundation

// Names of Apple's Security framework, so that code written for it compiles. This package has no other use for them;
// new code uses `TLSCertificate` and `TLSKeyPair`.

/// Apple's name for a certificate.
public typealias SecCertificate = TLSCertificate
/// Apple's name for a certificate with its private key.
public typealias SecIdentity = TLSKeyPair
/// Apple's name for bytes.
public typealias CFData = NSData
/// Apple's name for text.
public typealias CFString = NSString
/// Apple's type for the result of a Security call.
public typealias OSStatus = Int32

/// The result of a Security call that succeeded.
public let errSecSuccess: OSStatus = 0
/// The result of a Security call that found nothing.
public let errSecItemNotFound: OSStatus = -25_300

/// The default allocator; ignored.
public var kCFAllocatorDefault: Any? { nil }

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Reads a certificate in DER or PEM; `nil` if the data is not a certificate.
public func SecCertificateCreateWithData(_ allocator: Any?, _ data: NSData) -> SecCertificate? {
    (try? TLSCertificate.certificates(in: data as Data))?.first.map { TLSCertificate($0) }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The certificate as DER.
public func SecCertificateCopyData(_ certificate: SecCertificate) -> CFData {
    certificate.der as NSData
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Writes the subject's common name to `commonName`.
@discardableResult
public func SecCertificateCopyCommonName(
    _ certificate: SecCertificate,
    _ commonName: UnsafeMutablePointer<CFString?>
) -> OSStatus {
    guard let name = certificate.commonName else { return errSecItemNotFound }
    // The caller owns the memory and lends it for this call.
    commonName.pointee = NSString(string: name)
    return errSecSuccess
}
