package dev.nodepath.emulator.walk;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.nodepath.agent.options.ProxyMode;
import dev.nodepath.endpoints.source.ManifestReader;
import dev.nodepath.endpoints.source.Manifests;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where on its way policies are asked about a packet. */
class PolicyWalkTest {
    /** All pods are isolated for ingress; packets from n1's pods are let in, except from one. */
    private static final String POLICIES = """
            ---
            {apiVersion: v1, kind: Namespace, metadata: {name: default}}
            ---
            {apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: deny-all, namespace: default},
             spec: {podSelector: {}, policyTypes: [Ingress]}}
            ---
            {apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: in, namespace: default},
             spec: {podSelector: {}, policyTypes: [Ingress], ingress: [
               {from: [{ipBlock: {cidr: 10.244.1.0/24, except: [10.244.1.2/32]}}]}]}}
            ---
            {apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: out, namespace: shop},
             spec: {podSelector: {}, policyTypes: [Egress]}}
            """;

    private static String walk(String mode, String from, String to, boolean json) throws Exception {
        Manifests objects =
                ManifestReader.check(ManifestReader.objects(Path.of("objects"), NamedWalkTest.OBJECTS + POLICIES));
        return NamedWalk.of(new RunningProxies(ProxyMode.valueOf(mode), false), objects, from, to, json);
    }

    @Test
    void theNodeOfThePodSaysWhoIsolatesIt() throws Exception {
        assertThat(walk("NFTABLES", "web-1", "web-2:8080", false)).endsWith("""
                100.0% is dropped: the sender gets no answer
                  n1     A route leads to 10.244.2.0/24 through 172.30.0.12, which is n2.
                  n2     The rules here leave a packet to a pod's address as it is.
                  n2     Ingress: default/web-2 is isolated by default/deny-all and default/in; no rule of them allows default/web-1 (TCP port 8080). The packet is dropped: its sender gets no answer.
                           ip nodepath-policy forward-ingress
                """);
        assertThat(walk("NFTABLES", "client-1", "web-1:8080", false)).contains("""
                100.0% goes to 10.244.1.2:8080 (web-1)
                  n1        Ingress: default/web-1 is isolated by default/deny-all and default/in; rule ingress[0] of default/in allows default/client-1 (TCP port 8080).
                              ip nodepath-policy forward-ingress
                """);
    }

    /** Each outcome, and the sentences about policies on the way to it. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            NFTABLES  | client-1 | web:80          | web-1: ingress allowed at n1, web-2: ingress allowed at n2
            IPTABLES  | client-1 | web:80          | web-1: ingress allowed at n1, web-2: ingress allowed at n2
            IPTABLES  | web-1    | web:80          | web-1: ingress free at n1, DROP: ingress refused at n2
            NFTABLES  | n1       | web-1:8080      | web-1: ingress free at n1
            NFTABLES  | n1       | web-2:8080      | DROP: ingress refused at n2
            NFTABLES  | shop/far | web-1:8080      | DROP: egress refused at n3
            NFTABLES  | shop/far | 198.51.100.1:80 | DROP: egress refused at n3
            NFTABLES  | shop/far | n3:10256        | DROP: egress refused at n3
            NFTABLES  | shop/far | n2:30080        | DROP: egress refused at n3
            NFTABLES  | client-1 | shop/far:8080   | shop/far:
            NFTABLES  | client   | n1:30080        | DROP: ingress refused at n1, DROP: ingress refused at n2
            USERSPACE | client-1 | web:80          | web-1: ingress allowed at n1, ENDPOINT: ingress allowed at n1; ingress refused at n2
            USERSPACE | shop/far | web:80          | REJECT: egress refused at n3; egress refused at n3
            """)
    void eachNodeAsksAboutItsOwnPods(String mode, String from, String to, String expected) throws Exception {
        JsonNode json = new ObjectMapper().readTree(walk(mode, from, to, true));
        List<String> ends = new ArrayList<>();
        for (JsonNode end : json.path("outcomes")) {
            List<String> asked = new ArrayList<>();
            for (JsonNode hops : List.of(json.path("hops"), end.path("hops"))) {
                hops.forEach(hop -> asked.addAll(asked(hop)));
            }
            String name = end.path("name").asText();
            ends.add((name.isEmpty() ? end.path("verdict").asText() : name) + ": " + String.join("; ", asked));
        }
        assertThat(String.join(", ", ends).strip()).isEqualTo(expected);
    }

    private static List<String> asked(JsonNode hop) {
        JsonNode policy = hop.path("policy");
        return policy.isMissingNode()
                ? List.of()
                : List.of(policy.path("direction").asText() + " "
                        + policy.path("answer").asText() + " at "
                        + hop.path("where").asText());
    }
}
