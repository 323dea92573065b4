#ifndef CDIVANDISCOVERY_H
#define CDIVANDISCOVERY_H

#if !__has_include(<avahi-client/client.h>)
#error "The headers of Avahi are missing; run: sudo apt-get install libavahi-client-dev"
#endif

#include <avahi-client/client.h>
#include <avahi-client/lookup.h>
#include <avahi-client/publish.h>
#include <avahi-common/address.h>
#include <avahi-common/alternative.h>
#include <avahi-common/error.h>
#include <avahi-common/malloc.h>
#include <avahi-common/strlst.h>
#include <avahi-common/thread-watch.h>

// Avahi's constants are in unnamed and unsigned enumerations; these have the types of its functions.
AvahiIfIndex divan_avahi_any_interface(void);
AvahiProtocol divan_avahi_any_protocol(void);

#endif
