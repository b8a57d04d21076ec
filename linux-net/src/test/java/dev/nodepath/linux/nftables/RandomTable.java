package dev.nodepath.linux.nftables;

import dev.nodepath.linux.address.AddressRange;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Makes tables with any statements, sets and elements that the kernel takes. */
final class RandomTable {
    private static final List<List<NftField>> KEYS = List.of(
            List.of(NftField.DESTINATION_ADDRESS),
            List.of(NftField.PROTOCOL, NftField.DESTINATION_PORT),
            List.of(NftField.DESTINATION_ADDRESS, NftField.PROTOCOL, NftField.DESTINATION_PORT),
            List.of(
                    NftField.SOURCE_ADDRESS,
                    NftField.DESTINATION_ADDRESS,
                    NftField.PROTOCOL,
                    NftField.DESTINATION_PORT));
    private static final List<NftField> SERVICE = KEYS.get(2);
    private static final int CHAINS = 8;
    private static final int NETWORKS = 3;

    private final Random random;
    private final NftTable table;
    private final IpFamily ip;

    RandomTable(NftFamily family, long seed) {
        this.random = new Random(seed);
        this.table = new NftTable(family, "random");
        this.ip = NftExpressions.ip(family);
    }

    TableBuilder build() {
        TableBuilder builder = new TableBuilder(table, comment());
        for (int key = 0; key < KEYS.size(); key++) {
            builder.set(set("set-" + key, KEYS.get(key)), elements(KEYS.get(key), false));
            builder.set(map("map-" + key, KEYS.get(key)), elements(KEYS.get(key), true));
        }
        builder.set(new NftSet(
                table,
                "packets",
                List.of(NftField.SOURCE_ADDRESS.type(ip)),
                List.of(),
                Duration.ofSeconds(1 + random.nextInt(86_400)),
                comment()));
        for (int i = 0; i < NETWORKS; i++) {
            builder.set(NftSet.ofRanges(
                    table, "networks-" + i, NftField.SOURCE_ADDRESS.type(ip), AddressRange.of(networks())));
        }
        builder.set(endpoints());
        builder.set(new NftSet(table, "ports", types(SERVICE), List.of(NftDatatype.INET_SERVICE), comment()));
        builder.chain(new NftChain(
                table,
                "base",
                Optional.of(new NftChain.Hook(
                        "filter", random.nextInt(5), random.nextInt(600) - 300, random.nextBoolean())),
                comment()));
        for (int chain = 0; chain < CHAINS; chain++) {
            builder.chain(new NftChain(table, "leaf-" + chain, Optional.empty(), comment()));
            builder.chain(
                    new NftChain(table, "chain-" + chain, Optional.empty(), comment()),
                    Stream.generate(this::rule).limit(random.nextInt(6)).toArray(NftRule[]::new));
        }
        return builder;
    }

    private NftSet set(String name, List<NftField> key) {
        return new NftSet(table, name, types(key), List.of(), comment());
    }

    private NftSet map(String name, List<NftField> key) {
        return new NftSet(table, name, types(key), List.of(NftDatatype.VERDICT), comment());
    }

    private NftSet endpoints() {
        NftDatatype address = NftField.DESTINATION_ADDRESS.type(ip);
        return new NftSet(
                table,
                "endpoints",
                List.of(address, NftDatatype.INET_SERVICE, NftDatatype.INTEGER),
                List.of(address, NftDatatype.INET_SERVICE),
                "endpoints of services");
    }

    private List<NftDatatype> types(List<NftField> key) {
        return key.stream().map(field -> field.type(ip)).toList();
    }

    private NftElement[] elements(List<NftField> key, boolean map) {
        return IntStream.range(0, random.nextInt(20))
                .mapToObj(i -> new NftElement(value(key), map ? Optional.of(verdict()) : Optional.empty(), comment()))
                .toArray(NftElement[]::new);
    }

    private NftValue value(List<NftField> key) {
        return switch (key.size()) {
            case 1 -> NftValue.of(address());
            case 2 -> NftValue.of(protocol(), port());
            case 3 -> NftValue.of(address(), protocol(), port());
            default -> NftValue.of(address()).and(NftValue.of(address(), protocol(), port()));
        };
    }

    private NftRule rule() {
        List<NftStatement> statements = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            statements.addAll(match());
        }
        statements.addAll(action());
        return new NftRule(statements, comment());
    }

    private List<NftStatement> match() {
        int key = random.nextInt(KEYS.size());
        return List.of(
                switch (random.nextInt(17)) {
                    case 16 ->
                        new NftStatement.InSet(
                                List.of(addressField()), "networks-" + random.nextInt(NETWORKS), random.nextBoolean());
                    case 11 -> new NftStatement.KnownConnection();
                    case 12 -> new NftStatement.Untracked();
                    case 15 -> new NftStatement.NoTcpStart();
                    case 14 -> new NftStatement.DestinationBroadcast();
                    case 13 -> new NftStatement.DestinationPorts(protocol(), 80, 81 + random.nextInt(65_000));
                    case 10 -> new NftStatement.DestinationPort(protocol(), 1 + random.nextInt(65_535));
                    case 0 -> new NftStatement.Protocol(protocol());
                    case 1 -> new NftStatement.NewConnection();
                    case 2 -> new NftStatement.DestinationTranslated();
                    case 3 -> new NftStatement.AddressLocal(addressField());
                    case 4 -> new NftStatement.MarkHas(bits());
                    case 5 -> new NftStatement.InSet(KEYS.get(key), "set-" + key, random.nextBoolean());
                    case 6 ->
                        new NftStatement.InputInterface(
                                random.nextBoolean() ? "eth" + random.nextInt(100) : "cali*", random.nextBoolean());
                    default -> new NftStatement.AddressIn(addressField(), networks(), random.nextBoolean());
                });
    }

    private List<NftStatement> action() {
        int key = random.nextInt(KEYS.size());
        return switch (random.nextInt(13)) {
            case 0 -> List.of(new NftStatement.MarkSet(bits()), verdict());
            case 1 -> List.of(new NftStatement.MarkToggle(bits()), new NftStatement.Masquerade(random.nextBoolean()));
            case 2 -> List.of(new NftStatement.VerdictOf(KEYS.get(key), "map-" + key));
            case 3 ->
                List.of(new NftStatement.RandomVerdict(Stream.generate(this::verdict)
                        .limit(1 + random.nextInt(9))
                        .toList()));
            case 4 -> List.of(new NftStatement.Protocol(6), new NftStatement.Dnat(destination()));
            case 5 ->
                List.of(
                        new NftStatement.Protocol(17),
                        new NftStatement.RandomDnat(Stream.generate(this::destination)
                                .limit(1 + random.nextInt(30))
                                .toList()));
            case 6 ->
                List.of(
                        new NftStatement.Protocol(132),
                        new NftStatement.RandomDnatOf("sctp", 1 + random.nextInt(500), "endpoints"));
            case 10 ->
                List.of(new NftStatement.PortOf(
                        random.nextBoolean() ? Optional.of(destination().address()) : Optional.empty(),
                        SERVICE,
                        "ports"));
            case 7 -> List.of(new NftStatement.Remember("packets"));
            case 8 -> List.of(new NftStatement.Reject());
            case 9 -> List.of(new NftStatement.Counter(), verdict());
            case 11 -> List.of(new NftStatement.TraceOn(), verdict());
            default -> List.of(verdict());
        };
    }

    /** It leads to chains without rules alone. Linux 6.1 refuses a loop even if no packet gets into it. */
    private NftVerdict verdict() {
        return switch (random.nextInt(5)) {
            case 0 -> NftVerdict.ACCEPT;
            case 1 -> NftVerdict.DROP;
            case 2 -> NftVerdict.RETURN;
            case 3 -> NftVerdict.jump("leaf-" + random.nextInt(CHAINS));
            default -> NftVerdict.to("leaf-" + random.nextInt(CHAINS));
        };
    }

    private NftStatement.Destination destination() {
        return new NftStatement.Destination(address(), port());
    }

    private NftField addressField() {
        return NftField.ADDRESSES.get(random.nextInt(2));
    }

    private IpAddress address() {
        byte[] bytes = new byte[ip.bits() / 8];
        random.nextBytes(bytes);
        return IpAddress.of(bytes);
    }

    private List<Cidr> networks() {
        return Stream.generate(this::network).limit(1 + random.nextInt(6)).toList();
    }

    /** Many are single addresses or lie close together. */
    private Cidr network() {
        int prefix = random.nextInt(4) == 0 ? ip.bits() : random.nextInt(ip.bits() + 1);
        IpAddress address =
                random.nextBoolean() ? address() : AddressRange.lowest(ip).plus(random.nextInt(16));
        return new Cidr(address, prefix).network();
    }

    private int protocol() {
        return List.of(6, 17, 132).get(random.nextInt(3));
    }

    private int port() {
        return 1 + random.nextInt(65_535);
    }

    private int bits() {
        return 1 << random.nextInt(32);
    }

    private String comment() {
        return random.nextInt(3) > 0 ? "" : "x".repeat(1 + random.nextInt(127));
    }
}
