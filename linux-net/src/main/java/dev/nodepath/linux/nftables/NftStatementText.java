package dev.nodepath.linux.nftables;

import dev.nodepath.linux.address.AddressRange;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** The statements of rules as {@code nft} prints them. */
final class NftStatementText {
    private final NftFamily family;

    /** For rules of a table of this family. */
    NftStatementText(NftFamily family) {
        this.family = family;
    }

    String of(NftStatement statement) {
        if (statement instanceof NftVerdict verdict) {
            return verdict.toString();
        } else if (statement instanceof NftStatement.AddressIn match) {
            return addressIn(match);
        } else if (statement instanceof NftStatement.InputInterface match) {
            return "iifname " + (match.negated() ? "!= " : "") + '"' + match.name() + '"';
        } else if (statement instanceof NftStatement.EtherSource match) {
            return "ether saddr " + match.mac();
        } else if (statement instanceof NftStatement.Protocol match) {
            return "meta l4proto " + match.name();
        } else if (statement instanceof NftStatement.DestinationPort match) {
            return new NftStatement.Protocol(match.protocol()).name() + " dport " + match.port();
        } else if (statement instanceof NftStatement.DestinationPorts match) {
            String protocol = new NftStatement.Protocol(match.protocol()).name();
            return protocol + " dport " + match.first() + "-" + match.last();
        } else if (statement instanceof NftStatement.NoTcpStart) {
            return "tcp flags != syn / syn,ack";
        } else if (statement instanceof NftStatement.Icmpv6Type match) {
            return "icmpv6 type " + match.name();
        } else if (statement instanceof NftStatement.Log log) {
            return "log group " + log.group();
        } else if (statement instanceof NftStatement.NewConnection) {
            return "ct state new";
        } else if (statement instanceof NftStatement.KnownConnection) {
            return "ct state established,related";
        } else if (statement instanceof NftStatement.Untracked) {
            return "ct state untracked";
        } else if (statement instanceof NftStatement.DestinationTranslated) {
            return "ct status dnat";
        } else if (statement instanceof NftStatement.AddressLocal match) {
            String address = match.field() == NftField.SOURCE_ADDRESS ? "saddr" : "daddr";
            return "fib " + address + " type local";
        } else if (statement instanceof NftStatement.DestinationBroadcast) {
            return "fib daddr type broadcast";
        } else if (statement instanceof NftStatement.InSet lookup) {
            return key(lookup.key()) + (lookup.negated() ? " != @" : " @") + lookup.set();
        } else if (statement instanceof NftStatement.VerdictOf lookup) {
            return key(lookup.key()) + " vmap @" + lookup.map();
        } else {
            return action(statement);
        }
    }

    private String action(NftStatement statement) {
        if (statement instanceof NftStatement.MarkHas match) {
            return "meta mark & " + mark(match.bits()) + " != " + mark(0);
        } else if (statement instanceof NftStatement.MarkSet action) {
            return "meta mark set meta mark | " + mark(action.bits());
        } else if (statement instanceof NftStatement.MarkToggle action) {
            return "meta mark set meta mark ^ " + mark(action.bits());
        } else if (statement instanceof NftStatement.RandomVerdict choice) {
            return random(choice.verdicts().size()) + " vmap " + indexed(choice.verdicts());
        } else if (statement instanceof NftStatement.RandomDnat choice) {
            List<String> destinations = choice.to().stream()
                    .map(to -> to.address() + " . " + to.port())
                    .toList();
            return "dnat " + NftFamily.of(ip()) + " to " + random(destinations.size()) + " map "
                    + indexed(destinations);
        } else if (statement instanceof NftStatement.RandomDnatOf choice) {
            return "dnat " + NftFamily.of(ip()) + " to " + NftField.DESTINATION_ADDRESS.text(ip()) + " . "
                    + choice.protocol() + " dport . " + random(choice.count()) + " map @" + choice.map();
        } else if (statement instanceof NftStatement.Dnat dnat) {
            IpAddress to = dnat.to().address();
            String ip = family == NftFamily.INET ? NftFamily.of(to.family()) + " " : "";
            return "dnat " + ip + "to " + to.withPort(dnat.to().port());
        } else if (statement instanceof NftStatement.PortOf translation) {
            return portOf(translation);
        } else if (statement instanceof NftStatement.SourceByPriority translation) {
            return "snat to meta priority map @" + translation.map();
        } else if (statement instanceof NftStatement.Remember action) {
            return "update @" + action.set() + " { " + key(List.of(NftField.SOURCE_ADDRESS)) + " }";
        } else if (statement instanceof NftStatement.Masquerade action) {
            return action.fullyRandom() ? "masquerade fully-random" : "masquerade";
        } else if (statement instanceof NftStatement.Reject) {
            return "reject";
        } else if (statement instanceof NftStatement.TraceOn) {
            return "meta nftrace set 1";
        } else if (statement instanceof NftStatement.Counter) {
            return "counter";
        } else if (statement instanceof NftStatement.Unknown unknown) {
            return "[" + unknown.expressions() + "]";
        } else {
            throw new IllegalArgumentException("statement: " + statement + " (expected: one of NftStatement)");
        }
    }

    private String portOf(NftStatement.PortOf translation) {
        String to = translation
                .address()
                .map(address -> "dnat to " + (address.family() == IpFamily.IPV6 ? "[" + address + "]" : address))
                .orElse("redirect to ");
        return to + ":" + key(translation.key()) + " map @" + translation.map();
    }

    private static String addressIn(NftStatement.AddressIn match) {
        List<Cidr> networks = match.networks();
        String field = match.field().text(networks.get(0).family()) + (match.negated() ? " != " : " ");
        return field + (networks.size() == 1 ? network(networks.get(0)) : "{ " + ranges(networks) + " }");
    }

    /** Neighbours that are no network together are one range, but not if each is a single address. */
    private static String ranges(List<Cidr> networks) {
        if (networks.stream().allMatch(AddressRange::isSingle)) {
            return networks.stream().map(NftStatementText::network).collect(Collectors.joining(", "));
        }
        return AddressRange.of(networks).stream().map(NftStatementText::range).collect(Collectors.joining(", "));
    }

    static String range(AddressRange range) {
        List<Cidr> networks = range.networks();
        return networks.size() == 1 ? network(networks.get(0)) : range.first() + "-" + range.last();
    }

    private static String network(Cidr network) {
        return AddressRange.isSingle(network) ? network.address().toString() : network.toString();
    }

    private String key(List<NftField> fields) {
        return fields.stream().map(field -> field.text(ip())).collect(Collectors.joining(" . "));
    }

    private IpFamily ip() {
        return family == NftFamily.IPV6 ? IpFamily.IPV6 : IpFamily.IPV4;
    }

    private static String mark(int bits) {
        return String.format("0x%08x", bits);
    }

    private static String random(int count) {
        return "numgen random mod " + count;
    }

    private static String indexed(List<?> values) {
        List<String> entries = new ArrayList<>(values.size());
        for (int i = 0; i < values.size(); i++) {
            entries.add(i + " : " + values.get(i));
        }
        return "{ " + String.join(", ", entries) + " }";
    }
}
