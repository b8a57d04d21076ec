package dev.nodepath.endpoints.trace;

import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.ServiceCidr;
import dev.nodepath.endpoints.ServicePort;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.Snapshots;
import dev.nodepath.endpoints.trace.RoutedNetwork.Host;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;

/**
 * Services of every shape in a {@link RoutedNetwork}, and questions to them; the same ones for the same random
 * numbers.
 */
public final class RandomQuestions {
    private static final int SERVICES = 8;
    private static final int QUESTIONS = 70;
    private static final int PORT = 80;
    private static final List<Host> SERVERS = List.of(Host.LOCAL_SERVER, Host.REMOTE_SERVER, Host.NODE);

    private final Random random;
    private final IpFamily family;
    private final ServiceSnapshot snapshot;

    /**
     * The next questions.
     *
     * @param fillers the number of plain Services without questions
     */
    public RandomQuestions(Random random, IpFamily family, int fillers) {
        this.random = random;
        this.family = family;
        this.snapshot = services(fillers);
    }

    /** The Services. */
    public ServiceSnapshot snapshot() {
        return snapshot;
    }

    private ServiceSnapshot services(int fillers) {
        Snapshots snapshots = Snapshots.service("a/first", clusterIp(1).toString(), PORT);
        snapshots.endpoint(endpoint(Host.REMOTE_SERVER), "n2");
        for (int number = 2; number <= SERVICES; number++) {
            Protocol protocol = random.nextInt(3) == 0 ? Protocol.UDP : Protocol.TCP;
            snapshots.andService("a/s" + number, protocol, clusterIp(number).toString(), PORT);
            if (random.nextInt(3) > 0) {
                addExternal(snapshots, number);
            }
            if (random.nextInt(4) == 0) {
                snapshots.internalTrafficLocal();
            }
            if (random.nextInt(4) == 0) {
                snapshots.affinity(600);
            }
            addEndpoints(snapshots);
        }
        for (int filler = 0; filler < fillers; filler++) {
            snapshots.andService(
                    "filler/s" + filler, clusterIp(1000).plus(filler).toString(), PORT);
            snapshots.endpoint(endpoint(Host.REMOTE_SERVER), "n2");
        }
        ServiceSnapshot built = snapshots
                .node("n1", Host.NODE.address(family).toString(), podCidr().toString())
                .build();
        TreeMap<String, ServiceCidr> ranges = new TreeMap<>();
        if (random.nextBoolean()) {
            ranges.put("range", new ServiceCidr("range", List.of(serviceCidr())));
        }
        return new ServiceSnapshot(built.services(), built.endpoints(), built.nodes(), ranges);
    }

    private void addExternal(Snapshots snapshots, int number) {
        if (random.nextInt(3) > 0) {
            snapshots.nodePort(30000 + number);
        }
        if (random.nextBoolean()) {
            snapshots.externalIps(outside(number).toString());
        }
        if (random.nextBoolean()) {
            snapshots.loadBalancerIps(outside(100 + number).toString());
            if (random.nextBoolean()) {
                snapshots.sourceRanges(sourceRanges());
            }
        }
        if (random.nextBoolean()) {
            snapshots.externalTrafficLocal();
        }
    }

    /** The ranges of one host; some also have it twice, or have the other family's clients, or everybody. */
    private String sourceRanges() {
        List<Host> hosts = List.of(Host.OUTSIDE, Host.NODE, Host.LOCAL_CLIENT);
        String range = hosts.get(random.nextInt(hosts.size())).address(family) + "/" + family.bits();
        return switch (random.nextInt(6)) {
            case 0 -> range + "," + range;
            case 1 -> range + ",0.0.0.0/0";
            case 2 -> "::/0," + range;
            case 3 -> family == IpFamily.IPV4 ? "2001:db8::/32" : "192.0.2.0/24";
            default -> range;
        };
    }

    private void addEndpoints(Snapshots snapshots) {
        for (Host server : SERVERS) {
            String node = server == Host.REMOTE_SERVER ? "n2" : "n1";
            switch (random.nextInt(8)) {
                case 0, 1, 2 -> snapshots.endpoint(endpoint(server), node);
                case 3 -> snapshots.drainingEndpoint(endpoint(server), node);
                case 4 -> snapshots.unreadyEndpoint(endpoint(server), node);
                default -> {}
            }
        }
    }

    private String endpoint(Host server) {
        return server.address(family).withPort(QuestionedNetwork.SERVER_PORT);
    }

    private IpAddress clusterIp(int number) {
        return serviceCidr().address().plus(number);
    }

    private Cidr serviceCidr() {
        return Cidr.parse(family == IpFamily.IPV4 ? "10.96.0.0/16" : "fd00:10:96::/112");
    }

    /** The pods of this node. */
    public Cidr podCidr() {
        return Cidr.parse(family == IpFamily.IPV4 ? "10.244.1.0/24" : "fd00:10:244:1::/64");
    }

    private IpAddress outside(int number) {
        return IpAddress.parse(family == IpFamily.IPV4 ? "203.0.113.0" : "2001:db8:113::")
                .plus(number);
    }

    /** The next questions. */
    public List<Question> questions() {
        List<ServicePort> services = snapshot.services().values().stream()
                .filter(service -> service.name().service().namespace().equals("a"))
                .toList();
        List<Question> questions = new ArrayList<>();
        while (questions.size() < QUESTIONS) {
            questions.add(question(services.get(random.nextInt(services.size()))));
        }
        return questions;
    }

    private Question question(ServicePort service) {
        Host client = PolicyQuestions.CLIENTS.get(random.nextInt(PolicyQuestions.CLIENTS.size()));
        Protocol protocol = service.protocol();
        List<IpAddress> frontends = new ArrayList<>(service.clusterIps(family));
        frontends.addAll(service.externalIps(family));
        frontends.addAll(service.loadBalancerIps(family));
        int nodePort = service.nodePort() == 0 ? 30999 : service.nodePort();
        return switch (random.nextInt(12)) {
            case 0, 1 -> Question.of(client, protocol, Host.NODE.address(family), nodePort);
            case 2 -> Question.of(client, protocol, RoutedNetwork.podGateway(family), nodePort);
            case 3 -> loopback(protocol, nodePort);
            case 4 -> Question.of(client, protocol, service.clusterIps(family).get(0), PORT + 1);
            case 5 -> Question.of(client, protocol, clusterIp(500 + random.nextInt(100)), PORT);
            case 6 ->
                Question.from(
                        Host.NODE,
                        RoutedNetwork.podGateway(family),
                        protocol,
                        frontends.get(random.nextInt(frontends.size())),
                        PORT);
            default -> Question.of(client, protocol, frontends.get(random.nextInt(frontends.size())), PORT);
        };
    }

    private Question loopback(Protocol protocol, int port) {
        IpAddress loopback = IpAddress.parse(family == IpFamily.IPV4 ? "127.0.0.1" : "::1");
        return Question.from(Host.NODE, loopback, protocol, loopback, port);
    }
}
