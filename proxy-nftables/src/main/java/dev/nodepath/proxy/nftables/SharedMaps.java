package dev.nodepath.proxy.nftables;

import dev.nodepath.endpoints.Endpoint;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.ServicePort;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.nftables.NftChain;
import dev.nodepath.linux.nftables.NftDatatype;
import dev.nodepath.linux.nftables.NftElement;
import dev.nodepath.linux.nftables.NftField;
import dev.nodepath.linux.nftables.NftRule;
import dev.nodepath.linux.nftables.NftSet;
import dev.nodepath.linux.nftables.NftStatement;
import dev.nodepath.linux.nftables.NftTable;
import dev.nodepath.linux.nftables.NftTableState;
import dev.nodepath.linux.nftables.NftValue;
import dev.nodepath.linux.nftables.TableGroup;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;

/**
 * The rules of a large cluster: one map for each protocol has the endpoints of all plain service ports, and one chain
 * for each number of endpoints chooses among them. A change of an endpoint changes only elements, whatever the number
 * of Services. kube-proxy announces the same for a later version (pull request 140362).
 */
final class SharedMaps {
    /** Thousands of service ports have chains and elements with these names, which are kept in memory. */
    private static final Map<Protocol, String> MAPS = new EnumMap<>(
            Map.of(Protocol.TCP, "endpoints-tcp", Protocol.UDP, "endpoints-udp", Protocol.SCTP, "endpoints-sctp"));

    private SharedMaps() {}

    static void addSets(NftTable table, IpFamily family, SortedMap<String, NftTableState.Elements> sets) {
        NftDatatype address = NftField.DESTINATION_ADDRESS.type(family);
        for (Protocol protocol : Protocol.values()) {
            NftSet map = new NftSet(
                    table,
                    map(protocol),
                    List.of(address, NftDatatype.INET_SERVICE, NftDatatype.INTEGER),
                    List.of(address, NftDatatype.INET_SERVICE),
                    "endpoints of ClusterIPs, by index");
            sets.put(map.name(), new NftTableState.Elements(map, Map.of()));
        }
    }

    private static String map(Protocol protocol) {
        return Objects.requireNonNull(MAPS.get(protocol));
    }

    /** The chain that chooses among this many endpoints. All service ports with so many have an equal one. */
    static NftTableState.Chain chain(NftTable table, int count) {
        List<NftRule> rules = new ArrayList<>();
        for (Protocol protocol : Protocol.values()) {
            rules.add(new NftRule(
                    List.of(
                            new NftStatement.Protocol(protocol.number()),
                            new NftStatement.RandomDnatOf(protocol.lowerCase(), count, map(protocol))),
                    ""));
        }
        return new NftTableState.Chain(new NftChain(table, "lb-" + count + "-endpoints", Optional.empty()), rules);
    }

    /** The endpoints under each cluster IP. */
    static List<TableGroup.Element> elements(ServicePort service, IpFamily family, List<Endpoint> endpoints) {
        List<TableGroup.Element> elements = new ArrayList<>();
        for (IpAddress ip : service.clusterIps(family)) {
            for (int i = 0; i < endpoints.size(); i++) {
                NftValue key = NftValue.of(ip, service.port()).and(NftValue.of(i));
                Endpoint endpoint = endpoints.get(i);
                elements.add(new TableGroup.Element(
                        map(service.protocol()), NftElement.of(key, NftValue.of(endpoint.address(), endpoint.port()))));
            }
        }
        return elements;
    }
}
