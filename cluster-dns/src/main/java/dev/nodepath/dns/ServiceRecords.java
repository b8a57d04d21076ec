package dev.nodepath.dns;

import dev.nodepath.linux.address.IpAddress;
import java.util.List;
import java.util.Map;

/**
 * All records of one Service.
 *
 * @param byName the existing names, the Service's own and those below it; a name that only has names below it has no
 *     records
 * @param pointers the names for reverse look-ups of addresses
 */
record ServiceRecords(Map<DomainName, List<ResourceRecord>> byName, Map<IpAddress, DomainName> pointers) {
    static final ServiceRecords NONE = new ServiceRecords(Map.of(), Map.of());
}
