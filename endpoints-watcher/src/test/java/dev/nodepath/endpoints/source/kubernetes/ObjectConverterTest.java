package dev.nodepath.endpoints.source.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.ServicePolicy;
import dev.nodepath.endpoints.ServicePort;
import dev.nodepath.endpoints.ServiceType;
import dev.nodepath.endpoints.TopologyHints;
import dev.nodepath.endpoints.TrafficPolicy;
import dev.nodepath.endpoints.tracker.EndpointSlice;
import dev.nodepath.linux.Cidr;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ObjectConverterTest {
    private static final NamespacedName NAME = new NamespacedName("default", "web");

    private final ObjectConverter converter = new ObjectConverter();
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
                        + " | [10.0.0.1:1/tcp] | 1 spec.clusterIPs: \"10.0.0.x\" (expected: an IPv4 or IPv6 address)",
                "{'spec':{'clusterIP':'10.0.0.1','externalIPs':['5.6.7.8','?'],'ports':[{'port':1}]},'status':"
                        + "{'loadBalancer':{'ingress':[{'ip':'1.2.3.4'},{'ip':'1.2.3.5','ipMode':'Proxy'},{'hostname':'x'}]}}}"
                        + " | [10.0.0.1:1/tcp 5.6.7.8 1.2.3.4] | 1 spec.externalIPs: \"?\" (expected: an IPv4 or IPv6"
                        + " address)",
            })
    void convertsServices(String json, String ports, String problem) throws Exception {
        String shown = converter
                .service(NAME, model(json, io.fabric8.kubernetes.api.model.Service.class), problems)
                .get(0)
                .ports()
                .stream()
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
                "'IPv4' | {'addresses':['10.0.0.1'],'conditions':{'ready':false}} | [10.0.0.1] | ",
                "'IPv4' | {'addresses':['10.0.0.1'],'conditions':{'ready':false,'serving':true,'terminating':true}}"
                        + " | [10.0.0.1 serving terminating] | ",
                "'IPv4' | {'addresses':['fd00::1']},{'addresses':[]},{'addresses':['10.0.0.2','10.0.0.3']}"
                        + " | [10.0.0.2 ready serving] | 2 endpoints: \"fd00::1\" (expected: an IPv4 address)",
                "'IPv5' | {'addresses':['10.0.0.1']} | | 1 addressType: \"IPv5\" (expected: IPv4, IPv6, FQDN)",
            })
    void convertsSlices(String type, String endpoints, String addresses, String problem) throws Exception {
        String json = "{'metadata':{'labels':{'kubernetes.io/service-name':'web'}},'addressType':" + type
                + ",'ports':[{'port':80},{'name':'all'}],'endpoints':"
                + (endpoints == null ? "null" : "[" + endpoints + "]")
                + "}";
        String shown = converter
                .slice(NAME, model(json, io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice.class), problems)
                .stream()
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
                + "'loadBalancerSourceRanges':[' 203.0.113.0/25','none']}}";

        ServicePort port = converter
                .service(NAME, model(json, io.fabric8.kubernetes.api.model.Service.class), problems)
                .get(0)
                .ports()
                .get(0);

        assertThat(port.policy())
                .isEqualTo(new ServicePolicy(
                        ServiceType.LOAD_BALANCER,
                        TrafficPolicy.LOCAL,
                        TrafficPolicy.LOCAL,
                        600,
                        List.of(Cidr.parse("203.0.113.0/25")),
                        30000));
        assertThat(problems.first())
                .isEqualTo("spec.loadBalancerSourceRanges: \"none\" (expected: ADDRESS/PREFIX-LENGTH)");
    }

    @Test
    void keepsHintsOfEndpoints() throws Exception {
        String json = "{'metadata':{'labels':{'kubernetes.io/service-name':'web'}},'addressType':'IPv4','endpoints':"
                + "[{'addresses':['10.0.0.1'],'hints':{'forZones':[{'name':'a'}],'forNodes':[{'name':'n1'}]}}]}";

        EndpointSlice slice = converter
                .slice(NAME, model(json, io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice.class), problems)
                .get(0);

        assertThat(slice.addresses().get(0).state().hints()).isEqualTo(TopologyHints.of(List.of("a"), List.of("n1")));
    }

    @Test
    void shortensWhatItQuotes() throws Exception {
        String json = "{'spec':{'clusterIP':'" + "9".repeat(1_000_000) + "'}}";
        converter.service(NAME, model(json, io.fabric8.kubernetes.api.model.Service.class), problems);

        assertThat(problems.first()).hasSizeLessThan(200);
    }

    private static <T> T model(String json, Class<T> type) throws JsonProcessingException {
        return new ObjectMapper().readValue(json.replace('\'', '"'), type);
    }
}
