package dev.nodepath.page;

import dev.nodepath.page.Picture.ClientPart;
import dev.nodepath.page.PicturedNode.SyncPart;
import dev.nodepath.page.PicturedService.EndpointPart;
import dev.nodepath.page.PicturedService.PortPart;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Pictures for tests. */
public final class SamplePicture {
    private SamplePicture() {}

    /** Two nodes, a client and two web pods, one Service. */
    public static Picture small() {
        return of(List.of(
                pod("client-1", "n1", 0, "10.244.1.2", true),
                pod("web-1", "n1", 1, "10.244.1.3", true),
                pod("web-2", "n2", 0, "10.244.2.2", true)));
    }

    /** The small one, with these Pods. */
    public static Picture of(List<PicturedPod> pods) {
        List<EndpointPart> endpoints = new ArrayList<>();
        for (PicturedPod pod : pods) {
            if (pod.id().startsWith("web")) {
                endpoints.add(new EndpointPart(pod.addresses().get(0), pod.id(), pod.ready() ? "ready" : "unready"));
            }
        }
        return new Picture(
                "iptables",
                new ClientPart("client", "172.30.0.254"),
                List.of(node("n1", 1), node("n2", 2)),
                pods,
                List.of(new PicturedService(
                        "web",
                        "NodePort",
                        List.of("10.96.0.20"),
                        List.of(new PortPart("http", "TCP", 80, 30080)),
                        endpoints,
                        List.of())));
    }

    /** A node with pods' addresses of this number. */
    static PicturedNode node(String name, int number) {
        return new PicturedNode(
                name,
                List.of("172.30.0.1" + number),
                List.of("10.244." + number + ".0/24"),
                true,
                "iptables",
                true,
                false,
                true,
                Optional.of(new SyncPart(System.currentTimeMillis(), true, 18, 8, 2)),
                "172.30.0.0/24");
    }

    /** A Pod that listens on port 8080. */
    public static PicturedPod pod(String id, String node, int slot, String address, boolean ready) {
        return new PicturedPod(
                id,
                node,
                slot,
                List.of(address),
                ready,
                false,
                ready ? "" : "its readiness probe fails",
                false,
                List.of(8080),
                false);
    }

    /** A connection of client-1 to the Service. */
    public static Flow flow(String id, String pod, String endpoint) {
        String sent = "10.244.1.2:40000 \u2192 10.96.0.20:80";
        String became = "10.244.1.2:40000 \u2192 10.244.1.3:8080";
        return new Flow(
                id,
                "tcp",
                new Flow.Place("client-1", "10.244.1.2:40000"),
                new Flow.Place("web:80", "10.96.0.20:80"),
                "web",
                new Flow.Place(pod, "10.244.1.3:8080"),
                "10.244.1.2:40000",
                "ESTABLISHED",
                endpoint,
                12,
                3456,
                List.of(new Flow.Entry("n1", sent, became), new Flow.Entry("n2", became, became)));
    }
}
