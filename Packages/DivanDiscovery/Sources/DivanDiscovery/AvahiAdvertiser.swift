import CDivanDiscovery

/// Announces one listener through the daemon.
///
/// `@unchecked Sendable` is valid because `name`, `record` and `group` are only used in Avahi's callbacks,
/// which never overlap, and while Avahi's thread is paused (`AvahiConnection`).
final class AvahiAdvertiser: @unchecked Sendable {
    let connection = AvahiConnection()
    private let advertisement: PeerAdvertisement
    private let onEvent: @Sendable (AdvertisementEvent) -> Void
    private var name: String
    private var record: TextRecord
    private var group: OpaquePointer?

    init(
        _ advertisement: PeerAdvertisement,
        onEvent: @escaping @Sendable (AdvertisementEvent) -> Void
    ) throws(DiscoveryError) {
        self.advertisement = advertisement
        self.onEvent = onEvent
        name = advertisement.name
        record = advertisement.record
        let callback: AvahiClientCallback = { client, state, userData in
            AvahiAdvertiser.of(userData)?.clientDidChange(client, state)
        }
        try connection.open(callback, for: self)
    }

    private static func of(_ userData: UnsafeMutableRawPointer?) -> AvahiAdvertiser? {
        userData.map { Unmanaged<AvahiAdvertiser>.fromOpaque($0).takeUnretainedValue() }
    }

    private func clientDidChange(_ client: OpaquePointer?, _ state: AvahiClientState) {
        switch state {
        case AVAHI_CLIENT_S_RUNNING:
            register(client)
        case AVAHI_CLIENT_S_COLLISION, AVAHI_CLIENT_S_REGISTERING:
            // The host is getting another name; the entries follow when it runs again.
            if let group { avahi_entry_group_reset(group) }
        case AVAHI_CLIENT_FAILURE:
            fail(avahi_client_errno(client))
        default: break
        }
    }

    private func register(_ client: OpaquePointer?) {
        if group == nil {
            let callback: AvahiEntryGroupCallback = { group, state, userData in
                AvahiAdvertiser.of(userData)?.groupDidChange(group, state)
            }
            let userData = Unmanaged.passUnretained(self).toOpaque()
            group = avahi_entry_group_new(client, callback, userData)
        }
        guard let group else { return fail(avahi_client_errno(client)) }
        let text = textList()
        defer { avahi_string_list_free(text) }
        let service = advertisement.service
        var code: Int32
        repeat {
            code = avahi_entry_group_add_service_strlst(
                group,
                divan_avahi_any_interface(),
                divan_avahi_any_protocol(),
                AvahiPublishFlags(rawValue: 0),
                name,
                service.name,
                nil,
                nil,
                advertisement.port,
                text
            )
            // Another program on this machine has the name.
            if code == Int32(AVAHI_ERR_COLLISION) { chooseAnotherName() }
        } while code == Int32(AVAHI_ERR_COLLISION)
        if code == 0, let subtype = service.fullSubtype {
            code = avahi_entry_group_add_service_subtype(
                group,
                divan_avahi_any_interface(),
                divan_avahi_any_protocol(),
                AvahiPublishFlags(rawValue: 0),
                name,
                service.name,
                nil,
                subtype
            )
        }
        if code == 0 { code = avahi_entry_group_commit(group) }
        if code < 0 { fail(code) }
    }

    /// Replaces the TXT record, which is announced without probing the name again.
    func update(_ record: TextRecord) {
        connection.whilePaused {
            self.record = record
            // Otherwise the record is used when the service is registered.
            guard let group, avahi_entry_group_is_empty(group) == 0 else { return }
            let text = textList()
            defer { avahi_string_list_free(text) }
            let code = avahi_entry_group_update_service_txt_strlst(
                group,
                divan_avahi_any_interface(),
                divan_avahi_any_protocol(),
                AvahiPublishFlags(rawValue: 0),
                name,
                advertisement.service.name,
                nil,
                text
            )
            if code < 0 { fail(code) }
        }
    }

    /// The record as Avahi's list, to which strings are added in front; to be freed by the caller.
    private func textList() -> UnsafeMutablePointer<AvahiStringList>? {
        var text: UnsafeMutablePointer<AvahiStringList>?
        for string in record.strings.reversed() {
            text = avahi_string_list_add_arbitrary(text, string, string.count)
        }
        return text
    }

    private func groupDidChange(_ group: OpaquePointer?, _ state: AvahiEntryGroupState) {
        let client = avahi_entry_group_get_client(group)
        switch state {
        case AVAHI_ENTRY_GROUP_ESTABLISHED:
            let (onEvent, name) = (onEvent, name)
            connection.deliver { onEvent(.registered(name: name)) }
        case AVAHI_ENTRY_GROUP_COLLISION:
            // Another machine has the name.
            chooseAnotherName()
            register(client)
        case AVAHI_ENTRY_GROUP_FAILURE:
            fail(avahi_client_errno(client))
        default: break
        }
    }

    /// `jukebox` becomes `jukebox #2`, shortened to the allowed length of a name.
    private func chooseAnotherName() {
        guard let other = avahi_alternative_service_name(name) else { return }
        defer { avahi_free(other) }
        name = String(cString: other)
    }

    private func fail(_ code: Int32) {
        let onEvent = onEvent
        let error = DiscoveryError(.advertising, code: code)
        connection.deliver { onEvent(.failed(error)) }
    }
}
