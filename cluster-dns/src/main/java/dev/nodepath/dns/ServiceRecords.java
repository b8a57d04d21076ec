package dev.nodepath.dns;

import dev.nodepath.linux.address.IpAddress;
import java.util.List;
import java.util.Map;

/**
 * All records of one Service.
 *
 * @param byName the names that exist, the Service's own and those below it; a name that only has names below has no
 *     records
 * @param pointers the names that addresses lead back to
 */
record ServiceRecords(Map<DomainName, List<ResourceRecord>> byName, Map<IpAddress, DomainName> pointers) {
    static final ServiceRecords NONE = new ServiceRecords(Map.of(), Map.of());
}
