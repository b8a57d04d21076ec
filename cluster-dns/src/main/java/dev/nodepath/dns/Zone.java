package dev.nodepath.dns;

import dev.nodepath.dns.RecordData.Address;
import dev.nodepath.dns.RecordData.Location;
import dev.nodepath.dns.RecordData.Target;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import io.netty.handler.codec.dns.DnsRecordType;
import io.netty.handler.codec.dns.DnsResponseCode;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.pcollections.HashTreePMap;
import org.pcollections.HashTreePSet;
import org.pcollections.PMap;
import org.pcollections.PSet;

/**
 * All names of a cluster, immutable. A change makes a new zone that shares all else with the old one, so its cost
 * follows the changed Service.
 *
 * <p>A zone is empty and answers SERVFAIL until it is {@link #synced}: resolvers would cache NXDOMAIN.
 */
public final class Zone {
    private static final String SCHEMA_VERSION = "1.1.0";
    private static final int APEX_TTL = 30;
    private static final int NEGATIVE_TTL = 30;
    private static final int ALIASES_MAX = 8;

    private final ZoneConfig config;
    private final boolean synced;
    private final long serial;
    private final PSet<String> namespaces;
    private final PMap<ServiceName, ServiceRecords> services;
    private final PMap<IpAddress, PSet<DomainName>> pointers;

    private Zone(
            ZoneConfig config,
            boolean synced,
            long serial,
            PSet<String> namespaces,
            PMap<ServiceName, ServiceRecords> services,
            PMap<IpAddress, PSet<DomainName>> pointers) {
        this.config = config;
        this.synced = synced;
        this.serial = serial;
        this.namespaces = namespaces;
        this.services = services;
        this.pointers = pointers;
    }

    /** An empty zone that is not synced. */
    public static Zone empty(ZoneConfig config) {
        return new Zone(config, false, 0, HashTreePSet.empty(), HashTreePMap.empty(), HashTreePMap.empty());
    }

    /** The zone as synced: from now on missing names do not exist. */
    Zone synced() {
        return new Zone(config, true, serial, namespaces, services, pointers);
    }

    /** The zone with another serial number, such as the time of its last change in seconds. */
    Zone withSerial(long newSerial) {
        return new Zone(config, synced, newSerial, namespaces, services, pointers);
    }

    Zone withNamespace(String name) {
        return new Zone(config, synced, serial, namespaces.plus(name), services, pointers);
    }

    /** The zone without a namespace. Its Services stay until they are removed. */
    Zone withoutNamespace(String name) {
        return new Zone(config, synced, serial, namespaces.minus(name), services, pointers);
    }

    /** The zone with this Service in place of the one with its name. */
    Zone with(DnsService service, Collection<DnsEndpoint> endpoints) {
        return with(service.name(), new ServiceRecordsBuilder(config, service).build(endpoints));
    }

    Zone without(ServiceName service) {
        return with(service, ServiceRecords.NONE);
    }

    /**
     * Answers a question.
     *
     * @return empty if the name is neither in this zone nor in a reverse zone
     */
    Optional<Answer> answer(ZoneQuestion question) {
        Optional<DomainName> zone = question.name().isWithin(config.apex())
                ? Optional.of(config.apex())
                : ReverseName.zone(question.name());
        return zone.map(each -> synced ? answer(each, question, 0) : Answer.of(DnsResponseCode.SERVFAIL));
    }

    private Answer answer(DomainName zone, ZoneQuestion question, int aliases) {
        Optional<List<ResourceRecord>> found = records(zone, question.name());
        if (found.isEmpty()) {
            return Answer.negative(DnsResponseCode.NXDOMAIN, authority(zone));
        }
        List<ResourceRecord> asked = found.get().stream()
                .filter(each -> each.type().equals(question.type()))
                .toList();
        if (!asked.isEmpty()) {
            return Answer.found(asked, addressesOfTargets(asked));
        }
        return found.get().stream()
                .filter(each -> each.data() instanceof Target && each.type().equals(DnsRecordType.CNAME))
                .findFirst()
                .map(alias -> follow(alias, question, aliases))
                .orElseGet(() -> Answer.negative(DnsResponseCode.NOERROR, authority(zone)));
    }

    private Answer follow(ResourceRecord alias, ZoneQuestion question, int aliases) {
        DomainName target = ((Target) alias.data()).name();
        if (!target.isWithin(config.apex())) {
            return Answer.outside(alias);
        }
        if (aliases == ALIASES_MAX) {
            return Answer.of(DnsResponseCode.SERVFAIL);
        }
        return Answer.alias(alias, answer(config.apex(), new ZoneQuestion(target, question.type()), aliases + 1));
    }

    private List<ResourceRecord> addressesOfTargets(List<ResourceRecord> records) {
        return records.stream()
                .flatMap(each -> each.data() instanceof Location location
                        ? Stream.of(location.target())
                        : each.type().equals(DnsRecordType.NS) && each.data() instanceof Target target
                                ? Stream.of(target.name())
                                : Stream.empty())
                .distinct()
                .flatMap(this::addresses)
                .toList();
    }

    private Stream<ResourceRecord> addresses(DomainName name) {
        return records(config.apex(), name).orElse(List.of()).stream().filter(each -> each.data() instanceof Address);
    }

    /** The records of a name, of all types; empty if the name does not exist. */
    private Optional<List<ResourceRecord>> records(DomainName zone, DomainName name) {
        if (!zone.equals(config.apex())) {
            return reverse(zone, name);
        }
        List<String> labels = name.folded().subList(0, name.size() - zone.size());
        if (labels.isEmpty()) {
            return Optional.of(
                    List.of(authority(zone), ResourceRecord.target(zone, DnsRecordType.NS, APEX_TTL, nameServer())));
        }
        List<String> below = labels.subList(0, labels.size() - 1);
        return switch (labels.get(labels.size() - 1)) {
            case "svc" -> belowServices(name, below);
            case "pod" -> belowPods(name, below);
            case "dns" -> belowDns(name, below);
            case "dns-version" -> below.isEmpty() ? Optional.of(List.of(version(name))) : Optional.empty();
            default -> Optional.empty();
        };
    }

    private Optional<List<ResourceRecord>> belowServices(DomainName name, List<String> labels) {
        int size = labels.size();
        if (size < 2) {
            return namespace(labels);
        }
        return Optional.ofNullable(services.get(new ServiceName(labels.get(size - 1), labels.get(size - 2))))
                .flatMap(records -> Optional.ofNullable(records.byName().get(name)));
    }

    private Optional<List<ResourceRecord>> belowPods(DomainName name, List<String> labels) {
        if (labels.size() < 2) {
            return namespace(labels);
        }
        if (labels.size() > 2 || !namespaces.contains(labels.get(1))) {
            return Optional.empty();
        }
        return dashed(labels.get(0)).map(address -> List.of(ResourceRecord.address(name, APEX_TTL, address)));
    }

    private Optional<List<ResourceRecord>> belowDns(DomainName name, List<String> labels) {
        if (labels.isEmpty()) {
            return Optional.of(List.of());
        }
        if (!labels.equals(List.of("ns"))) {
            return Optional.empty();
        }
        DomainName service = config.serviceName(config.dnsService());
        return Optional.of(addresses(service)
                .map(each -> new ResourceRecord(name, each.type(), each.ttl(), each.data()))
                .toList());
    }

    /** A branch of the zone, or a namespace in it: a name that only has names below it. */
    private Optional<List<ResourceRecord>> namespace(List<String> labels) {
        return labels.isEmpty() || namespaces.contains(labels.get(0)) ? Optional.of(List.of()) : Optional.empty();
    }

    private static Optional<IpAddress> dashed(String label) {
        Optional<IpAddress> ipv4 = ReverseName.parse(label.replace('-', '.'));
        return ipv4.isPresent()
                ? ipv4
                : ReverseName.parse(label.replace('-', ':')).filter(each -> each.family() == IpFamily.IPV6);
    }

    private Optional<List<ResourceRecord>> reverse(DomainName zone, DomainName name) {
        if (ReverseName.isAbove(zone, name)) {
            return Optional.of(List.of());
        }
        return ReverseName.address(zone, name)
                .flatMap(address -> Optional.ofNullable(pointers.get(address)))
                .map(names -> names.stream()
                        .map(each -> ResourceRecord.target(name, DnsRecordType.PTR, APEX_TTL, each))
                        .toList());
    }

    private ResourceRecord version(DomainName name) {
        return new ResourceRecord(name, DnsRecordType.TXT, APEX_TTL, new RecordData.Text(SCHEMA_VERSION));
    }

    private ResourceRecord authority(DomainName zone) {
        return new ResourceRecord(
                zone,
                DnsRecordType.SOA,
                NEGATIVE_TTL,
                new RecordData.Authority(nameServer(), config.apex().below("hostmaster"), serial, NEGATIVE_TTL));
    }

    private DomainName nameServer() {
        return config.apex().below("ns", "dns");
    }

    private Zone with(ServiceName name, ServiceRecords records) {
        ServiceRecords before = services.getOrDefault(name, ServiceRecords.NONE);
        PMap<IpAddress, PSet<DomainName>> after = change(pointers, before, PSet::minus);
        return new Zone(
                config,
                synced,
                serial,
                namespaces,
                records.byName().isEmpty() ? services.minus(name) : services.plus(name, records),
                change(after, records, PSet::plus));
    }

    private static PMap<IpAddress, PSet<DomainName>> change(
            PMap<IpAddress, PSet<DomainName>> pointers,
            ServiceRecords records,
            BiFunction<PSet<DomainName>, DomainName, PSet<DomainName>> change) {
        PMap<IpAddress, PSet<DomainName>> changed = pointers;
        for (var each : records.pointers().entrySet()) {
            PSet<DomainName> names =
                    change.apply(changed.getOrDefault(each.getKey(), HashTreePSet.empty()), each.getValue());
            changed = names.isEmpty() ? changed.minus(each.getKey()) : changed.plus(each.getKey(), names);
        }
        return changed;
    }
}
