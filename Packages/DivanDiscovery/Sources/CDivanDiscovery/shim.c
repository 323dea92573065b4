#include "CDivanDiscovery.h"

AvahiIfIndex divan_avahi_any_interface(void) { return AVAHI_IF_UNSPEC; }

AvahiProtocol divan_avahi_any_protocol(void) { return AVAHI_PROTO_UNSPEC; }
