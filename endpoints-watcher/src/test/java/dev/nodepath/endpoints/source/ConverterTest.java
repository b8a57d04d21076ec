package dev.nodepath.endpoints.source;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.nodepath.endpoints.EndpointSlice;
import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.ServicePolicy;
import dev.nodepath.endpoints.ServicePort;
import dev.nodepath.endpoints.ServiceType;
import dev.nodepath.endpoints.TrafficPolicy;
import dev.nodepath.linux.address.Cidr;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConverterTest {
    private static final NamespacedName NAME = new NamespacedName("default", "web");

    private final ServiceConverter services = new ServiceConverter();
    private final SliceConverter slices = new SliceConverter();
    private final Problems problems = new Problems();

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{}                                                          | [] | ",
                "{'spec':{'type':'ExternalName','clusterIP':'10.0.0.1','ports':[{'port':1}]}} | [] | ",
                "{'spec':{'clusterIP':'None','ports':[{'port':1}]}}          | [] | ",
                "{'spec':{'clusterIP':'','ports':[{'port':1}]}}              | [] | ",
                "{'spec':{'clusterIP':'10.0.0.1','ports':null}}              | [] | ",
                "{'spec':{'clusterIP':'10.0.0.1'}}                           | [] | ",
                "{'spec':{'ports':[{'port':1}]}}                             | [] | ",
                "{'spec':{'clusterIPs':['None'],'ports':[{'port':1}]}}       | [] | ",
                "{'spec':{'type':'ExternalName','externalName':'a.example'}} | [] | ",
                "{'spec':{'clusterIP':'10.0.0.1','ports':[{'port':1}]}}      | [10.0.0.1:1/tcp] | ",
                "{'spec':{'clusterIP':' 172.30.0.041','ports':[{'port':1}]}} | [172.30.0.41:1/tcp] | ",
                "{'spec':{'clusterIPs':['10.0.0.1','fd00::1'],'ports':[{'port':53,'protocol':'UDP','nodePort':30053}]}}"
                        + " | [10.0.0.1,fd00::1:53/udp@30053] | ",
                "{'spec':{'clusterIP':'10.0.0.1','ports':[{'port':0},{'port':70000},{'name':'b','port':2}]}}"
                        + " | [10.0.0.1:2/tcp] | 2 spec.ports[0].port: 0 (expected: 1 to 65535)",
                "{'spec':{'clusterIP':'10.0.0.1','ports':[{'port':1,'protocol':'QUIC'}]}}"
                        + " | [] | 1 spec.ports[0].protocol: \"QUIC\" (expected: TCP, UDP, SCTP)",
                "{'spec':{'clusterIP':'10.0.0.1','ports':[{'port':1},{'port':2}]}}"
                        + " | [10.0.0.1:1/tcp] | 1 spec.ports[1].name: \"\" (expected: a name that no other port of the"
                        + " Service has)",
                "{'spec':{'clusterIPs':['10.0.0.x','10.0.0.1'],'ports':[{'port':1}]}}"
                        + " | [10.0.0.1:1/tcp] | 1 spec.clusterIPs[0]: \"10.0.0.x\" (expected: an IPv4 or IPv6 address)",
                "{'spec':{'clusterIP':'10.0.0.1','externalIPs':['5.6.7.8','?'],'ports':[{'port':1}]},'status':"
                        + "{'loadBalancer':{'ingress':[{'ip':'1.2.3.4'},{'ip':'1.2.3.5','ipMode':'Proxy'},{'hostname':'x'}]}}}"
                        + " | [10.0.0.1:1/tcp 5.6.7.8 1.2.3.4] | 1 spec.externalIPs[1]: \"?\" (expected: an IPv4 or IPv6"
                        + " address)",
                "{'spec':{'clusterIP':'10.0.0.1','externalIPs':['fd00::9'],'ports':[{'port':1}],'type':'LoadBalancer'},'status':"
                        + "{'loadBalancer':{'ingress':[{'ip':'fd00::1'},{'ip':''},{'ip':'1.2.3.4'}]}}}"
                        + " | [10.0.0.1:1/tcp 1.2.3.4] | ",
                "{'spec':{'clusterIP':'10.0.0.1','clusterIPs':[],'ports':[{'port':1}]}} | [10.0.0.1:1/tcp] | ",
                "{'spec':{'clusterIP':'None','clusterIPs':['None'],'ports':[{'port':1}]}} | [] | ",
                "{'spec':{'clusterIP':'10.0.0.1','ports':[{'port':'eighty'},{'port':1.5},{'port':99999999999},{'port':2}]}}"
                        + " | [10.0.0.1:2/tcp] | 3 spec.ports[0].port: \"eighty\" (expected: 1 to 65535)",
                "{'spec':{'clusterIP':'10.0.0.1','ports':[{'port':2,'nodePort':70000},7,{'name':5,'port':3,'protocol':'UDP'}]}}"
                        + " | [10.0.0.1:2/tcp] | 4 spec.ports[1]: 7 (expected: an object)",
                "{'spec':{'clusterIP':'10.0.0.1','ports':{'port':1}}} | [] | 1 spec.ports: an object (expected: a list)",
                "{'spec':[1]} | [] | 1 spec: a list (expected: an object)",
                "{'spec':{'clusterIP':'10.0.0.1','ports':[{'port':1,'nodePort':-1}]}}"
                        + " | [10.0.0.1:1/tcp] | 1 spec.ports[0].nodePort: -1 (expected: 0 to 65535)",
            })
    void convertsServices(String json, String ports, String problem) throws Exception {
        String shown = services.convert(NAME, fields(json)).get(0).ports().stream()
                .map(port -> port.clusterIps().stream().map(Object::toString).collect(Collectors.joining(",")) + ":"
                        + port.port() + "/" + port.protocol().lowerCase()
                        + (port.nodePort() == 0 ? "" : "@" + port.nodePort())
                        + port.externalIps().stream().map(ip -> " " + ip).collect(Collectors.joining())
                        + port.loadBalancerIps().stream().map(ip -> " " + ip).collect(Collectors.joining()))
                .toList()
                .toString();

        assertThat(shown).isEqualTo(ports);
        assertThat(problems.count() == 0 ? null : problems.count() + " " + problems.first())
                .isEqualTo(problem);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "'FQDN' | {'addresses':['example.com']} | | ",
                "'IPv4' | | [] | ",
                "'IPv4' | {'addresses':['10.0.0.1']} | [10.0.0.1 ready serving] | ",
                "'IPv4' | {'addresses':['10.0.0.1'],'conditions':{}} | [10.0.0.1 ready serving] | ",
                "'IPv4' | {'addresses':['10.0.0.1'],'conditions':{'ready':false}} | [10.0.0.1 serving] | ",
                "'IPv4' | {'addresses':['10.0.0.1'],'conditions':{'ready':false,'serving':true,'terminating':true}}"
                        + " | [10.0.0.1 serving terminating] | ",
                "'IPv4' | {'addresses':['fd00::1']},{'addresses':[]},{'addresses':['10.0.0.2','10.0.0.3']}"
                        + " | [10.0.0.2 ready serving] | 2 endpoints[0].addresses: \"fd00::1\" (expected: an IPv4 address)",
                "'IPv5' | {'addresses':['10.0.0.1']} | | 1 addressType: \"IPv5\" (expected: IPv4, IPv6, FQDN)",
                "'IPv4' | 5,null,{'addresses':'10.0.0.1'},{'addresses':['10.0.0.4'],'conditions':{'ready':'yes'}}"
                        + " | [10.0.0.4 ready serving] | 5 endpoints[0]: 5 (expected: an object)",
                "'IPv4' | {'addresses':['010.0.0.041']},{'addresses':['10.0.0.256']},{'addresses':['x.example.com']}"
                        + " | [10.0.0.41 ready serving] | 2 endpoints[1].addresses[0]: \"10.0.0.256\" (expected: an IPv4 or"
                        + " IPv6 address)",
                "'IPv4' | {'addresses':['10.0.0.1'],'conditions':{'ready':false}},{'addresses':['10.0.0.1']}"
                        + " | [10.0.0.1 ready serving] | ",
            })
    void convertsSlices(String type, String endpoints, String addresses, String problem) throws Exception {
        String json = "{'metadata':{'labels':{'kubernetes.io/service-name':'web'}},'addressType':" + type
                + ",'ports':[{'port':80},{'name':'all'}],'endpoints':"
                + (endpoints == null ? "null" : "[" + endpoints + "]")
                + "}";
        String shown = slices.slice(NAME, fields(json)).stream()
                .map(slice -> slice.addresses().stream()
                        .map(address -> address.ip()
                                + (address.state().ready() ? " ready" : "")
                                + (address.state().serving() ? " serving" : "")
                                + (address.state().terminating() ? " terminating" : ""))
                        .toList()
                        .toString())
                .collect(Collectors.joining());

        assertThat(shown).isEqualTo(addresses == null ? "" : addresses);
        assertThat(
                        problems.count() == 0
                                ? null
                                : problems.count() + " " + problems.first().replace("an IPV4", "an IPv4"))
                .isEqualTo(problem);
    }

    @Test
    void keepsWhatAServiceAsksForAndLeavesOutRangesThatAreNone() throws Exception {
        String json = "{'spec':{'type':'LoadBalancer','clusterIP':'10.0.0.1','ports':[{'port':1}],"
                + "'internalTrafficPolicy':'Local','externalTrafficPolicy':'Local','healthCheckNodePort':30000,"
                + "'sessionAffinity':'ClientIP','sessionAffinityConfig':{'clientIP':{'timeoutSeconds':600}},"
                + "'loadBalancerSourceRanges':[' 203.0.113.0/25','192.168.007.9/24','none']}}";

        ServicePort port = services.convert(NAME, fields(json)).get(0).ports().get(0);

        assertThat(port.policy())
                .isEqualTo(new ServicePolicy(
                        ServiceType.LOAD_BALANCER,
                        TrafficPolicy.LOCAL,
                        TrafficPolicy.LOCAL,
                        600,
                        List.of(Cidr.parse("203.0.113.0/25"), Cidr.parse("192.168.7.0/24")),
                        30000));
        assertThat(problems.first())
                .isEqualTo("spec.loadBalancerSourceRanges[2]: \"none\" (expected: a CIDR such as 10.244.0.0/24)");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{}                                                                                | false",
                "{'metadata':{'deletionTimestamp':null},'spec':{'taints':null}}                    | false",
                "{'metadata':{'deletionTimestamp':'2026-11-20T10:00:00Z'}}                         | true",
                "{'spec':{'taints':[{'key':'a'},{'key':'ToBeDeletedByClusterAutoscaler'}]}}        | true",
                "{'spec':{'taints':[{'key':'a','effect':'NoSchedule'}]}}                           | false",
            })
    void seesANodeThatIsLeaving(String json, boolean leaving) throws Exception {
        List<NodeInfo> nodes = new NodeConverter().convert(new NamespacedName("", "n1"), fields(json));
        assertThat(nodes).extracting(NodeInfo::leaving).containsExactly(leaving);
    }

    @Test
    void shortensWhatItQuotes() throws Exception {
        String json = "{'spec':{'clusterIP':'" + "9".repeat(1_000_000) + "'}}";
        services.convert(NAME, fields(json));

        assertThat(problems.first()).hasSizeLessThan(200);
    }

    @Test
    void leavesOutPortsOfASliceThatCannotBeOne() throws Exception {
        String json = "{'metadata':{'labels':{'kubernetes.io/service-name':'web'}},'addressType':'IPv4','ports':"
                + "[{'port':0},{'port':70000},{'port':80,'protocol':'ICMP'},{'name':'all'},{'name':'ok','port':80}]}";

        assertThat(slices.slice(NAME, fields(json)).get(0).ports())
                .containsExactly(new EndpointSlice.Port("ok", Protocol.TCP, 80));
        assertThat(problems.fields()).isEqualTo(Map.of("ports.port", 2, "ports.protocol", 1));
    }

    @Test
    void takesTenThousandPortsAndNoMoreThanTheLimit() throws Exception {
        for (int count : new int[] {10_000, Fields.MAX_ITEMS + 1}) {
            String ports = IntStream.rangeClosed(1, count)
                    .mapToObj(port -> "{'name':'p" + port + "','port':" + port + "}")
                    .collect(Collectors.joining(","));
            String json = "{'spec':{'clusterIP':'10.0.0.1','ports':[" + ports + "]}}";

            assertThat(services.convert(NAME, fields(json)).get(0).ports()).hasSize(Math.min(count, Fields.MAX_ITEMS));
        }
        assertThat(problems.first()).isEqualTo("spec.ports: \"20001 entries\" (expected: at most 20000)");
    }

    @Test
    void passesOverAnnotationsOfAMegabyte() throws Exception {
        String json = "{'metadata':{'annotations':{'note':'" + "x".repeat(1 << 20)
                + "'}},'spec':{'clusterIP':'10.0.0.1','ports':[{'port':1}]}}";

        assertThat(services.convert(NAME, fields(json)).get(0).ports()).hasSize(1);
        assertThat(problems.count()).isZero();
    }

    private Fields fields(String json) throws JsonProcessingException {
        return Fields.of(new ObjectMapper().readTree(json.replace('\'', '"')), problems);
    }

    @Test
    void readsTheVersionOfANode() throws Exception {
        String json = "{\"status\": {\"nodeInfo\": {\"kubeletVersion\": \"v1.37.0\"}}}";
        assertThat(new NodeConverter().convert(new NamespacedName("", "n1"), fields(json)))
                .extracting(NodeInfo::kubeletVersion)
                .containsExactly("v1.37.0");
    }
}
