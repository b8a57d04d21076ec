package dev.nodepath.cni;

import dev.nodepath.cni.config.LinkIdentity;
import dev.nodepath.cni.ipam.Attachment;
import dev.nodepath.cni.ipam.HostLocalIpam;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.LinuxNet;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.MacAddress;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.nftables.NftChange;
import dev.nodepath.linux.nftables.NftElement;
import dev.nodepath.linux.nftables.NftSet;
import dev.nodepath.linux.nftables.NftValue;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Keeps the table that checks the sources of a network's pods. Another program may have removed it, and an earlier
 * version may have wired a pod without it. The allowed sources of a pod follow from its link and from host-local's
 * files. One thread uses it.
 */
public final class CheckedSources {
    private final LinuxNet net;
    private final HostLocalIpam ipam;
    private final Path dataDir;
    private final String network;
    private final String bridge;

    /** The last correct state, with known addresses for each port; an equal state needs no second look. */
    private Optional<Found> inOrder = Optional.empty();

    /** The ports of the network's pods, and the content of the table. */
    private record Found(boolean whole, Map<Attachment, Link> ports, Map<NftSet, List<NftElement>> elements) {}

    /** The sources of the pods of one bridge. */
    CheckedSources(LinuxNet net, HostLocalIpam ipam, Path dataDir, String network, String bridge) {
        this.net = net;
        this.ipam = ipam;
        this.dataDir = dataDir;
        this.network = network;
        this.bridge = bridge;
    }

    /**
     * The sources of the pods of one bridge in the network namespace of this process.
     *
     * @param dataDir the folder of the addresses in use
     */
    public static CheckedSources onThisNode(KernelLinuxNet net, Path dataDir, String network, String bridge) {
        return new CheckedSources(net, Invocation.ipam(net), dataDir, network, bridge);
    }

    /**
     * Writes missing elements, and removes elements without a link: a DEL may be about to do that.
     *
     * @return whether an element was missing
     * @throws IOException also if one port failed; the others are repaired
     */
    public boolean repair() throws IOException {
        try (NetworkNamespace host = net.current()) {
            List<NftChange> done = new ArrayList<>();
            List<LinuxNetException> failed = new ArrayList<>();
            RuleChanges.<IOException>apply(host, () -> {
                failed.clear(); // an earlier try was refused
                List<NftChange> changes = changes(host, failed);
                done.clear();
                done.addAll(changes);
                return changes;
            });
            if (!failed.isEmpty()) {
                throw failed.get(0);
            }
            return done.stream().anyMatch(change -> !(change instanceof NftChange.DeleteElements));
        }
    }

    /** An ADD makes a link before its elements, and a DEL removes it before them. So the links are read first. */
    private List<NftChange> changes(NetworkNamespace host, List<LinuxNetException> failed) throws IOException {
        Found found = new Found(SourceTable.isWhole(host), ports(host), elements(host));
        if (inOrder.equals(Optional.of(found))) {
            return List.of();
        }
        inOrder = Optional.empty();
        Map<NftSet, List<NftElement>> wanted = new LinkedHashMap<>();
        List<NftValue> links = new ArrayList<>(withoutLink(host, found));
        Map<Attachment, List<IpAddress>> held = ipam.held(dataDir, network);
        boolean allKnown = true;
        for (Map.Entry<Attachment, Link> port : found.ports.entrySet()) {
            Link link = port.getValue();
            Optional<Map<NftSet, List<NftElement>>> own = Optional.empty();
            try {
                own = ofPort(host, port.getKey(), link, held.getOrDefault(port.getKey(), List.of()), found.elements);
            } catch (LinuxNetException e) {
                if (isPort(host, link)) {
                    failed.add(e);
                }
            }
            allKnown &= own.isPresent();
            if (own.isPresent()) {
                links.add(NftValue.ofLink(link.name()));
                own.get()
                        .forEach((set, elements) -> wanted.computeIfAbsent(set, missing -> new ArrayList<>())
                                .addAll(elements));
            }
        }
        List<NftChange> changes = new ArrayList<>();
        if (!found.whole && !wanted.isEmpty()) {
            changes.addAll(SourceTable.creation());
        }
        changes.addAll(SourceCheck.differences(of(links, found.elements), wanted));
        if (changes.isEmpty() && allKnown) {
            inOrder = Optional.of(found);
        }
        return changes;
    }

    /**
     * The elements of one port; empty if the allowed sources of its pod are unknown. A port that was wired without the
     * check forwards from now on frames that the table has to see.
     */
    private Optional<Map<NftSet, List<NftElement>>> ofPort(
            NetworkNamespace host,
            Attachment attachment,
            Link link,
            List<IpAddress> addresses,
            Map<NftSet, List<NftElement>> elements)
            throws LinuxNetException {
        Optional<SourceCheck.Source> source = source(host, link, addresses, elements);
        if (source.isEmpty()) {
            return Optional.empty();
        }
        Map<NftSet, List<NftElement>> own = source.get().elements(new LinkIdentity(network, attachment));
        if (!SourceCheck.differences(of(List.of(source.get().link()), elements), own)
                .isEmpty()) {
            host.setForwardsReserved(link.index(), true);
        }
        return Optional.of(own);
    }

    /** Whether a link is still at the place where it was found. It may have been removed since. */
    private static boolean isPort(NetworkNamespace host, Link link) throws LinuxNetException {
        return host.link(link.index())
                .filter(now -> now.masterIndex() == link.masterIndex())
                .isPresent();
    }

    private Map<Attachment, Link> ports(NetworkNamespace host) throws LinuxNetException {
        List<Link> links = host.links();
        int master = links.stream()
                .filter(link -> link.name().equals(bridge))
                .mapToInt(Link::index)
                .findFirst()
                .orElse(0);
        Map<Attachment, Link> ports = new HashMap<>();
        for (Link link : links) {
            if (master != 0 && link.masterIndex() == master && link.kind().equals("veth")) {
                LinkIdentity.ofAlias(network, link).ifPresent(attachment -> ports.put(attachment, link));
            }
        }
        return ports;
    }

    private static Map<NftSet, List<NftElement>> elements(NetworkNamespace host) throws LinuxNetException {
        Map<NftSet, List<NftElement>> elements = new LinkedHashMap<>();
        for (NftSet set : SourceTable.SETS) {
            elements.put(set, host.nftElements(set));
        }
        return elements;
    }

    /** The ports that the network's elements name but the node does not have. */
    private List<NftValue> withoutLink(NetworkNamespace host, Found found) throws LinuxNetException {
        String end = SourceCheck.ownerEnd(network);
        List<NftValue> gone = new ArrayList<>();
        for (NftElement port : found.elements.getOrDefault(SourceTable.PORTS, List.of())) {
            if (port.comment().endsWith(end)
                    && host.link(SourceCheck.linkName(port)).isEmpty()) {
                gone.add(port.key());
            }
        }
        return gone;
    }

    /** A container may have changed the MAC of its end, so the table's MAC has priority. */
    private static Optional<SourceCheck.Source> source(
            NetworkNamespace host, Link port, List<IpAddress> addresses, Map<NftSet, List<NftElement>> elements)
            throws LinuxNetException {
        if (addresses.isEmpty()) {
            return Optional.empty(); // an ADD or a DEL is under way, or another program gave them
        }
        Optional<MacAddress> mac = SourceCheck.macOf(NftValue.ofLink(port.name()), elements);
        if (mac.isEmpty()) {
            mac = host.peer(port).flatMap(Link::mac);
        }
        return mac.map(each -> new SourceCheck.Source(port.name(), each, Optional.of(addresses)));
    }

    private static Map<NftSet, List<NftElement>> of(List<NftValue> links, Map<NftSet, List<NftElement>> elements) {
        Map<NftSet, List<NftElement>> some = new HashMap<>();
        elements.forEach((set, all) -> some.put(
                set,
                all.stream()
                        .filter(element -> links.stream().anyMatch(link -> SourceCheck.isOf(link, element)))
                        .toList()));
        return some;
    }
}
