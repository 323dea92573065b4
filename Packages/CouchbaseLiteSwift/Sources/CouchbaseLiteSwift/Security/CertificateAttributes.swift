/// The subject's common name (`CN`); required.
public let certAttrCommonName = "CN"
/// The subject's pseudonym.
public let certAttrPseudonym = "pseudonym"
/// The subject's given name (`GN`).
public let certAttrGivenName = "GN"
/// The subject's surname (`SN`).
public let certAttrSurname = "SN"
/// The subject's organization (`O`).
public let certAttrOrganization = "O"
/// The subject's organization unit (`OU`).
public let certAttrOrganizationUnit = "OU"
/// The subject's postal address.
public let certAttrPostalAddress = "postalAddress"
/// The subject's locality (`L`).
public let certAttrLocality = "L"
/// The subject's postal code.
public let certAttrPostalCode = "postalCode"
/// The subject's state or province (`ST`).
public let certAttrStateOrProvince = "ST"
/// The subject's country (`C`), two letters.
public let certAttrCountry = "C"
/// An alternative name: a mail address.
public let certAttrEmailAddress = "rfc822Name"
/// An alternative name: a host name.
public let certAttrHostname = "dNSName"
/// An alternative name: a URL.
public let certAttrURL = "uniformResourceIdentifier"
/// An alternative name: an IP address, written as text.
public let certAttrIPAddress = "iPAddress"
/// An alternative name: an object identifier, written with dots.
public let certAttrRegisteredID = "registeredID"

/// The purposes of an identity's certificate, as bits of the Netscape cert type.
public struct KeyUsages: OptionSet, Sendable {
    /// The bits.
    public let rawValue: Int

    /// Creates usages from bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Client authentication.
    public static let clientAuth = Self(rawValue: 0x80)
    /// Server authentication.
    public static let serverAuth = Self(rawValue: 0x40)
}
