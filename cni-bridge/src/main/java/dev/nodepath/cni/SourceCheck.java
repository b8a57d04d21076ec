package dev.nodepath.cni;

import dev.nodepath.cni.config.LinkIdentity;
import dev.nodepath.cni.ipam.Attachment;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.address.MacAddress;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.nftables.NftChange;
import dev.nodepath.linux.nftables.NftElement;
import dev.nodepath.linux.nftables.NftSet;
import dev.nodepath.linux.nftables.NftValue;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Drops frames of a container with a foreign source: another MAC ({@code macspoofchk}), or another MAC or address
 * ({@code ipspoofchk}). Some elements of {@link SourceTable} are the allowed sources of a container. The element of
 * its port names the attachment. One transaction adds or removes all of them.
 */
final class SourceCheck {
    /** The length of the attachment in a comment, which has at most 127 characters with the network's hash. */
    private static final int NAME_MAX = 90;

    private final NetworkNamespace host;
    private final String owner;

    /** The elements of one attachment in the node's namespace. */
    SourceCheck(NetworkNamespace host, LinkIdentity identity) {
        this.host = host;
        this.owner = owner(identity);
    }

    /**
     * The allowed sources of a container.
     *
     * @param port the node's end of its link
     * @param addresses its addresses, without the link-local one; empty if it may send from any
     */
    record Source(String port, MacAddress mac, Optional<List<IpAddress>> addresses) {
        NftValue link() {
            return NftValue.ofLink(port);
        }

        /** The elements of an attachment that may send this. */
        Map<NftSet, List<NftElement>> elements(LinkIdentity identity) {
            return elements(owner(identity));
        }

        private Map<NftSet, List<NftElement>> elements(String owner) {
            NftValue frame = link().and(NftValue.of(mac));
            Map<NftSet, List<NftElement>> elements = new LinkedHashMap<>();
            elements.put(
                    SourceTable.PORTS,
                    List.of(new NftElement(link(), Optional.of(SourceTable.checks(addresses.isPresent())), owner)));
            if (addresses.isEmpty()) {
                elements.put(SourceTable.MACS, List.of(NftElement.of(frame)));
            } else {
                Set<IpAddress> all = new LinkedHashSet<>(addresses.get());
                all.add(mac.linkLocal());
                elements.put(SourceTable.IPV4, elements(frame, all, IpFamily.IPV4));
                elements.put(SourceTable.IPV6, elements(frame, all, IpFamily.IPV6));
            }
            return elements;
        }

        private static List<NftElement> elements(NftValue frame, Set<IpAddress> addresses, IpFamily family) {
            return addresses.stream()
                    .filter(address -> address.family() == family)
                    .map(address -> NftElement.of(frame.and(NftValue.of(address))))
                    .toList();
        }
    }

    /** Lets the attachment send this and nothing else; anything if it is empty. */
    void ensure(Optional<Source> source) throws LinuxNetException {
        Map<NftSet, List<NftElement>> wanted =
                source.map(given -> given.elements(owner)).orElse(Map.of());
        Optional<NftValue> link = source.map(Source::link);
        replace(host, port -> port.comment().equals(owner) || link.equals(Optional.of(port.key())), wanted);
    }

    /** Removes the elements of the attachment. An attachment without elements is no error. */
    void remove() throws LinuxNetException {
        ensure(Optional.empty());
    }

    /** Whether the attachment has exactly these allowed sources. */
    boolean isFor(Source source) throws LinuxNetException {
        if (!SourceTable.isWhole(host)) {
            return false;
        }
        Map<NftSet, List<NftElement>> wanted = source.elements(owner);
        for (NftSet set : SourceTable.SETS) {
            Set<NftElement> has = new HashSet<>();
            for (NftElement element : host.nftElements(set)) {
                if (isOf(source.link(), element)) {
                    has.add(element);
                }
            }
            if (!has.equals(Set.copyOf(wanted.getOrDefault(set, List.of())))) {
                return false;
            }
        }
        return true;
    }

    /** Removes the elements of all other attachments of a network. */
    static void removeOthers(NetworkNamespace host, String network, Set<Attachment> valid) throws LinuxNetException {
        String end = ownerEnd(network);
        Set<String> kept = new HashSet<>();
        valid.forEach(attachment -> kept.add(owner(new LinkIdentity(network, attachment))));
        replace(host, port -> port.comment().endsWith(end) && !kept.contains(port.comment()), Map.of());
    }

    private static String owner(LinkIdentity identity) {
        return identity.shortName(NAME_MAX) + ownerEnd(identity.network());
    }

    /** How the owner of each element of a network ends. */
    static String ownerEnd(String network) {
        return " " + new LinkIdentity(network, new Attachment("", "")).networkHash();
    }

    /** Replaces the elements of some ports by others, in one transaction. */
    private static void replace(
            NetworkNamespace host, Predicate<NftElement> ports, Map<NftSet, List<NftElement>> wanted)
            throws LinuxNetException {
        RuleChanges.apply(host, () -> {
            List<NftElement> replaced =
                    host.nftElements(SourceTable.PORTS).stream().filter(ports).toList();
            Map<NftSet, List<NftElement>> has = new LinkedHashMap<>();
            if (!replaced.isEmpty()) {
                for (NftSet set : SourceTable.SETS) {
                    has.put(set, set.equals(SourceTable.PORTS) ? replaced : ofPorts(host, set, replaced));
                }
            }
            List<NftChange> changes = new ArrayList<>();
            if (!wanted.isEmpty() && !SourceTable.isWhole(host)) {
                changes.addAll(SourceTable.creation());
            }
            changes.addAll(differences(has, wanted));
            return changes;
        });
    }

    /** The changes that turn some elements of the table into others. */
    static List<NftChange> differences(Map<NftSet, List<NftElement>> has, Map<NftSet, List<NftElement>> wanted) {
        List<NftChange> changes = new ArrayList<>();
        for (NftSet set : SourceTable.SETS) {
            List<NftElement> before = has.getOrDefault(set, List.of());
            List<NftElement> after = wanted.getOrDefault(set, List.of());
            List<NftValue> removed = before.stream()
                    .filter(element -> !after.contains(element))
                    .map(NftElement::key)
                    .toList();
            if (!removed.isEmpty()) {
                changes.add(new NftChange.DeleteElements(set, removed));
            }
            List<NftElement> added =
                    after.stream().filter(element -> !before.contains(element)).toList();
            if (!added.isEmpty()) {
                changes.add(new NftChange.AddElements(set, added));
            }
        }
        return changes;
    }

    private static List<NftElement> ofPorts(NetworkNamespace host, NftSet set, List<NftElement> ports)
            throws LinuxNetException {
        return host.nftElements(set).stream()
                .filter(element -> ports.stream().anyMatch(port -> isOf(port.key(), element)))
                .toList();
    }

    /** The name in the key of a port's element. */
    static String linkName(NftElement port) {
        return new String(port.key().bytes(), StandardCharsets.UTF_8).replace("\0", "");
    }

    /** The MAC that a port has in the table; empty if it is not there. */
    static Optional<MacAddress> macOf(NftValue link, Map<NftSet, List<NftElement>> elements) {
        int start = link.bytes().length;
        return elements.entrySet().stream()
                .filter(set -> !set.getKey().equals(SourceTable.PORTS))
                .flatMap(set -> set.getValue().stream())
                .filter(element -> isOf(link, element))
                .map(element ->
                        MacAddress.of(Arrays.copyOfRange(element.key().bytes(), start, start + MacAddress.LENGTH)))
                .findFirst();
    }

    /** Each key begins with the name of a link. */
    static boolean isOf(NftValue link, NftElement element) {
        int length = link.bytes().length;
        return Arrays.equals(link.bytes(), 0, length, element.key().bytes(), 0, length);
    }
}
