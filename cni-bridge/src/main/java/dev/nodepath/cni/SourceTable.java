package dev.nodepath.cni;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.nftables.NftChain;
import dev.nodepath.linux.nftables.NftChange;
import dev.nodepath.linux.nftables.NftDatatype;
import dev.nodepath.linux.nftables.NftFamily;
import dev.nodepath.linux.nftables.NftField;
import dev.nodepath.linux.nftables.NftListedRule;
import dev.nodepath.linux.nftables.NftRefusedException;
import dev.nodepath.linux.nftables.NftRule;
import dev.nodepath.linux.nftables.NftSet;
import dev.nodepath.linux.nftables.NftStatement;
import dev.nodepath.linux.nftables.NftTable;
import dev.nodepath.linux.nftables.NftTables;
import dev.nodepath.linux.nftables.NftTransaction;
import dev.nodepath.linux.nftables.NftVerdict;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The table of family {@code bridge} that checks the sources of frames. Its rules do not depend on the containers:
 * {@code ports} has the checked ports, and the other sets have the allowed sources of each port. Frames of other ports
 * pass, and so do frames to the checked ports.
 */
public final class SourceTable {
    private static final NftTable TABLE = new NftTable(NftFamily.BRIDGE, "nodepath_cni");

    private static final String MAC = "mac";
    private static final String ADDRESS = "address";
    private static final String ADVERTISEMENT = "advertisement";

    /** The chain for each checked port. */
    static final NftSet PORTS = set("ports", List.of(NftDatatype.VERDICT), NftDatatype.IFNAME);

    static final NftSet MACS = set("macs", List.of(), NftDatatype.IFNAME, NftDatatype.ETHER_ADDR);
    static final NftSet IPV4 =
            set("ipv4", List.of(), NftDatatype.IFNAME, NftDatatype.ETHER_ADDR, NftDatatype.IPV4_ADDR);
    static final NftSet IPV6 =
            set("ipv6", List.of(), NftDatatype.IFNAME, NftDatatype.ETHER_ADDR, NftDatatype.IPV6_ADDR);

    static final List<NftSet> SETS = List.of(PORTS, MACS, IPV4, IPV6);

    private SourceTable() {}

    /** The content of {@code ports} for a port: the check of its addresses, or of its MAC alone. */
    static NftVerdict checks(boolean addresses) {
        return NftVerdict.to(addresses ? ADDRESS : MAC);
    }

    /** Makes the table. Where it is there already, this changes nothing. */
    static List<NftChange> creation() {
        List<NftChange> changes = new ArrayList<>();
        changes.add(new NftChange.AddTable(TABLE));
        SETS.forEach(set -> changes.add(new NftChange.AddSet(set)));
        Map<NftChain, List<NftRule>> chains = chains();
        chains.keySet().forEach(chain -> changes.add(new NftChange.AddChain(chain)));
        chains.forEach((chain, rules) -> {
            changes.add(new NftChange.FlushChain(chain));
            rules.forEach(rule -> changes.add(new NftChange.AddRule(chain, rule)));
        });
        return changes;
    }

    /**
     * Whether each chain has its rules, by their comments. Sets without rules check nothing, and a dormant table does
     * not see frames.
     */
    static boolean isWhole(NetworkNamespace host) throws LinuxNetException {
        if (!host.isNftTableInForce(TABLE)) {
            return false;
        }
        for (Map.Entry<NftChain, List<NftRule>> chain : chains().entrySet()) {
            List<String> has = host.nftRules(chain.getKey()).stream()
                    .map(NftListedRule::comment)
                    .toList();
            if (!has.equals(chain.getValue().stream().map(NftRule::comment).toList())) {
                return false;
            }
        }
        return true;
    }

    /** Opens the tables of a namespace. */
    @FunctionalInterface
    public interface Opening {
        /** Opens them; the caller closes them. */
        NftTables open() throws LinuxNetException;
    }

    /**
     * Why the kernel cannot check sources; empty if it can. It changes nothing.
     *
     * @throws IOException if the kernel cannot answer now, because memory is short or it is busy
     */
    public static Optional<String> problem(Opening opening) throws IOException {
        try (NftTables tables = opening.open()) {
            tables.check(NftTransaction.of(creation()));
            return Optional.empty();
        } catch (NftRefusedException e) {
            return lasting(e.errno(), e);
        } catch (LinuxNetException e) {
            return lasting(e.errno(), e);
        }
    }

    private static Optional<String> lasting(Errno errno, IOException e) throws IOException {
        if (errno.mayPass()) {
            throw e;
        }
        return Optional.of(String.valueOf(e.getMessage()));
    }

    private static Map<NftChain, List<NftRule>> chains() {
        Map<NftChain, List<NftRule>> chains = new LinkedHashMap<>();
        chains.put(
                chain("prerouting", Optional.of(NftChain.Hook.BRIDGE_PREROUTING)),
                List.of(NftRule.of(new NftStatement.VerdictOf(List.of(NftField.INPUT_INTERFACE), PORTS.name()))));
        chains.put(
                chain(MAC, Optional.empty()),
                List.of(NftRule.of(in(MACS, NftField.ETHER_SOURCE), NftVerdict.ACCEPT), NftRule.of(NftVerdict.DROP)));
        chains.put(chain(ADDRESS, Optional.empty()), addressRules());
        chains.put(chain(ADVERTISEMENT, Optional.empty()), advertisementRules());
        chains.replaceAll(
                (chain, rules) -> rules.stream().map(SourceTable::marked).toList());
        return chains;
    }

    /** The comment distinguishes the rule from those of other versions and programs. */
    private static NftRule marked(NftRule rule) {
        return new NftRule(
                rule.statements(),
                HexFormat.of().toHexDigits(rule.statements().toString().hashCode()));
    }

    /** The last of them drops other protocols, frames with a VLAN tag, and frames that are too short. */
    private static List<NftRule> addressRules() {
        return List.of(
                NftRule.of(in(IPV4, NftField.ETHER_SOURCE, NftField.SOURCE_ADDRESS), NftVerdict.ACCEPT),
                NftRule.of(NftStatement.Icmpv6Type.NEIGHBOUR_ADVERTISEMENT, NftVerdict.to(ADVERTISEMENT)),
                NftRule.of(in(IPV6, NftField.ETHER_SOURCE, NftField.IPV6_SOURCE_ADDRESS), NftVerdict.ACCEPT),
                NftRule.of(
                        in(IPV4, NftField.ARP_SENDER_ETHER, NftField.ARP_SENDER_ADDRESS),
                        in(IPV4, NftField.ETHER_SOURCE, NftField.ARP_SENDER_ADDRESS),
                        NftVerdict.ACCEPT),
                // Duplicate address detection (RFC 4862 section 5.4.2) of its own addresses.
                NftRule.of(
                        NftStatement.sourceIn(Cidr.parse("::/128")),
                        NftStatement.Icmpv6Type.NEIGHBOUR_SOLICITATION,
                        in(IPV6, NftField.ETHER_SOURCE, NftField.NEIGHBOUR_TARGET),
                        NftVerdict.ACCEPT),
                NftRule.of(NftVerdict.DROP));
    }

    /** An advertisement without an option passes the first rule, which then has no address to look for. */
    private static List<NftRule> advertisementRules() {
        return List.of(
                NftRule.of(
                        new NftStatement.InSet(
                                List.of(NftField.INPUT_INTERFACE, NftField.NEIGHBOUR_ETHER, NftField.NEIGHBOUR_TARGET),
                                IPV6.name(),
                                true),
                        NftVerdict.DROP),
                NftRule.of(
                        in(IPV6, NftField.ETHER_SOURCE, NftField.IPV6_SOURCE_ADDRESS),
                        in(IPV6, NftField.ETHER_SOURCE, NftField.NEIGHBOUR_TARGET),
                        NftVerdict.ACCEPT),
                NftRule.of(NftVerdict.DROP));
    }

    private static NftStatement in(NftSet set, NftField... fields) {
        List<NftField> key = new ArrayList<>(List.of(NftField.INPUT_INTERFACE));
        key.addAll(List.of(fields));
        return new NftStatement.InSet(key, set.name());
    }

    private static NftChain chain(String name, Optional<NftChain.Hook> hook) {
        return new NftChain(TABLE, name, hook);
    }

    private static NftSet set(String name, List<NftDatatype> data, NftDatatype... key) {
        return new NftSet(TABLE, name, List.of(key), data, "");
    }
}
