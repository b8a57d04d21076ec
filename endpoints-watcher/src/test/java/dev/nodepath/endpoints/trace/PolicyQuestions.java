package dev.nodepath.endpoints.trace;

import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.Snapshots;
import dev.nodepath.endpoints.trace.RoutedNetwork.Host;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import java.util.ArrayList;
import java.util.List;

/**
 * Services of every combination of traffic policies, with endpoints on both nodes and with none on this one, and a
 * Service without any; and questions to each, from every client by every way in.
 */
public final class PolicyQuestions {
    /** All clients whose answers pass the node. The neighbour receives packets for itself. */
    static final List<Host> CLIENTS = List.of(
            Host.LOCAL_CLIENT, Host.LOCAL_SERVER, Host.REMOTE_CLIENT, Host.REMOTE_SERVER, Host.NODE, Host.OUTSIDE);

    private final IpFamily family;
    private final List<Question> questions = new ArrayList<>();
    private final ServiceSnapshot snapshot;

    /** The questions of one family. */
    public PolicyQuestions(IpFamily family) {
        this.family = family;
        this.snapshot = services();
    }

    /** The Services. */
    public ServiceSnapshot snapshot() {
        return snapshot;
    }

    /** The questions. */
    public List<Question> questions() {
        return questions;
    }

    private ServiceSnapshot services() {
        Snapshots snapshots = Snapshots.service("a/none", clusterIp(100).toString(), 80);
        addWays(snapshots, 0);
        int number = 1;
        for (boolean externalLocal : new boolean[] {false, true}) {
            for (boolean internalLocal : new boolean[] {false, true}) {
                for (boolean alsoLocal : new boolean[] {false, true}) {
                    String name = (externalLocal ? "el" : "ec")
                            + (internalLocal ? "-il" : "-ic")
                            + (alsoLocal ? "-both" : "-remote");
                    snapshots.andService("a/" + name, clusterIp(100 + number).toString(), 80);
                    addWays(snapshots, number);
                    if (externalLocal) {
                        snapshots.externalTrafficLocal();
                    }
                    if (internalLocal) {
                        snapshots.internalTrafficLocal();
                    }
                    addEndpoints(snapshots, alsoLocal);
                    number++;
                }
            }
        }
        snapshots
                .andService("a/udp", Protocol.UDP, clusterIp(200).toString(), 53)
                .nodePort(30200);
        addEndpoints(snapshots, true);
        for (Host client : CLIENTS) {
            questions.add(Question.of(client, Protocol.UDP, clusterIp(200), 53));
            questions.add(Question.of(client, Protocol.UDP, Host.NODE.address(family), 30200));
        }
        String podCidr = RoutedNetwork.podGateway(family).plus(-1) + (family == IpFamily.IPV4 ? "/24" : "/64");
        return snapshots
                .node("n1", Host.NODE.address(family).toString(), podCidr)
                .build();
    }

    private IpAddress clusterIp(int number) {
        return IpAddress.parse((family == IpFamily.IPV4 ? "10.96.0." : "fd00:10:96::") + number);
    }

    private void addEndpoints(Snapshots snapshots, boolean alsoLocal) {
        snapshots.endpoint(endpoint(Host.REMOTE_SERVER), "n2");
        if (alsoLocal) {
            snapshots.endpoint(endpoint(Host.LOCAL_SERVER), "n1");
        }
    }

    private String endpoint(Host server) {
        return server.address(family).withPort(QuestionedNetwork.SERVER_PORT);
    }

    private void addWays(Snapshots snapshots, int number) {
        String outside = family == IpFamily.IPV4 ? "203.0.113." : "2001:db8:113::";
        IpAddress external = IpAddress.parse(outside + (10 + number));
        IpAddress balancer = IpAddress.parse(outside + (100 + number));
        int nodePort = 30000 + number;
        snapshots.nodePort(nodePort).externalIps(external.toString()).loadBalancerIps(balancer.toString());
        for (Host client : CLIENTS) {
            questions.add(Question.of(client, Protocol.TCP, clusterIp(100 + number), 80));
            questions.add(Question.of(client, Protocol.TCP, external, 80));
            questions.add(Question.of(client, Protocol.TCP, balancer, 80));
            questions.add(Question.of(client, Protocol.TCP, Host.NODE.address(family), nodePort));
        }
        IpAddress loopback = IpAddress.parse(family == IpFamily.IPV4 ? "127.0.0.1" : "::1");
        questions.add(Question.from(Host.NODE, loopback, Protocol.TCP, loopback, nodePort));
    }
}
